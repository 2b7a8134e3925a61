"""Which runs of a folder are to go, and their removal: what Leadline wrote, and nothing else."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline import own_files
from leadline.site.discovery import Place

# All that recording and reading leave in a run's directory.
OURS = re.compile(
    r".*\.(traces?|live|away|structure)|(run|job|symbols)\.json|report\.(txt|json|html)|\.rank-\d+", re.ASCII
)
NS = 1_000_000_000
YOUNG_S = 24 * 3600.0
"""A run that was written to since then may still go on, and stays."""


@dataclass(frozen=True)
class Removed:
    """n_bytes: what is free now.   kept: runs that stay in part, and why."""

    runs: int
    n_bytes: int
    kept: dict[Path, str]


def due(places: Sequence[Place], *, older_than_s: float | None, most_bytes: float | None, now_s: float) -> list[Place]:
    """Oldest first: the runs that were written before that time, and then as many as make the rest fit."""
    by_age = sorted(places, key=lambda place: (place.stamp, place.path))
    by_age = [place for place in by_age if place.stamp < (now_s - YOUNG_S) * NS]
    chosen = []
    left = sum(place.n_bytes for place in places)
    for place in by_age:
        is_old = older_than_s is not None and place.stamp < (now_s - older_than_s) * NS
        if not is_old and (most_bytes is None or left <= most_bytes):
            break
        chosen.append(place)
        left -= place.n_bytes
    return chosen


def remove(places: Sequence[Place]) -> Removed:
    runs = n_bytes = 0
    kept: dict[Path, str] = {}
    for place in places:
        freed, why = _remove(place)
        n_bytes += freed
        if why:
            kept[place.path] = why
        else:
            runs += 1
    return Removed(runs, n_bytes, kept)


def _remove(place: Place) -> tuple[int, str]:
    """The bytes that are free, and why something is left; "" if nothing is. No link is followed."""
    freed = 0
    try:
        with own_files.Directory(place.path, follow=False) as opened:
            if opened.status().st_uid != place.user:
                return 0, "another directory has taken its place"
            names = opened.names()
            for name in names:
                status = opened.status_of(name)
                if status is None or not OURS.fullmatch(name):
                    continue
                opened.remove(name)
                freed += status.st_size
        others = [name for name in names if not OURS.fullmatch(name)]
        if others:
            return freed, f"it also holds {others[0]}" + (f" and {len(others) - 1} more" if len(others) > 1 else "")
        os.rmdir(place.path)
    except OSError as error:
        return freed, error.strerror or str(error)
    return freed, ""
