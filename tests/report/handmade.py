"""A run built by hand, its profile summed in plain Python: what the report is checked against."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from leadline import _core

CATEGORIES = _core.CATEGORIES
BUILD_ID = "ab" * 20


@dataclass
class Calls:
    """One rank's calls at one site."""

    calls: int
    time_ns: float
    messages: int = 0
    sent: int = 0
    received: int = 0
    contributed: int = 0
    collected: int = 0
    max_ns: float = 0.0
    sizes: Counter[int] = field(default_factory=Counter)
    operations: int = 0
    put: int = 0
    got: int = 0


@dataclass
class HandmadeSite:
    function: str
    cls: str
    path: Sequence[str]  # "routine file:line", outermost first
    by_rank: dict[int, Calls]
    local: bool = False


class HandmadeProfile:
    """Has what Run and the report use of leadline._core.Profile, in as few and plain words as possible."""

    def __init__(self, sites: Sequence[HandmadeSite], ranks: Sequence[Any], edges: Sequence[Any], kinds: Any) -> None:
        self.sites_ = sites
        names = sorted({(site.function, site.cls) for site in sites})
        self.functions = [SimpleNamespace(name=name, cls=cls) for name, cls in names]
        self.modules = [SimpleNamespace(path="/opt/ocean", build_id=BUILD_ID)]
        self.regions: list[Any] = [None]  # number 0: none
        self.loops = SimpleNamespace(all=[SimpleNamespace(cells=(), outer=0)], main=0, lost_calls=0)  # number 0: none
        self.edges_ = edges
        self.processes = ranks
        self.frames_: dict[str, int] = {}
        for index, process in enumerate(ranks):
            mine = [(site, site.by_rank[index]) for site in sites if index in site.by_rank]
            process.total = _sum([calls for _, calls in mine])
            by_kind: dict[str, list[Calls]] = defaultdict(list)
            for site, calls in mine:
                by_kind["local" if site.local else kinds[site.cls]].append(calls)
            process.category_ns = [sum(c.time_ns for c in by_kind[name]) for name in CATEGORIES]
            process.category_calls = [sum(c.calls for c in by_kind[name]) for name in CATEGORIES]
            process.total.ends.collectives = process.category_calls[CATEGORIES.index("collective")]
            process.total.ends.posted = 1 << 40  # no message lacks its receive

    def pattern_finder(self) -> Any:
        return SimpleNamespace(add=lambda process, index: None, find=lambda paths, lines: [])

    def wait_finder(self) -> Any:
        imbalance = SimpleNamespace(found=False)
        nothing = SimpleNamespace(
            found=False, estimated=False, iterations=0, unseen=[], rows=[], path=[], path_steps=0, imbalance=imbalance
        )
        return SimpleNamespace(add=lambda process, index: None, find=lambda: nothing)

    def phase_finder(self) -> Any:
        nothing = SimpleNamespace(phases=[], iterations=0, recurring_known=True)
        return SimpleNamespace(add=lambda process, index: None, find=lambda paths: nothing)

    def iterations(self, loop: int = 0) -> Any:
        return SimpleNamespace(found=False, missing="none", loop=0)

    def frame(self, text: str) -> int:
        return self.frames_.setdefault(text, 0x1000 + 16 * len(self.frames_))

    def sites(self) -> list[tuple[int, bool, int]]:
        names = [function.name for function in self.functions]
        return [
            (names.index(s.function), s.local, context) for s, context in zip(self.sites_, self._tree()[1], strict=True)
        ]

    def contexts(self) -> list[tuple[int | None, int, int]]:
        return self._tree()[0]

    def _tree(self) -> tuple[list[tuple[int | None, int, int]], list[int]]:
        """All contexts, and that of each site. Paths that begin with main are whole."""
        contexts: list[tuple[int | None, int, int]] = [(0, 0, 0), (0, 0, 0)]
        ends = []
        for site in self.sites_:
            at = 1 if site.path and site.path[0].startswith("main ") else 0
            for text in site.path:
                one = (0, self.frame(text), at)
                at = contexts.index(one) if one in contexts else len(contexts)
                if at == len(contexts):
                    contexts.append(one)
            ends.append(at)
        return contexts, ends

    def edges(self) -> Sequence[Any]:
        return self.edges_

    def rows(self, groups: Sequence[Sequence[int]]) -> list[Any]:
        return [self._row([self.sites_[index] for index in group]) for group in groups]

    def _row(self, members: Sequence[HandmadeSite]) -> Any:
        each = [
            _sum([site.by_rank[index] for site in members if index in site.by_rank])
            for index in range(len(self.processes))
        ]
        worst = [max((s.by_rank[i].max_ns for s in members if i in s.by_rank), default=0.0) for i in range(len(each))]
        return SimpleNamespace(
            total=_sum(each),
            min_ns=100.0,
            max_ns=max(worst),
            max_ns_process=worst.index(max(worst)),
            processes=sum(calls.calls > 0 for calls in each),
            calls=_spread([c.calls for c in each]),
            messages=_spread([c.messages for c in each]),
            bytes=_spread([c.sent + c.contributed for c in each]),
            received=_spread([c.received + c.collected for c in each]),
            time_ns=_spread([c.time_ns for c in each]),
            hist=[0] * 40,
            sizes=_sizes([site for site in members if not site.cls.startswith("rma")]),
            operation_sizes=_sizes([site for site in members if site.cls.startswith("rma")]),
        )


