"""Report objects made by rule, in the shape of docs/read/report.md, for as many ranks as wanted."""

from __future__ import annotations

import copy
import math
from typing import Any

from leadline.report.sections import listed

from .synthetic_timeline import timeline_of

STEP_S = 0.01
SLOW = {"iteration": 3217, "rank": 5, "time_s": 0.1003, "typical_s": 0.01, "longest_computation_s": 0.09}


def report_of(ranks: int) -> dict[str, Any]:
    """A halo exchange in a ring of `ranks`, rank 0 computing half as long again, with every optional part."""
    sites = [
        _site("MPI_Isend", "isend", "halo.cpp", 41, ranks, calls=10_000, time_s=0.02, messages=10_000, size=9_216),
        _site("MPI_Irecv", "irecv", "halo.cpp", 44, ranks, calls=10_000, time_s=0.01, messages=0, size=9_216),
        _site("MPI_Waitall", "waitall", "halo.cpp", 47, ranks, calls=5_000, time_s=3.25, messages=0, size=0),
        _site("MPI_Allreduce", "coll", "solve.cpp", 12, ranks, calls=5_000, time_s=1.5, messages=0, size=8),
        _site("MPI_Init", "init", "main.cpp", 9, ranks, calls=1, time_s=0.2, messages=0, size=0),
    ]
    sites.sort(key=lambda site: -site["time_s"])
    detail = [_rank(rank, ranks) for rank in range(ranks)]
    mpi_s = sum(rank["mpi_s"] for rank in detail)
    computation_s = sum(rank["computation_s"] for rank in detail)
    for site in sites:
        site["share"] = site["time_s"] / (mpi_s + computation_s)
    functions = [{key: site[key] for key in site if key not in _PLACE} for site in sites]
    routine = {key: functions[0][key] for key in functions[0] if key not in ("function", "class")}
    sentences = [
        "9.0 % of the time is MPI; 5.9 % in step > exchange, mostly in MPI_Waitall.",
        f"{2 * 5_000 * ranks:,} messages between {ranks} ranks.",
    ]
    report = {
        "schema": "leadline.report/2",
        "leadline": "0.1.0",
        "run": "leadline-runs/ocean-1",
        "command": ["mpiexec", "-n", str(ranks), "./ocean", "--grid", "400x300"],
        "start": "2026-11-22T01:02:03+0000",
        "exit_code": 0,
        "program": "/home/me/ocean/ocean --grid 400x300",
        "programs": [{"name": "ocean", "path": "/home/me/ocean/ocean", "arguments": ["--grid", "400x300"]}],
        "ranks": ranks,
        "ranks_recorded": ranks,
        "worlds": 1,
        "hosts": [f"node{i:04d}" for i in range(math.ceil(ranks / 128))],
        "library": "Open MPI v5.0.11, package: Open MPI",
        "family": "openmpi",
        "complete": True,
        "duration_s": 60.0,
        "command_duration_s": 61.5,
        "verdict": " ".join(sentences),
        "verdict_sentences": sentences,
        "mpi_share": mpi_s / (mpi_s + computation_s),
        "time_s": mpi_s + computation_s,
        "startup_s": 0.0,
        "time_of": "ranks",
        "time_parts": [
            {"kind": "computation", "name": "computation", "time_s": computation_s, "share": 0.91},
            {"kind": "waiting", "name": "waiting", "time_s": mpi_s * 0.75, "share": 0.0675},
            {"kind": "transfer", "name": "transfer", "time_s": mpi_s * 0.25, "share": 0.0225},
            {"kind": "startup", "name": "start-up", "time_s": 0.25 * ranks, "share": None},
        ],
        "conditions": [],
        "hosts_detail": [],
        "mpi_s": mpi_s,
        "computation_s": computation_s,
        "totals": {
            "calls": sum(site["calls"] for site in sites),
            "messages": 10_000 * ranks,
            "message_bytes": 10_000 * ranks * 9_216,
            "collective_calls": 5_000 * ranks,
            "collective_bytes": 40_000 * ranks,
            "collective_bytes_received": 40_000 * ranks,
            "local_calls": 0,
        },
        "losses": [],
        "not_recorded": [{"what": "time before MPI_Init", "why": "a rank's time begins with it"}],
        "functions": functions,
        "sites": sites,
        "places": [
            {
                **{k: v for k, v in site.items() if k not in ("frames", "path_whole")},
                "path": _ROUTINES,
                "sites": [index],
            }
            for index, site in enumerate(sites)
        ],
        "routines": [
            {**routine, "routine": name, "full": f"ocean::{name}", "at_least": name == "main"} for name in _ROUTINES
        ],
        "call_tree": [
            {
                "id": depth + 1,
                "parent": depth or None,
                "routine": name,
                "full": f"ocean::{name}",
                "time_s": 3.0 * ranks,
                "share": 0.3,
                "own_s": 3.0 * ranks if name == _ROUTINES[-1] else 0.0,
                "own_share": 0.3 if name == _ROUTINES[-1] else 0.0,
                "function": "MPI_Wait" if name == _ROUTINES[-1] else None,
                "calls": 100 * ranks,
                "messages": 10 * ranks,
                "bytes": 1_000 * ranks,
            }
            for depth, name in enumerate(_ROUTINES)
        ],
        "call_tree_left_out": 0,
        "call_paths": [{**routine, "path": "step > exchange"}],
        "ranks_detail": detail,
        "size_histogram": [
            {"from": 0, "to": 1, "messages": ranks, "bytes": 0},
            {"from": 8_192, "to": 16_384, "messages": 9_999 * ranks, "bytes": 10_000 * ranks * 9_216},
        ],
        "matrix": [
            {"source": rank, "target": (rank + step) % ranks, "messages": 5_000, "bytes": 5_000 * 9_216}
            for rank in range(ranks)
            for step in ((1, ranks - 1) if ranks > 2 else (1,) if ranks > 1 else ())
        ],
        "sizes": [{"bytes": 0, "messages": ranks}, {"bytes": 9_216, "messages": 9_999 * ranks}],
        "collectives": [],
        "collective_classes": [
            {
                "class": "all_to_all",
                "title": "all to all",
                "functions": ["MPI_Allreduce"],
                "calls": 9_000 * ranks,
                "bytes_each": 8.0,
                "bytes_received_each": 8.0,
                "ranks": ranks,
                "time_s": 0.5 * ranks,
                "share": 0.05,
                "wait_s": None,
            }
        ],
        "samples": {
            "rate": 97,
            "taken": 900 * ranks,
            "in_mpi": 100 * ranks,
            "time_s": 8.2 * ranks,
            "computation_s": 8.5 * ranks,
            "refused": 0,
            "reason": "",
            "lost": 0,
            "no_room": 0,
            "routines": [
                {
                    "routine": "flux",
                    "full": "hydro::flux(Grid const&)",
                    "file": "/src/hydro/flux.cpp",
                    "line": 77,
                    "samples": 600 * ranks,
                    "time_s": 6.2 * ranks,
                    "share": 0.6,
                    "ranks": ranks,
                    "most_s": 6.8,
                    "mean_s": 6.2,
                    "in_main_loop": 0.99,
                    "before": "MPI_Allreduce in solve hydro/solve.cpp:12",
                    "before_share": 0.8,
                }
            ],
        },
        "locals": [],
        "overhead": {"own_s": 0.001 * ranks, "per_call_ns": 33.3, "fraction": 1.7e-5},
        "trace": {"bytes": 2_000 * ranks, "shared_bytes": 900, "bytes_per_call": 0.07},
        "iterations": _iterations(),
        "timeline": timeline_of(ranks),
        "no_timeline": None,
        "io": _io(ranks),
        "regions": _regions(ranks),
        "loops": _loops(),
        "loops_left_out": 3,
        "loops_lost_calls": 0,
        "paused": [{"rank": 1, "times": 2, "seconds": 1.5, "calls_not_recorded": 77, "intervals": []}],
        "variables": [
            {
                "name": "unexpected_recvq_length",
                "description": "length of the unexpected message queue",
                "class": "level",
                "unit": "messages",
                "min": 0,
                "median": 3.5,
                "max": 1_234,
                "max_rank": 0,
                "ranks": ranks,
                "values": [{"rank": rank, "value": rank % 7} for rank in range(min(ranks, 64))],
            }
        ],
        "settings": [{"name": "OMPI_MCA_btl", "value": "self,vader"}],
        "findings": _findings(),
    }
    return with_sections(report)


