"""The runs beneath some folders, without following links: others can make those."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from leadline.run_directory import JOB

TRACES = (".trace", ".traces", ".live", ".away")


@dataclass(frozen=True)
class Place:
    """A directory with one job's traces. stamp: changes when a trace is added or written again; ns of the newest.

    user: number of its owner.   n_bytes: of all files in it.
    """

    path: Path
    stamp: int
    user: int
    n_bytes: int


@dataclass
class Found:
    """refused: folders that could not be listed, with the system's reason."""

    places: list[Place] = field(default_factory=list)
    refused: dict[Path, str] = field(default_factory=dict)


def runs_beneath(folders: list[Path]) -> Found:
    """Every run in the folders and in theirs, in the order of their paths; each once."""
    found: dict[Path, Place] = {}
    result = Found()

    def refuse(error: OSError) -> None:
        result.refused[Path(error.filename)] = error.strerror or str(error)

    for folder in folders:
        for path, _, names in os.walk(folder.absolute(), onerror=refuse):
            if any(name.endswith(TRACES) for name in names):
                place = _place(Path(path), names)
                if place is not None:
                    found[place.path] = place
    result.places = [found[path] for path in sorted(found)]
    return result


def _place(path: Path, names: list[str]) -> Place | None:
    """None if it was removed meanwhile."""
    newest = n_bytes = 0
    try:
        owner = path.stat().st_uid
        for status in _statuses(path, names):
            newest = max(newest, status.st_mtime_ns)
            n_bytes += status.st_size
    except OSError:
        return None
    return Place(path, newest, owner, n_bytes)


def _statuses(path: Path, names: list[str]) -> Iterator[os.stat_result]:
    for name in names:
        # What reading adds to a run does not make it another one.
        if name.endswith(TRACES) or name in (JOB, "run.json"):
            yield (path / name).lstat()
