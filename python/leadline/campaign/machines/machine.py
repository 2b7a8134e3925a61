"""A machine as the campaign's file names it. Its hosts and folder are words that no shell takes for anything else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}")
HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@:%-]{0,254}")
FOLDER = re.compile(r"/?(?:[A-Za-z0-9_][A-Za-z0-9_.@+-]*/?)+")
FOLDERS = "leadline-campaigns"  # in the home directory there


@dataclass(frozen=True)
class Machine:
    """hosts: as ssh takes them; the launcher starts on the first, the others are those that it may start ranks on.

    folder: on each of them, from the home directory on, unless it begins with a slash.
    libraries: paths of mpiexec there, by name.   config: of ssh; None: the user's own.
    """

    name: str
    hosts: tuple[str, ...]
    folder: str = FOLDERS
    libraries: Mapping[str, str] = field(default_factory=dict, hash=False)
    config: Path | None = None


def located(name: str, machines: Sequence[Machine]) -> tuple[Machine | None, str]:
    """A library's name in a campaign, such as "alpha:mpich": its machine, None for this one, and its name there."""
    before, _, after = name.partition(":")
    machine = next((each for each in machines if each.name == before and after), None)
    return (machine, after) if machine else (None, name)
