"""Makes a site of docs/ in build/site. A link that leads nowhere is an error (mkdocs.yml)."""

from __future__ import annotations

from pathlib import Path

from dev.paths import BUILD, PYTHON, ROOT
from dev.steps import say, step

FOLDER = BUILD / "site"


def make() -> None:
    words: list[str | Path] = [PYTHON, "-m", "mkdocs", "build", "--quiet"]
    words += ["--config-file", ROOT / "mkdocs.yml", "--site-dir", FOLDER]
    # The theme's authors advertise their next product, and wait until it was read.
    step("making the site", words, {"NO_MKDOCS_2_WARNING": "1"})
    say(f"to read it: python3 -m http.server --directory {FOLDER.relative_to(ROOT)} (search needs a server)")
