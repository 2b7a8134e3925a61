"""The programs of a run: a job may consist of several, and spaces may occur in a program's path as well as between its
arguments.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leadline.figures.run import Run


def split_line(line: str, modules: Iterable[str]) -> tuple[str, list[str]]:
    """(program's path, its arguments) of a command line whose words are joined by blanks.

    modules: paths of the binaries that the run had loaded, the program among them: its path ends where the name of one
    does. Of a script, whose interpreter is the binary, the line begins with the interpreter's name.
    """
    ends = [end for path in modules if (end := _end(line, _printable(os.path.basename(path))))]
    end = min(ends) if ends else (line.find(" ") if " " in line else len(line))
    return line[:end], line[end:].split(" ")[1:]


def _end(line: str, name: str) -> int:
    """Where the path of a program of this name ends in the line; 0 if the line is not one of it."""
    at = line.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if (at == 0 or line[at - 1] == "/") and line[end : end + 1] in ("", " "):
            return end
        at = line.find(name, at + 1)
    return 0


def _printable(path: str) -> str:
    """As the core hands out command lines."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def programs_of(run: Run) -> list[tuple[str, list[str]]]:
    """(path, arguments) of each of the run's programs, by the first process that is one of it."""
    modules = [module.path for module in run.profile.modules]
    found: dict[str, list[str]] = {}
    for line in dict.fromkeys(process.program for process in run.processes if process.program):
        path, arguments = split_line(line, modules)
        found.setdefault(path, arguments)
    return [*found.items()]


def names_of(run: Run) -> list[str]:
    """The programs' file names; several may have the same one."""
    return list(dict.fromkeys(path.rsplit("/", 1)[-1] for path, _ in programs_of(run)))