def with_sections(report: dict[str, Any]) -> dict[str, Any]:
    """Adds `sections`, as to_json lists them."""
    return {**report, "sections": listed(report)}


def _findings() -> list[dict[str, Any]]:
    """One that the verdict begins with, and one each that the page lists as a warning and as a notice."""
    return [
        {
            "id": "cores-taken",
            "severity": "warning",
            "text": "The ranks waited 20 % of their time for a core.",
            "evidence": {"waited_share": 0.2},
            "threshold": {"waited_share": {"at_least": 0.1}},
            "section": "placement",
            "in_verdict": True,
        },
        {
            "id": "paused",
            "severity": "warning",
            "text": "Recording was paused on 1 rank for up to 1.50 s.",
            "evidence": {"ranks": 1, "longest_s": 1.5},
            "threshold": {"ranks": {"at_least": 1}},
            "section": "missing",
            "in_verdict": False,
        },
        {
            "id": "busiest-receiver",
            "severity": "notice",
            "text": "Rank 5 receives all of the message bytes.",
            "evidence": {"ranks": 8, "rank": 5, "times_median": None},
            "threshold": {"ranks": {"at_least": 4}, "times_median": {"at_least": 2}},
            "section": "matrix",
            "in_verdict": False,
        },
    ]


_ROUTINES = ["main", "step", "exchange"]
_PLACE = ("routine", "file", "line", "path", "frames", "path_whole")


