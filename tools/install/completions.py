"""Writes the completion of each shell to where it looks for those of packages: completions.py FOLDER, a prefix's share.

As tools/man_pages.py, it needs click only.
"""

from __future__ import annotations

import sys
from pathlib import Path
from unittest.mock import MagicMock

PYTHON = Path(__file__).resolve().parents[2] / "python"
PLACES = {
    "bash": "bash-completion/completions/leadline",
    "zsh": "zsh/site-functions/_leadline",
    "fish": "fish/vendor_completions.d/leadline.fish",
}


def main(folder: str) -> None:
    sys.path.insert(0, str(PYTHON))
    sys.modules["leadline._core"] = MagicMock()  # imported by some commands
    from leadline.cli import completion

    for shell in completion.SHELLS:
        path = Path(folder) / PLACES[shell]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(completion.script(shell), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
