"""The place of the recorder library, and the variables that switch it on in a process."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from leadline.errors import MissingPrerequisite
from leadline.run_directory import SHARED, who_else_writes

FILE_NAME = "libleadline.so"
RUNS = "LEADLINE_RUNS"  # set: LEADLINE_DIR is the folder of several jobs' runs, each named for its job

OF_SITES = ("LEADLINE_OFF", "LEADLINE_ONE_IN")  # leave jobs out at sites that record without being asked


def library_path() -> Path:
    """The library to preload. LEADLINE_RECORDER names another one. It may not exist."""
    given = os.environ.get("LEADLINE_RECORDER")
    if given:
        return Path(given).absolute()
    return Path(__file__).resolve().parents[1] / "lib" / FILE_NAME


def require_library() -> Path:
    """Like library_path(); raises MissingPrerequisite if there is none, or if LD_PRELOAD could not name it."""
    path = library_path()
    if not path.is_file():
        raise MissingPrerequisite(
            f"recorder library not found: {path}",
            hint="build the source tree (./dev build) or reinstall Leadline",
        )
    if any(separator in str(path) for separator in " :"):
        raise MissingPrerequisite(
            f"the recorder's path contains a space or a colon: {path}",
            hint="LD_PRELOAD cannot handle that: install Leadline elsewhere",
        )
    return path


def variables(
    directory: Path,
    of_several: bool,
    settings: Mapping[str, str],
    inherited_preload: str | None,
    in_front: str = "",
) -> dict[str, str]:
    """The environment of a recorded process: ours first in LD_PRELOAD, whatever the user preloads after it.

    in_front: the one library that must come before ours (sanitizers.py); "": none. directory: absolute. of_several: it
    is the folder in which every job gets a directory of its own. settings: further LEADLINE_* variables for the
    recorder, such as LEADLINE_BUDGET.
    """
    return {
        "LD_PRELOAD": merged_preload(inherited_preload, in_front),
        "LEADLINE_DIR": str(directory),
        **({RUNS: "1"} if of_several else {}),
        **({SHARED: "1"} if _is_of_own_group(directory) else {}),
        **{name: "" for name in OF_SITES if os.environ.get(name)},
        **settings,
    }


def _is_of_own_group(directory: Path) -> bool:
    """Whether the group that can write it is the user's own, which the recorder could not find out."""
    try:
        status = directory.stat()
    except OSError:
        return False
    written_by_group = status.st_mode & stat.S_IWGRP and status.st_gid != status.st_uid
    return bool(written_by_group) and not who_else_writes(directory)


def merged_preload(theirs: str | None, in_front: str = "") -> str:
    ours = [word for word in (in_front, str(require_library())) if word]
    others = [word for word in (theirs or "").replace(":", " ").split() if word not in ours]
    return ":".join([*ours, *others])
