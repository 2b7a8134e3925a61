"""A logical frame of the program, and why the frames of a module are unknown."""

from __future__ import annotations

import os
from dataclasses import dataclass

# Added to an offset: asks for the line of the statement that began last there, not for that of the instruction.
STATEMENT = 1 << 62


@dataclass(frozen=True)
class Location:
    """A logical frame. `file` is "" and `line` 0 if there is no debug information.

    `resolved` is False if not even the routine is known: `routine` is then "module+0x1a2b". `exact` is False if the
    compiler gave the call no line of its own. `line` is then the nearest one it gave, 0 if there is none, and `apart`
    keeps such calls from being merged.
    """

    routine: str
    full: str
    module: str
    file: str = ""
    line: int = 0
    symbol_offset: int = -1  # into the routine, where its symbol is all that is known
    resolved: bool = True
    exact: bool = True
    apart: int = -1

    def place(self) -> str:
        """The place in the routine: "halo.cpp:41", "halo.f90:~41" near that line, "+0x1f" into the routine, or ""."""
        if self.file:
            return f"{os.path.basename(self.file)}:{self.line_text}"
        return f"+{self.symbol_offset:#x}" if self.symbol_offset >= 0 else ""

    @property
    def line_text(self) -> str:
        """The line for display: "41", "~41" if it is the nearest one known, "?" if none is."""
        if self.exact:
            return str(self.line)
        return f"~{self.line}" if self.line else "?"


@dataclass(frozen=True)
class ModuleProblem:
    """Why the routines of a module are unknown."""

    module: str
    code: str  # "binary-changed", "binary-missing", "binary-unreadable"
    message: str
