"""Handmade runs that have one finding each, just as much of it as the test says."""

from __future__ import annotations

import mmap
import os
from collections import Counter
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from leadline.figures import unfinished

from .handmade import Calls, HandmadeSite, a_process, an_edge, process_conditions

MakeRun = Callable[..., Any]
Expected = dict[str, Any] | None  # some of the evidence; None: no finding
# Ranks live for 10 s if nothing else is said: four of them for 40 s.
RANK_S, RUN_S = 10.0, 40.0


def a_site(function: str, cls: str, times_s: list[float], calls: int = 1, **more: Any) -> HandmadeSite:
    by_rank = {rank: Calls(calls, time_s * 1e9, **more) for rank, time_s in enumerate(times_s)}
    return HandmadeSite(function, cls, ["main ocean.cpp:5", "exchange halo.cpp:40"], by_rank)


def ranks(number: int = 4, **more: Any) -> list[Any]:
    return [a_process(rank, number, **more) for rank in range(number)]


def placed(number: int = 4, **place: Any) -> list[Any]:
    return ranks(number, conditions=process_conditions(**place))


def barrier() -> HandmadeSite:
    return a_site("MPI_Barrier", "coll", [1e-6] * 4)


def computing(make_run: MakeRun, seconds: list[float], mpi_s: float = 0.0) -> Any:
    processes = [a_process(rank, 4, duration_ns=(each + mpi_s) * 1e9) for rank, each in enumerate(seconds)]
    return make_run([a_site("MPI_Barrier", "coll", [mpi_s] * 4)], processes, [])


def longest(make_run: MakeRun, mean_s: float, longest_s: float) -> Any:
    return make_run([a_site("MPI_Wait", "wait", [100 * mean_s] * 4, 100, max_ns=longest_s * 1e9)], ranks(), [])


def receiving(make_run: MakeRun, n_bytes: list[int]) -> Any:
    """Each rank from its right neighbour."""
    number = len(n_bytes)
    edges = [an_edge((rank + 1) % number, rank, messages=1, n_bytes=each) for rank, each in enumerate(n_bytes)]
    return make_run([a_site("MPI_Isend", "isend", [0.0] * number, messages=1)], ranks(number), edges)


def sending(make_run: MakeRun, sizes: Counter[int]) -> Any:
    calls = Calls(sizes.total(), 1e3, sizes.total(), sum(size * n for size, n in sizes.items()), sizes=sizes)
    site = HandmadeSite("MPI_Isend", "isend", ["main ocean.cpp:5"], {0: calls})
    return make_run([site], ranks(), [an_edge(0, 1, messages=calls.messages, n_bytes=calls.sent)])


def a_layer(time_s: float = 0.0, bytes_read: int = 0) -> list[float]:
    """opens, closes, reads, writes, others, bytes read and written, ns; sequential, strided, random."""
    return [0, 0, 1, 0, 0, bytes_read, 0, time_s * 1e9, 0, 0, 0]


NO_CALLS = [0.0] * 11


def reading(make_run: MakeRun, per_rank: list[tuple[list[float], list[float], int]], size: int = 500_000) -> Any:
    """per_rank: calls within the ranks' time, calls outside of it, distinct bytes read."""
    processes = []
    for rank, (within, outside, read) in enumerate(per_rank):
        file = ("/data/forcing.nc", False, False, False, False, size, [within, outside, NO_CALLS, NO_CALLS], read, 0)
        processes.append(a_process(rank, len(per_rank), files=lambda file=file: [file]))
    return make_run([barrier()], processes, [])


def handing_out(make_run: MakeRun, asking_s: float, to_others: int = 0) -> Any:
    """Rank 0 hands out 100 tasks to each of the others, which ask for so long in the 10 s."""
    takes = HandmadeSite("MPI_Recv", "recv", ["main tasks.cpp:5"], {0: Calls(300, 9e9)})
    asks = HandmadeSite("MPI_Send", "send", ["main tasks.cpp:9"], {w: Calls(100, asking_s * 1e9) for w in (1, 2, 3)})
    edges = [an_edge(*pair, messages=100) for w in (1, 2, 3) for pair in ((0, w), (w, 0))]
    edges += [an_edge(1, 2, messages=to_others)] if to_others else []
    run = make_run([takes, asks], ranks(), edges)
    pattern = SimpleNamespace(
        name="wildcard_receive", sites=[0], files=[], in_main_loop=False, ranks=1, messages=300, bytes=0, time_ns=9e9,
        evidence=[("receives", 300), ("from_anyone", 300)],
    )  # fmt: skip
    run.profile.pattern_finder = lambda: SimpleNamespace(
        add=lambda process, index: None, find=lambda paths, lines: [pattern]
    )
    return run


