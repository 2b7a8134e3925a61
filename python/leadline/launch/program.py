"""The word of a command that names the program whose ranks are to be recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline.launch.launcher import Launcher, is_program, program_start
from leadline.launch.loading import interpreter_of
from leadline.launch.wrappers import command_start


def program_word(words: Sequence[str], launcher: Launcher | None) -> str | None:
    """`./app` in `mpiexec -n 4 -wdir /tmp ./app -x 1`; None where no word is a program."""
    rest = words if launcher is None else words[launcher.index + 1 :]
    rest = rest[program_start(rest, launcher.kind) :] if launcher is not None else rest
    rest = rest[command_start(rest) :]
    return rest[0] if rest and is_program(rest[0]) else None


def program_file(command: Sequence[str], launcher: Launcher | None, environ: Mapping[str, str]) -> Path | None:
    """The program's file, if it is one that the loader loads libraries for."""
    word = program_word(command, launcher)
    if word is None:
        return None
    path = Path(word)
    if "/" not in word:
        folders = [folder for folder in environ.get("PATH", os.defpath).split(os.pathsep) if folder]
        path = next((Path(folder, word) for folder in folders if Path(folder, word).is_file()), path)
    return path if interpreter_of(path) else None