def _site(
    function: str, cls: str, file: str, line: int, ranks: int, *, calls: int, time_s: float, messages: int, size: int
) -> dict[str, Any]:
    places = [("main", "main.cpp", 30), ("step", "main.cpp", 21), ("exchange", file, line)]
    return {
        "function": function,
        "routine": "exchange",
        "file": f"/home/me/ocean/src/{file}",
        "line": line,
        "path": [f"{name} ({at}:{number})" for name, at, number in places],
        "frames": [
            {
                "routine": name,
                "full": f"ocean::{name}",
                "file": f"/home/me/ocean/src/{at}",
                "line": number,
                "module": "/home/me/ocean/ocean",
            }
            for name, at, number in places
        ],
        "path_whole": True,
        "class": cls,
        "local": False,
        "calls": calls * ranks,
        "messages": messages * ranks,
        "bytes": size * calls * ranks,
        "bytes_received": 0 if cls == "isend" else size * calls * ranks,
        "time_s": time_s * ranks,
        "share": 0.0,
        "mean_s": time_s / calls,
        "min_s": time_s / calls / 10,
        "max_s": time_s / calls * 100 if calls > 1 else time_s,
        "max_s_rank": ranks - 1,
        "ranks": ranks,
        **_spread("calls", calls),
        **_spread("messages", messages),
        **_spread("bytes", size * calls),
        "time_min_s": time_s * 0.8,
        "time_median_s": time_s,
        "time_max_s": time_s * 1.4,
        "time_min_rank": 0,
        "time_max_rank": ranks - 1,
        "sizes": [{"bytes": size, "messages": messages * ranks}] if messages else [],
    }


def _spread(name: str, value: int) -> dict[str, Any]:
    figures = {f"{name}_{which}": value for which in ("min", "median", "max")}
    return {**figures, f"{name}_min_rank": 0, f"{name}_max_rank": 0}


def _rank(rank: int, ranks: int) -> dict[str, Any]:
    computation_s = 55.0 * (1.5 if rank == 0 else 1.0) * (1 + 0.04 * math.sin(rank / 17))
    kinds = ("startup", "point_to_point", "completion", "collective", "one_sided", "io", "setup", "local")
    by_kind = dict.fromkeys(kinds, 0.0)
    by_kind |= {"startup": 0.2, "point_to_point": 0.03, "completion": 3.0 + rank % 5, "collective": 1.5}
    return {
        "rank": rank,
        "host": f"node{rank // 128:04d}",
        "pid": 1_000 + rank,
        "threads": 1,
        "duration_s": 60.0,
        "computation_s": computation_s,
        "mpi_s": sum(by_kind.values()),
        "io_s": 0.4,
        "by_kind_s": by_kind,
        "calls": 30_001,
        "messages": 10_000,
        "bytes": 92_160_000,
        "bytes_received": 92_160_000,
        "collective_bytes": 40_000,
        "collective_bytes_received": 40_000,
        "own_s": 0.001,
        "trace_bytes": 2_000,
        "finalized": True,
        "complete": True,
    }


