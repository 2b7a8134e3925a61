"""The word of a command that names the program whose ranks are to be recorded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

from leadline.launch.launcher import Launcher
from leadline.launch.wrappers import command_start


def program_word(words: Sequence[str], launcher: Launcher | None) -> str | None:
    """`./app` in `mpiexec -n 4 -wdir /tmp ./app -x 1`; None where no word is a program.

    Launchers have too many options to know them all, so after one it is the first word that is an executable file.
    """
    at = command_start(words) if launcher is None else launcher.index + 1
    while at < len(words):
        rest = words[at:]
        skipped = command_start(rest)
        if skipped:
            at += skipped
            continue
        if is_program(rest[0]):
            return rest[0]
        if launcher is None:
            return None
        at += 1
    return None


def is_program(word: str) -> bool:
    path = None if word.startswith("-") else shutil.which(word)
    return path is not None and os.path.isfile(path)
