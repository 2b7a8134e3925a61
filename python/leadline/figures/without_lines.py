"""Programs whose call sites have no file and line, because they were built without debug information."""

from __future__ import annotations

import os
from collections import Counter

from leadline.figures.content import Content
from leadline.symbols.resolve import INTERPRETERS

LEAST_SHARE = 0.5  # of the call sites: a library without it, in a program that has it, is not a mistake


def without_lines(content: Content) -> str:
    """The program or library that should be built with -g; "" if most call sites have a line."""
    sites = [entry.site for entry in content.sites if entry.site is not None and not entry.local]
    paths = [site.path for site in sites if site.path and all(where.full not in INTERPRETERS for where in site.path)]
    bare = [path for path in paths if not any(where.file for where in path)]
    # A binary that changed or disappeared is reported as a loss.
    unusable = content.run.unusable_modules
    blamed = Counter(path[-1].module for path in bare if path[-1].module and path[-1].module not in unusable)
    if not blamed or sum(blamed.values()) < LEAST_SHARE * len(paths):
        return ""
    return os.path.basename(blamed.most_common(1)[0][0])


def advice(content: Content) -> str:
    """One sentence of advice; "" if none is needed."""
    name = without_lines(content)
    if not name:
        return ""
    return f"{name} has no debug information: call sites lack file and line. Compile with -g."