def _iterations() -> dict[str, Any]:
    strip = []
    for first in range(0, 5_000, 20):
        typical = STEP_S * (1 + 0.1 * math.sin(first / 300))
        slow = first <= SLOW["iteration"] < first + 20
        strip.append(
            {
                "first": first,
                "last": first + 19,
                "mean_s": typical,
                "min_s": typical * 0.9,
                "max_s": SLOW["time_s"] if slow else typical * 1.2,
                "max_rank": SLOW["rank"] if slow else 0,
                "max_iteration": SLOW["iteration"] if slow else first + 3,
            }
        )
    return {
        "site": {
            "function": "MPI_Allreduce",
            "routine": "step",
            "file": "/home/me/ocean/src/main.cpp",
            "line": 21,
            "ends_with_it": True,
        },
        "count": 5_000,
        "calls_per_iteration": 6.0,
        "mean_s": 0.0101,
        "min_s": 0.009,
        "max_s": SLOW["time_s"],
        "strip": strip,
        "outliers": [dict(SLOW)],
        "sampled": [0, 1, 2, 100],
        "kept": "sampled",
    }


def _io(ranks: int) -> dict[str, Any]:
    moved = {"calls": 16 * ranks, "bytes_read": 2**20 * ranks, "bytes_written": 4_096, "time_s": 0.4 * ranks}
    by_rank = [
        {
            "rank": rank,
            "opens": 1,
            "calls": 16,
            "bytes_read": 2**20,
            "bytes_written": 4_096 if rank == 0 else 0,
            "time_s": 0.4,
            "access": "sequential",
            "fraction_read": 1.0,
        }
        for rank in range(ranks)
    ]
    forcing = {
        "file": "/scratch/data/forcing.nc",
        "ranks": ranks,
        "opens": ranks,
        "reads": 15 * ranks,
        "writes": 1,
        "bytes_read": 2**20 * ranks,
        "bytes_written": 4_096,
        "time_s": 0.4 * ranks,
        "access": "sequential",
        "size_bytes": 2**20,
        "mpi_io": False,
        "by_rank": by_rank,
    }
    few = {"calls": 3, "bytes_read": 0, "bytes_written": 81_920, "time_s": 0.1}
    restart = {**forcing, **few, "file": "/scratch/out/restart.bin", "mpi_io": True, "access": "strided", "by_rank": []}
    return {
        **moved,
        "outside": {"calls": 2, "bytes_read": 100, "bytes_written": 0, "time_s": 1e-5},
        "files": [forcing, restart],
        "functions": [],
        "sites": [],
        "by_rank": [
            {"rank": e["rank"], "files": 1, **{k: e[k] for k in ("calls", "bytes_read", "bytes_written", "time_s")}}
            for e in by_rank
        ],
        "mpi_io": {
            **few,
            "beneath": dict(few),
            "files": [
                {
                    "file": restart["file"],
                    **few,
                    "view": True,
                    "access": "strided",
                    "beneath": {**few, "ranks": 1, "access": "sequential"},
                }
            ],
        },
        "not_seen": ["files opened by calls of the kernel that libc was not asked for"],
    }


def _loops() -> list[dict[str, Any]]:
    def loop(number: int, parent: int | None, routine: str, least: int, most: int, share: float) -> dict[str, Any]:
        return {
            "id": number,
            "parent": parent,
            "routine": routine,
            "file": "/src/ocean/step.f90",
            "line": 100 * number,
            "trips": 200 * most,
            "trips_of_all_ranks": 800 * most,
            "trips_per_parent": {"min": least, "median": most, "max": most},
            "trips_per_parent_at_least": number == 3,
            "variants": number,
            "at_least": number == 3,
            "calls": 4000,
            "time_s": 40 * share,
            "share": share,
            "main": number == 1,
        }

    return [loop(1, None, "main", 200, 200, 0.9), loop(2, 1, "solve", 7, 9, 0.5), loop(3, 1, "halo", 5, 5, 0.25)]


def _regions(ranks: int) -> list[dict[str, Any]]:
    outer = {
        "region": "step",
        "path": "step",
        "parent": None,
        "entries": 5_000 * ranks,
        "time_s": 50.0 * ranks,
        "mpi_s": 4.5 * ranks,
        "calls": 30_000 * ranks,
        "messages": 10_000 * ranks,
        "bytes": 92_160_000 * ranks,
        "time_min_s": 49.0,
        "time_max_s": 75.0,
        "max_rank": 0,
    }
    return [outer, {**outer, "region": "halo", "path": "step/halo", "parent": "step", "time_s": 5.0 * ranks}]


def without_optional_parts(report: dict[str, Any]) -> dict[str, Any]:
    """The report if nothing optional was recorded: null, never missing."""
    bare = copy.deepcopy(report)
    bare.update(
        dict.fromkeys(
            ("iterations", "timeline", "no_timeline", "io", "regions", "paused", "variables", "settings", "samples")
        )
    )
    bare["loops"] = []
    return with_sections(bare)
