"""A timeline made by rule: in a ring, each rank sends to the next, receives, waits, reduces; one step writes files."""

from __future__ import annotations

import itertools
import random
from typing import Any

SITES = [
    ("MPI_Isend", "point_to_point", 41),
    ("MPI_Irecv", "point_to_point", 44),
    ("MPI_Waitall", "completion", 47),
    ("MPI_Allreduce", "collective", 12),
    ("write", "files", 60),
]
DURATIONS = (200, 150, 30_000, 20_000, 15_000)  # in units of 10 ns; the rest of a round is computation
ROUND = 150_000
UNIT_S = 1e-8
MOST_LANES = 48


def timeline_of(ranks: int, rounds: int = 3) -> dict[str, Any]:
    """A typical step, the slowest, and one with output, of the first ranks; `rounds` of exchanges in a step."""
    shown = min(ranks, MOST_LANES)
    return {
        "ranks": list(range(shown)),
        "ranks_why": None if shown == ranks else f"{shown} of {ranks:,} ranks: 0 (the first)",
        "median_s": rounds * ROUND * UNIT_S,
        "sites": [
            {
                "function": function,
                "category": category,
                "routine": "exchange",
                "file": "/home/me/ocean/src/halo.cpp",
                "line": line,
                "path": "step > exchange",
            }
            for function, category, line in SITES
        ],
        "steps": [
            _step(100, ["typical"], shown, rounds),
            _step(3_217, ["slowest"], shown, rounds, slow=2),
            _step(200, ["output"], shown, rounds, writes=True),
        ],
    }


def _step(
    number: int, kinds: list[str], ranks: int, rounds: int, *, slow: int = 1, writes: bool = False
) -> dict[str, Any]:
    calls = 5 if writes else 4
    noise = random.Random(number)
    marks: dict[str, list[int]] = {"by_rank": [], "site": [], "begin": [], "duration": [], "bytes": []}
    ends = []
    for rank in range(ranks):
        at = 0
        for turn in range(rounds):
            at = turn * ROUND * slow + 20_000 + 500 * (rank % 7)
            for site in range(calls):
                marks["site"].append(site)
                marks["begin"].append(at)
                took = DURATIONS[site] * slow + noise.randrange(DURATIONS[site])
                marks["duration"].append(took)
                marks["bytes"].append((9_216, 9_216, 0, 8, 4_096)[site])
                at += took + 1_000 + noise.randrange(400)
        marks["by_rank"].append(calls * rounds)
        ends.append(at)
    return {
        "iteration": number,
        "kinds": kinds,
        "mean_s": rounds * ROUND * slow * UNIT_S,
        "longest_s": max(ends) * UNIT_S,
        "longest_rank": 0,
        "start_s": 1.5,
        "unit_s": UNIT_S,
        "calls": len(marks["site"]),
        "lanes": {"from": [0] * ranks, "to": ends},
        "marks": marks,
        "waits": _waits(marks, ranks),
        "polled": [],
        "messages": _messages(marks, ranks, rounds, calls),
        "tiles": None,
    }


def _waits(marks: dict[str, list[int]], ranks: int) -> dict[str, Any]:
    """Each MPI_Waitall waits for the rank before it, half of its time."""
    rows = [row for row, site in enumerate(marks["site"]) if SITES[site][0] == "MPI_Waitall"]
    return {
        "mark": rows,
        "waited": [marks["duration"][row] // 2 for row in rows],
        "kind": ["late_sender"] * len(rows),
        "rank": [(row * ranks // len(marks["site"]) - 1) % ranks for row in rows],
    }


def _messages(marks: dict[str, list[int]], ranks: int, rounds: int, calls: int) -> dict[str, Any]:
    """From each rank's Isend to the next rank's Irecv; the Waitall after it completes the receive."""
    found: dict[str, list[int]] = {"send": [], "receive": [], "completion": [], "arrival": [], "bytes": []}
    for rank, turn in itertools.product(range(ranks), range(rounds)):
        receive = ((rank + 1) % ranks * rounds + turn) * calls + 1
        found["send"].append((rank * rounds + turn) * calls)
        found["receive"].append(receive)
        found["completion"].append(receive + 1)
        found["arrival"].append(marks["begin"][receive + 1] + marks["duration"][receive + 1])
        found["bytes"].append(9_216)
    return {**found, "elsewhere": 0}


def in_tiles(step: dict[str, Any], tiles: int = 200) -> dict[str, Any]:
    """The step as if its calls were too many: half of each tile in collectives, every tenth one in waiting too."""
    lanes = len(step["marks"]["by_rank"])
    share = [(16, 8 if tile % 10 == 0 else 0) for _ in range(lanes) for tile in range(tiles)]
    return {
        **step,
        "calls": 1_234_567,
        "messages": None,
        "waits": None,
        "tiles": {
            "tiles": tiles,
            "levels": 31,
            "categories": ["collective", "completion"],
            "share": [level for pair in share for level in pair],
            "waiting": [8 if tile % 10 == 0 else 0 for _ in range(lanes) for tile in range(tiles)],
        },
    }
