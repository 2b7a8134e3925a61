"""Where patterns are."""

from __future__ import annotations

from leadline.figures.paths import LONGEST_CHAIN
from leadline.figures.patterns import PatternEntry


def pattern_at(entry: PatternEntry) -> str:
    """The innermost routines, as "trcadv > exchange"; the first file's name for patterns of I/O."""
    if entry.files:
        files = entry.evidence.get("files", len(entry.files))
        return entry.files[0] + (f" and {files - 1:,} more" if files > 1 else "")
    shown = entry.routines[-LONGEST_CHAIN:]
    return " > ".join(shown if len(shown) == len(entry.routines) else ["…", *shown]) or "several routines"
