"""The files by which a campaign and its jobs talk: below jobs/, a folder for each job.

`id`, `stop`, `ended` are of the job; NAME.task is a run that waits for it, NAME.taken one that it began, NAME.done one
that ended. A run is given and taken back by renaming its file, so it is taken once.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leadline import own_files

FOLDER = "jobs"
ID, STOP, ENDED, SCRIPT, LOG = "id", "stop", "ended", "job.sh", "log"
TASK, TAKEN, DONE, BACK = ".task", ".taken", ".done", ".back"


def write(file: Path, content: Any) -> None:
    """In one piece; for the user alone, because a run's variables are in it."""
    with own_files.replacing(file) as out:
        json.dump(content, out)
    file.chmod(0o600)


def of(folder: Path, group: str) -> list[Path]:
    """The folders of a group's jobs, the latest last."""
    found = [each for each in folder.glob("*.*") if each.name.rpartition(".")[0] == group]
    return sorted(found, key=lambda each: int(each.name.rpartition(".")[2]))


def moved(file: Path, to: Path) -> bool:
    try:
        file.rename(to)
    except FileNotFoundError:
        return False
    return True
