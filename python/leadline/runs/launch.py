"""One start of a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Launch:
    """What to start. It gets no input, and a session of its own, so that all of it can be ended.

    label: what it is, for progress and messages; the same in every round.
    env: the whole environment; None: this process' own.   cwd: None: this process' own.
    limit_s: seconds after which it is ended; None: no limit.
    merged: standard error goes where standard output goes, in the order of writing.
    enough: told the seconds since its start, again and again, says whether it has done what it was started for. Then it
    is ended, and has succeeded.
    gives_up_on: a text in its output after which it cannot succeed, such as the error of one rank while the others wait
    for it. It then has a second to end by itself.
    """

    label: str
    argv: tuple[str, ...]
    env: Mapping[str, str] | None = field(default=None, hash=False)
    cwd: Path | None = None
    limit_s: float | None = None
    merged: bool = False
    gives_up_on: str = ""
    enough: Callable[[float], bool] | None = field(default=None, hash=False, compare=False)
