"""Which workloads there are, and where their sources are.

A workload is a folder with a main.cpp; `kit` beside them holds what several use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import MissingPrerequisite, UsageError

SHARED = "kit"


@dataclass(frozen=True)
class Workload:
    """One program in source. description: its main.cpp's first line of comment."""

    name: str
    folder: Path
    description: str

    @property
    def sources(self) -> list[Path]:
        """What is compiled into it."""
        return sorted([*self.folder.rglob("*.cpp"), *(self.folder.parent / SHARED).rglob("*.cpp")])

    @property
    def inputs(self) -> list[Path]:
        """Every file whose change means building again."""
        both = (self.folder, self.folder.parent / SHARED)
        return sorted(path for folder in both for path in folder.rglob("*") if path.suffix in {".cpp", ".hpp", ".h"})


def sources_root() -> Path:
    """In a source tree its workloads/, in an installed package the copy that came with it."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "share" / "workloads"
    if installed.is_dir():
        return installed
    in_tree = package.parents[1] / "workloads"
    if in_tree.is_dir():
        return in_tree
    raise MissingPrerequisite(f"the workloads' sources are not at {installed}", hint="install leadline again")


def names() -> list[str]:
    return sorted(path.parent.name for path in sources_root().glob("*/main.cpp"))


def find(name: str) -> Workload:
    """Raises UsageError for a name that is none."""
    if name not in names():
        raise UsageError(f"no workload is called {name!r}", hint=f"there are: {', '.join(names())}")
    folder = sources_root() / name
    found = re.match(r"\s*//\s*(.+)", (folder / "main.cpp").read_text())
    return Workload(name, folder, found.group(1).strip() if found else "")