def _sizes(members: Sequence[HandmadeSite]) -> Any:
    distinct: Counter[int] = Counter()
    for site in members:
        for calls in site.by_rank.values():
            distinct.update(calls.sizes)
    buckets, volume = [0] * 65, [0.0] * 65
    for size, messages in distinct.items():
        buckets[size.bit_length()] += messages
        volume[size.bit_length()] += size * messages
    return SimpleNamespace(messages=buckets, bytes=volume, distinct=dict(distinct), distinct_complete=True)


def _sum(parts: Sequence[Any]) -> Any:
    names = ("calls", "messages", "sent", "received", "contributed", "collected", "time_ns", "operations", "put", "got")
    ends = ("collectives", "refused", "cancelled_sends", "cancelled_receives", "posted", "taken")
    return SimpleNamespace(
        **{name: sum(getattr(part, name) for part in parts) for name in names},
        ends=SimpleNamespace(**dict.fromkeys(ends, 0)),
    )


def _spread(values: Sequence[float]) -> Any:
    low, high = min(values), max(values)
    return SimpleNamespace(
        min=low,
        median=statistics.median(values),
        max=high,
        min_process=values.index(low),
        max_process=values.index(high),
    )


def process_conditions(**more: Any) -> Any:
    """Unknown, as in traces of versions that did not record it, but for what is given."""
    given = {
        "known": bool(more),
        "processors": 8,
        "quota": 0.0,
        "allowed": [(0, 8)] if more else [],
        "threads": 1,
        "busy": 1,
        "cpu_ns": 0.0,
        "waited_ns": -1.0,
        "launcher_ranks": 0,
        "launcher_rank": -1,
        "launcher": "",
        "budget_files": 64 << 20,
        "budget_memory": 0,
        "budgets_given": 0,
    }
    given |= {"file_system": "", "remote": False, "live_kind": "run", "live_reason": ""}
    return SimpleNamespace(**(given | more))


