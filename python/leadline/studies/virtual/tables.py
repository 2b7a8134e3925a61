"""Per-call tables of recorded runs, as TAU made them of the study's: calls and time of each function on each rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from leadline import _core
from leadline.figures.rank_times import rank_entry
from leadline.figures.run import Run
from leadline.profiles.profile import Profile, Row
from leadline.profiles.tau_columns import APPLICATION
from leadline.statistics.median import median

# Their time is that of starting and ending a job, which differs by seconds between launchers and is not of the steps.
LEFT_OUT = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")


def profile_of(run: Run) -> Profile:
    """Of one run, with APPLICATION for what is between the calls."""
    rows: list[Row] = []
    for rank, index in sorted(run.worlds[0].processes.items()):
        alone = _core.Profile()
        alone.add(run.trace(index))
        sites: dict[int, list[int]] = defaultdict(list)
        for site, (function, _, _) in enumerate(alone.sites()):
            sites[function].append(site)
        names = [alone.functions[function].name for function in sites]
        for name, counted in zip(names, alone.rows(list(sites.values())), strict=True):
            seconds = counted.total.time_ns * 1e-9
            if name not in LEFT_OUT and counted.total.calls:
                rows.append(Row(name, rank, float(counted.total.calls), seconds, seconds))
        entry = rank_entry(run, index)
        rows.append(Row(APPLICATION, rank, 1.0, entry.duration_s, entry.computation_s + entry.io_s))
    return Profile(str(run.path), "recorded", run.ranks, tuple(rows), tool="Leadline")


def whole_s(profile: Profile) -> float:
    """Of the rank that took longest, without the start and the end of MPI."""
    by: dict[int | None, float] = defaultdict(float)
    for row in profile.rows:
        by[row.rank] += row.exclusive_s
    return max(by.values())


def typical(profiles: Sequence[Profile]) -> Profile:
    """Each row's median over the repeats."""
    by: dict[tuple[str, int | None], list[Row]] = defaultdict(list)
    for profile in profiles:
        for row in profile.rows:
            by[row.function, row.rank].append(row)
    rows = tuple(
        Row(
            name,
            rank,
            median(row.calls for row in found),
            median(row.inclusive_s for row in found),
            median(row.exclusive_s for row in found),
        )
        for (name, rank), found in by.items()
    )
    return Profile(profiles[0].source, profiles[0].format, profiles[0].ranks, rows, tool=profiles[0].tool)


def rows_of(profile: Profile) -> list[dict[str, Any]]:
    """Of each function, the longest first: TAU's columns, and the spread of its time over the nodes."""
    whole_s = sum(row.exclusive_s for row in profile.rows)
    found = []
    for name in profile.functions:
        seconds = [row.exclusive_s for row in profile.rows if row.function == name]
        found.append(
            {
                "function": name,
                "calls": profile.calls(name),
                "seconds": sum(seconds),
                "share": sum(seconds) / whole_s if whole_s else 0.0,
                "us_per_call": None if name == APPLICATION else profile.us_per_call(name),
                "node_least_s": min(seconds),
                "node_most_s": max(seconds),
            }
        )
    return sorted(found, key=lambda row: -row["seconds"])
