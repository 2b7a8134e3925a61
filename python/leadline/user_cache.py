"""The user's cache, from which programs and libraries are run, so it is used only if nobody else can write there."""

from __future__ import annotations

import os
from pathlib import Path

from leadline import owners
from leadline.errors import MissingPrerequisite


def user_cache(*names: str) -> Path:
    """A folder of ours in XDG_CACHE_HOME, or in ~/.cache; it may not exist. Raises MissingPrerequisite if others can
    write what is there."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "leadline"
    for name in ("", *names):
        folder /= name
        refuse_if_others_write(folder)
    return folder


def refuse_if_others_write(path: Path) -> None:
    """Raises MissingPrerequisite if a file or folder that we run something from is not the user's or root's alone."""
    try:
        why = owners.link_of_others(path) or owners.who_else_writes(path.stat())
    except OSError:
        return  # it does not exist, and is made, or whoever uses it says why not
    if why:
        raise MissingPrerequisite(
            f"{path} is unsafe for executables: {why}",
            hint="set XDG_CACHE_HOME to a directory that you own",
        )
