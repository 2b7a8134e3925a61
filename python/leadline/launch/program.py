"""The word of a command that names the program whose ranks are to be recorded."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.launch.launcher import Launcher, is_program, program_start
from leadline.launch.wrappers import command_start


def program_word(words: Sequence[str], launcher: Launcher | None) -> str | None:
    """`./app` in `mpiexec -n 4 -wdir /tmp ./app -x 1`; None where no word is a program."""
    rest = words if launcher is None else words[launcher.index + 1 :]
    rest = rest[program_start(rest, launcher.kind) :] if launcher is not None else rest
    rest = rest[command_start(rest) :]
    return rest[0] if rest and is_program(rest[0]) else None