def iterating(make_run: MakeRun, longest_s: float, typical_s: float = 1.0) -> Any:
    run = make_run([barrier()], ranks(), [])
    outlier = SimpleNamespace(
        iteration=3217, process=2, time_ns=longest_s * 1e9, typical_ns=typical_s * 1e9, computation_ns=0.0
    )
    found = SimpleNamespace(found=True, loop=0, site=0, outliers=[outlier], after=False)
    run.profile.iterations = lambda loop=0: found
    return run


def waiting(
    make_run: MakeRun,
    waited_s: float,
    causes: Sequence[tuple[int, str, float]] = (),
    function: str = "MPI_Wait",
    kind: str = "late_sender",
) -> Any:
    """Rank 1 waits at the only call site, because rank 2 computes, or for these (rank, doing, share)."""
    run = make_run([a_site(function, "wait", [1.0] * 4)], ranks(), [])
    given = [
        SimpleNamespace(process=process, site=0, doing=doing, share=share)
        for process, doing, share in causes or [(2, "computation", 0.9)]
    ]
    row = SimpleNamespace(kind=kind, site=0, process=1, ns=waited_s * 1e9, error_ns=0.0, causes=given)
    found = run.profile.wait_finder().find()
    found.found, found.rows = True, [row]
    run.profile.wait_finder = lambda: SimpleNamespace(add=lambda process, index: None, find=lambda: found)
    return run


def uneven_in_steps(make_run: MakeRun, lost_ms: float, **parts: float) -> Any:
    """Rank 3 computes 1.5 times as long as the mean, in 100 steps of 10 ms."""
    run = make_run([barrier()], ranks(), [])
    nothing = dict.fromkeys(("fixed_ns", "wandering_ns", "changing_ns", "noise_ns", "rare_ns", "between_hosts"), 0.0)
    nothing |= {"computation_ns": 5e6, "rare_steps": 0, "rare_period": 0}
    found = run.profile.wait_finder().find()
    found.imbalance = SimpleNamespace(found=True, lost_ns=lost_ms * 1e6, slowest=[(3, 1.5)], **{**nothing, **parts})
    run.profile.wait_finder = lambda: SimpleNamespace(add=lambda process, index: None, find=lambda: found)
    steps = SimpleNamespace(found=True, loop=0, site=0, outliers=[], after=False, mean_ns=1e7, count=100)
    run.profile.iterations = lambda loop=0: steps
    return run


def patterned(
    make_run: MakeRun, name: str, time_s: float, sites: list[HandmadeSite] | None = None, **evidence: Any
) -> Any:
    sites = sites or [a_site("MPI_Isend", "isend", [1.0] * 4, messages=10)]
    return with_patterns(make_run, (name, sites, evidence), time_s=time_s)


def with_patterns(
    make_run: MakeRun, *found: tuple[str, list[HandmadeSite], dict[str, Any]], time_s: float | None = None
) -> Any:
    """A run with patterns: of each its name, its call sites and its evidence.   time_s: of each; else that of its
    calls."""
    sites: list[HandmadeSite] = []
    patterns = []
    for name, own, evidence in found:
        calls_ns = sum(calls.time_ns for site in own for calls in site.by_rank.values())
        patterns.append(
            SimpleNamespace(
                name=name,
                sites=list(range(len(sites), len(sites) + len(own))),
                files=[],
                in_main_loop=False,
                ranks=4,
                messages=40,
                bytes=320,
                time_ns=time_s * 1e9 if time_s is not None else calls_ns,
                evidence=[*([("root", 2)] if name == "all_to_one" else []), *evidence.items()],
            )
        )
        sites += own
    run = make_run(sites, ranks(), [])
    run.profile.pattern_finder = lambda: SimpleNamespace(
        add=lambda process, index: None, find=lambda paths, lines: patterns
    )
    return run


def starting(make_run: MakeRun, startup_s: float) -> Any:
    sites = [a_site("MPI_Init", "init", [startup_s / 4] * 4), a_site("MPI_Wait", "wait", [1.0] * 4)]
    return make_run(sites, ranks(), [])


def losing(make_run: MakeRun, code: str) -> Any:
    loss = SimpleNamespace(code=code, amount=250, message=code)
    return make_run([barrier()], ranks(losses=[loss]), [])


def launched(make_run: MakeRun, number: int) -> Any:
    places = [process_conditions(launcher_ranks=2, launcher_rank=rank, launcher="PMI_SIZE") for rank in range(number)]
    return make_run([barrier()], [a_process(0, 1, pid=n, conditions=place) for n, place in enumerate(places)], [])


