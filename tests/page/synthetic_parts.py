"""Parts of a report that only runs with waits, patterns or a main loop have."""

from __future__ import annotations

from typing import Any


def where(line: int) -> dict[str, Any]:
    return {"function": "MPI_Waitall", "routine": "ocean::Halo<double>::exchange", "file": "/o/halo.cpp", "line": line}


def part(rank: int) -> dict[str, Any]:
    return {"rank": rank, "doing": ("computation", "io", "mpi", "unknown")[rank % 4], "site": where(7), "share": 0.2}


def waits() -> list[dict[str, Any]]:
    return [
        {"kind": kind, "site": where(line), "rank": rank, "seconds": 0.5 / (1 + rank), "interval_s": None}
        | {"cause": [part(rank), part(rank + 1)]}
        for kind in ("late_sender", "wait_at_n_to_n")
        for line in (3, 4)
        for rank in range(9)
    ]


def patterns() -> list[dict[str, Any]]:
    found = {"pattern": "nearest_neighbour", "title": "nearest-neighbour exchange", "ranks": 4, "messages": 40}
    found |= {"sites": [where(3)], "routines": ["main", "step", "a", "exchange"], "files": [], "bytes": 4_000}
    found |= {"messages_per_step": 8.0, "bytes_per_step": 800.0, "time_s": 1.0, "share": 0.1}
    return [{**found, "evidence": {"dims": [2, 2], "periodic": [1, 0], "corners": False, "part": 0.25, "no": None}}]


def efficiency() -> dict[str, Any]:
    run = {"parallel": 0.5, "load_balance": 0.8, "communication": 0.625}
    return {"method": "POP", "run": run, "phases": [{"name": "main loop", "kind": "loop", **run}]}


def phases() -> list[dict[str, Any]]:
    phase = {"name": "main loop", "parent": None, "time_s": 2.0, "iterations": 5, "every": None, "period_s": 0.4}
    phase |= {"computation_s": 1.0, "mpi_s": 0.8, "wait_s": 0.3, "io_s": 0.2, "class": "computation"}
    return [phase | {"file": "/o/main.cpp", "line": 5}]