def a_process(rank: int, size: int, **more: Any) -> Any:
    given = {
        "file": f"rank-{rank:05d}.trace",
        "rank": rank,
        "world_size": size,
        "world": 7,
        "host": "node0",
        "program": "/opt/ocean",
        "library": "Open MPI v5.0.11, package: Open MPI",
        "family": "openmpi",
        "pid": 100 + rank,
        "initialized": True,
        "initializing": False,
        "finalized": True,
        "complete": True,
        "start_unix_ns": 1_700_000_000_000_000_000,
        "duration_ns": 10e9,
        "own_overhead_ns": 1e6,
        "own_ns": 0.0,
        "file_bytes": 2_000,
        "losses": [],
        "threads": 1,
        "gap_ns": 0.0,
        "placed_polls": 0,
        "unplaced_polls": 0,
        "ends": [],
        "pauses": SimpleNamespace(count=0, sum_ns=0.0, calls=0, lasted=False, first=[]),
        "sampling": SimpleNamespace(rate=0, refused=0, error=0, taken=0, in_mpi=0, no_room=0, lost=0),
        "files_recorded": True,
        "files_ns": 0.0,
        "file_calls": _sum([]),
        "files": list,
        "variables": [],
        "settings": [],
        "conditions": process_conditions(),
    }
    return SimpleNamespace(**(given | more))


def an_edge(source: int, target: int, *, messages: int = 0, n_bytes: int = 0, **one_sided: int) -> Any:
    """one_sided: operations, put, got."""
    return SimpleNamespace(
        source=source,
        target=target,
        messages=messages,
        bytes=n_bytes,
        **{"operations": 0, "put": 0, "got": 0} | one_sided,
    )


KINDS = {
    "send": "point_to_point",
    "recv": "point_to_point",
    "init": "startup",
    "abort": "startup",
    "isend": "point_to_point",
    "irecv": "point_to_point",
    "wait": "completion",
    "coll": "collective",
    "rma": "one_sided",
    "file_io": "io",
    "posix_write": "io",
    "rma_sync": "one_sided",
    "local": "local",
}


def strips(ranks: Sequence[int]) -> tuple[list[HandmadeSite], list[Any]]:
    """One step of a halo exchange of strips, as in the paper: 51 tracers, 8 (advect) and 71 (diffuse) messages a side.

    ranks: how many neighbours each rank has.   Times: 1 us a send or receive, 100 us a wait in advect, 50 in diffuse.
    """
    sites = []
    for routine, line, times, size, wait_ns in (
        ("advect", 10, 51 * 8, 73_728, 1e5),
        ("diffuse", 20, 51 * 71, 1_024, 5e4),
    ):
        path = ["main ocean.cpp:5", f"{routine} ocean.cpp:{line}"]
        sends, receives, waits = {}, {}, {}
        for rank, neighbours in enumerate(ranks):
            n = times * neighbours
            sends[rank] = Calls(n, n * 1e3, n, n * size, max_ns=5e3, sizes=Counter({size: n}))
            receives[rank] = Calls(n, n * 1e3, received=n * size, max_ns=4e3)
            waits[rank] = Calls(2 * n, 2 * n * wait_ns, max_ns=1e6 * (rank + 1))
        sites += [
            HandmadeSite("MPI_Isend", "isend", [*path, "exchange halo.cpp:40"], sends),
            HandmadeSite("MPI_Irecv", "irecv", [*path, "exchange halo.cpp:41"], receives),
            HandmadeSite("MPI_Wait", "wait", [*path, "exchange halo.cpp:42"], waits),
        ]
    everyone = range(len(ranks))
    sites.append(
        HandmadeSite(
            "MPI_Allreduce",
            "coll",
            ["main ocean.cpp:6"],
            {rank: Calls(1, 1e6, contributed=8, collected=8, max_ns=1e6) for rank in everyone},
        )
    )
    sites.append(
        HandmadeSite("MPI_Init", "init", ["main ocean.cpp:3"], {rank: Calls(1, 1e8, max_ns=1e8) for rank in everyone})
    )
    sites.append(
        HandmadeSite("MPI_Comm_rank", "local", ["main ocean.cpp:4"], {r: Calls(3, 30.0) for r in everyone}, local=True)
    )
    edges = []
    for rank in everyone:
        for neighbour in (rank - 1, rank + 1):
            if 0 <= neighbour < len(ranks):
                edges.append(an_edge(rank, neighbour, messages=4029, n_bytes=408 * 73_728 + 3621 * 1_024))
    return sites, edges