def paused(make_run: MakeRun, count: int) -> Any:
    pauses = SimpleNamespace(count=count, sum_ns=1.5e9 * count, calls=7, lasted=False, first=[(1e9, 2.5e9)] * count)
    processes = [a_process(0, 4, pauses=pauses), *ranks()[1:]]
    return make_run([barrier()], processes, [])


def failed_in_init(make_run: MakeRun, variable: str, family: str) -> Any:
    places = [process_conditions(launcher_ranks=2, launcher_rank=rank, launcher=variable) for rank in range(2)]
    state = {"initialized": False, "initializing": True, "finalized": False, "complete": False, "library": ""}
    processes = [a_process(n, 2, family=family, conditions=place, **state) for n, place in enumerate(places)]
    return make_run([], processes, [])


def ended_by(make_run: MakeRun, **description: Any) -> Any:
    """One rank did not come to its end."""
    run = make_run([barrier()], [*ranks()[:3], a_process(3, 4, complete=False, finalized=False)], [])
    run.description.update(description)
    return run


def aborting(make_run: MakeRun, callers: list[int], **description: Any) -> Any:
    """Some ranks called MPI_Abort; one of them closed its trace, the others were killed."""
    call = HandmadeSite("MPI_Abort", "abort", ["check ocean/state.cpp:9"], dict.fromkeys(callers, Calls(1, 0.0)))
    processes = [a_process(rank, 4, complete=rank == callers[0], finalized=False) for rank in range(4)]
    run = make_run([barrier(), call], processes, [])
    run.description.update({"exit_code": 9, **description})
    return run


def delivering(make_run: MakeRun, messages: int = 3, **ends: int) -> Any:
    """Rank 0 sends so many messages to rank 1, whose calls ended like this."""
    sites = [
        a_site("MPI_Send", "send", [1e-3, 0.0, 0.0, 0.0], messages),
        a_site("MPI_Recv", "recv", [0.0, 1e-3, 0.0, 0.0], messages),
    ]
    run = make_run(sites, ranks(), [an_edge(0, 1, messages=messages, n_bytes=8 * messages)])
    vars(run.profile.processes[1].total.ends).update({"posted": messages, "taken": messages, **ends})
    rows = run.profile.rows

    def with_refused(groups: Any) -> list[Any]:
        found: list[Any] = rows(groups)
        for row in found[1:2]:
            row.total.ends.refused = ends.get("refused", 0)
        return found

    run.profile.rows = with_refused
    return run


def ended_within(make_run: MakeRun, *, complete: bool, **description: Any) -> Any:
    """Rank 2 ended in MPI_Send: it closed its trace, or was killed there."""
    send = HandmadeSite("MPI_Send", "send", ["main ocean.cpp:5", "exchange ocean/halo.cpp:41"], {2: Calls(1, 1e3)})
    processes = ranks()
    processes[2] = a_process(2, 4, complete=complete, finalized=False)
    run = make_run([barrier(), send], processes, [])
    (function,) = [n for n, each in enumerate(run.profile.functions) if each.name == "MPI_Send"]
    processes[2].ends = [(0.0, True, function, 1, 5e9)]
    run.description.update({"exit_code": 15, **description})
    run.stops = []
    return run


def in_a_job(*, ended_s: int, limit_s: int) -> dict[str, Any]:
    """The description of a run whose ranks were ended, by the batch system's clock, at or before the job's limit."""
    begin_s = 1_700_000_000
    batch = {"system": "slurm", "id": "7", "end_time": str(begin_s + limit_s)}
    return {"job": {"batch": batch}, "end_unix_ns": (begin_s + ended_s) * 10**9}


def going_on(make_run: MakeRun) -> Any:
    """Rank 0 still runs: it is this process, which has its live memory mapped."""
    name = f"{os.uname().nodename[:64]}-{os.getpid()}.live"
    run = make_run([barrier()], [a_process(0, 4, complete=False, finalized=False, file=name), *ranks()[1:]], [])
    (run.path / name).write_bytes(b"live")
    with (run.path / name).open("rb") as file:
        run.mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return run


def with_others(make_run: MakeRun, names: tuple[str, ...]) -> Any:
    run = make_run([barrier()], ranks(), [])
    run.others = tuple(run.path / name for name in names)
    return run


def stopped(make_run: MakeRun, since_s: float, until_s: float) -> Any:
    """The first rank sat in a call when the run ended; the test sees to it that this is known."""
    run = make_run([barrier()], ranks(complete=False), [])
    run.profile.time = lambda: SimpleNamespace(error_ns=-1.0)
    run.stops = [unfinished.Stop("0", "node0", "MPI_Recv", "", 1.0, since_s, until_s, unfinished.EXACT)]
    return run
