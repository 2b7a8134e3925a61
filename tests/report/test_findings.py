"""Every finding, computed by hand, just as it reaches its threshold and just before."""

from __future__ import annotations

import json
import math
import mmap
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures import unfinished
from leadline.figures.content import Content
from leadline.figures.iterations import Iterations
from leadline.figures.run import Loss
from leadline.findings import FAILS, RULES, Contradiction, findings_of
from leadline.findings.finding import Bound, Finding, at_least, at_most, more_than
from leadline.findings.rules import imbalance
from leadline.report import to_json
from leadline.report.sections.patterns import title_of

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
    run = make_run(sites, ranks(), [])
    pattern = SimpleNamespace(
        name=name,
        sites=list(range(len(sites))),
        files=[],
        in_main_loop=False,
        ranks=4,
        messages=40,
        bytes=320,
        time_ns=time_s * 1e9,
        evidence=[*([("root", 2)] if name == "all_to_one" else []), *evidence.items()],
    )
    run.profile.pattern_finder = lambda: SimpleNamespace(
        add=lambda process, index: None, find=lambda paths, lines: [pattern]
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


REMOTE = {"file_system": "nfs", "live_reason": "too-little-room"}
CASES: dict[str, list[tuple[Callable[[MakeRun], Any], Expected]]] = {
    "ranks-stopped": [
        (lambda make: stopped(make, 9.0, 10.0), {"ranks": 1, "silent_s": 1.0, "silent_share": 0.1}),
        (lambda make: stopped(make, 9.01, 10.0), None),  # 0.99 s
        (lambda make: stopped(make, 18.0, 20.0), {"longest_s": 2.0, "first_to_stop": None}),
        (lambda make: stopped(make, 18.1, 20.0), None),  # 9.5 % of its life
    ],
    "separate-processes": [
        (lambda make: launched(make, 2), {"processes": 2, "launched": 2, "launcher_variable": "PMI_SIZE"}),
        (lambda make: launched(make, 1), None),
        (lambda make: failed_in_init(make, "OMPI_COMM_WORLD_SIZE", "mpich"), {"processes": 2}),
        (lambda make: failed_in_init(make, "PMI_SIZE", "mpich"), None),
    ],
    "oversubscribed": [
        (
            lambda make: make([barrier()], placed(processors=2, allowed=[(0, 2)], waited_ns=2e8), []),
            {"threads_per_core": 2.0, "waited_share": 0.02, "hosts": 1},
        ),
        (lambda make: make([barrier()], placed(processors=2, allowed=[(0, 2)], waited_ns=1.9e8), []), None),
        (
            lambda make: make([barrier()], placed(processors=4, allowed=[(0, 4)], quota=3.9), []),
            {"threads_per_core": pytest.approx(4 / 3.9), "waited_share": None},
        ),
        (lambda make: make([barrier()], placed(processors=4, allowed=[(0, 4)], waited_ns=2e8), []), None),
    ],
    "cores-taken": [
        (lambda make: make([barrier()], placed(waited_ns=1e9), []), {"waited_share": 0.1}),
        (lambda make: make([barrier()], placed(waited_ns=0.99e9), []), None),
    ],
    "budget-spent": [
        (lambda make: losing(make, "order-lost"), {"ranks": 4, "calls_without_order": 1000, "parts_left_out": False}),
        (lambda make: losing(make, "over-budget"), {"ranks": 4, "calls_without_order": 0, "parts_left_out": True}),
        (lambda make: losing(make, "write-failed"), None),
    ],
    "still-running": [
        (going_on, {"ranks": 1}),
        (lambda make: ended_by(make), None),
    ],
    "interrupted": [
        (lambda make: ended_by(make, signals=["SIGTERM"], signalled_s=2.5), {"cause": "SIGTERM", "after_s": 2.5}),
        (lambda make: ended_by(make, exit_code=130, duration_s=3.5), {"cause": "SIGINT", "after_s": 3.5}),
        (lambda make: ended_by(make, exit_code=124, timed_out=True), {"cause": "timeout", "after_s": None}),
        (lambda make: ended_by(make, **in_a_job(ended_s=100, limit_s=100)), {"cause": "job-limit"}),
        (lambda make: ended_by(make, **in_a_job(ended_s=99, limit_s=100)), None),
        (lambda make: ended_by(make, exit_code=124), None),  # the program's own, as far as anybody knows
        (lambda make: ended_by(make, exit_code=139), None),  # it crashed
        (lambda make: ended_by(make, signals=["SIGUSR1"]), None),
        (lambda make: going_on(make), None),
    ],
    "aborted": [
        (
            lambda make: aborting(make, [1, 2]),
            {"rank": 1, "ranks": 2, "routine": "check", "place": "ocean/state.cpp:9", "exit_code": 9},
        ),
        (lambda make: aborting(make, [1], signals=["SIGTERM"]), None),  # which is said
        (lambda make: ended_by(make, exit_code=9), None),
    ],
    "live-memory-remote": [
        (lambda make: make([barrier()], placed(remote=True, **REMOTE), []), {"ranks": 4, "file_system": "nfs"}),
        (lambda make: make([barrier()], placed(remote=False, **REMOTE), []), None),
    ],
    "other-jobs": [
        (lambda make: with_others(make, ("second",)), {"jobs": 1}),
        (lambda make: with_others(make, ()), None),
    ],
    "incomplete": [
        (
            lambda make: make([barrier()], [*ranks()[:3], a_process(3, 4, complete=False)], []),
            {"ranks": 4, "ranks_recorded": 4, "traces_cut": 1},
        ),
        (lambda make: make([a_site("MPI_Barrier", "coll", [0.0] * 3)], ranks()[:3], []), {"ranks_recorded": 3}),
        (lambda make: make([barrier()], ranks(), []), None),
        (lambda make: ended_by(make, exit_code=139), {"traces_cut": 1}),
        (lambda make: ended_by(make, signals=["SIGINT"]), None),  # which is said
        (lambda make: aborting(make, [1, 2]), None),  # too
        (going_on, None),
    ],
    "paused": [
        (lambda make: paused(make, 1), {"ranks": 1, "longest_s": 1.5}),
        (lambda make: paused(make, 0), None),
    ],
    "slow-iteration": [
        (lambda make: iterating(make, 2.0), {"iteration": 3217, "rank": 2, "times_typical": 2.0}),
        (lambda make: iterating(make, 1.99), None),
        (lambda make: iterating(make, 0.111, 0.01), {"share": pytest.approx(0.0101)}),
        (lambda make: iterating(make, 0.109, 0.01), None),
    ],
    "costliest-site": [
        (
            lambda make: make([a_site("MPI_Wait", "wait", [0.101] * 4, 10)], ranks(), []),
            {"share": pytest.approx(0.404 / RUN_S), "calls": 40, "place": "ocean/halo.cpp:40", "routine": "exchange"},
        ),
        (lambda make: make([a_site("MPI_Wait", "wait", [0.099] * 4, 10)], ranks(), []), None),
        (lambda make: make([a_site("MPI_Init", "init", [1.0] * 4)], ranks(), []), None),
    ],
    "small-tasks": [
        (lambda make: handing_out(make, 5.01), {"manager": 0, "tasks": 300, "task_s": pytest.approx(14.97 / 300)}),
        (lambda make: handing_out(make, 4.99), None),
        (lambda make: handing_out(make, 5.01, to_others=1), None),
    ],
    "synchronous-sends": [
        (
            lambda make: waiting(make, 0.41, function="MPI_Ssend", kind="late_receiver"),
            {"routine": "exchange", "ranks": 1, "wait_s": pytest.approx(0.41)},
        ),
        (lambda make: waiting(make, 0.39, function="MPI_Ssend", kind="late_receiver"), None),
        (lambda make: waiting(make, 0.41, function="MPI_Send", kind="late_receiver"), None),
    ],
    "waiting": [
        (
            lambda make: waiting(make, 0.41),
            {
                "kind": "late_sender",
                "wait_s": pytest.approx(0.41),
                "share": pytest.approx(0.41 / RUN_S),
                "cause_rank": 2,
            },
        ),
        (lambda make: waiting(make, 0.39), None),
    ],
    "imbalance": [
        (lambda make: uneven_in_steps(make, 0.21, fixed_ns=2e5), {"kind": "fixed", "rank": 3, "lost_s": 0.084}),
        (lambda make: uneven_in_steps(make, 0.21, fixed_ns=2e5, between_hosts=0.9), {"kind": "host"}),
        (lambda make: uneven_in_steps(make, 0.21, wandering_ns=2e5), {"kind": "wandering"}),
        (lambda make: uneven_in_steps(make, 0.21, changing_ns=2e5), {"kind": "changing"}),
        (lambda make: uneven_in_steps(make, 0.21, noise_ns=2e5), {"kind": "noise"}),
        (lambda make: uneven_in_steps(make, 0.21, rare_ns=2e5, rare_steps=5, rare_period=20), {"kind": "rare"}),
        (lambda make: uneven_in_steps(make, 0.19, fixed_ns=2e5), None),
    ],
    "ended-by-error": [
        (
            lambda make: ended_within(make, complete=True),
            {"rank": 2, "ranks": 1, "function": "MPI_Send", "routine": "exchange", "place": "ocean/halo.cpp:41"},
        ),
        (lambda make: ended_within(make, complete=False), None),
        (lambda make: ended_within(make, complete=True, signals=["SIGTERM"]), None),
    ],
    "unseen-calls": [
        (lambda make: delivering(make, taken=4), {"messages": 1}),
        (lambda make: delivering(make, taken=3), None),
    ],
    "refused-calls": [
        (lambda make: delivering(make, refused=2), {"calls": 2, "calls_there": 2}),
        (delivering, None),
    ],
    "undelivered": [
        (lambda make: delivering(make, posted=2, taken=2), {"never_received": 1, "cancelled_receives": 0}),
        (lambda make: delivering(make, posted=4, cancelled_receives=1), {"never_received": 0, "cancelled_receives": 1}),
        (delivering, None),
    ],
    "pattern": [
        (lambda make: patterned(make, "all_to_one", 0.41), {"pattern": "all_to_one", "time_s": pytest.approx(0.41)}),
        (lambda make: patterned(make, "all_to_one", 0.39), None),
        (lambda make: patterned(make, "nearest_neighbour", 5.0), None),  # nothing is wrong with it
    ],
    "uneven-ranks": [
        (
            lambda make: computing(make, [10.0, 10.0, 11.1, 10.0]),
            {"rank": 2, "median_s": 10.0, "times_median": pytest.approx(1.11)},
        ),
        (lambda make: computing(make, [10.0, 10.0, 10.9, 10.0]), None),
        # Twice the median, of very little: 4 x 0.12 s of 40.3 s, and 4 x 0.08 s of 40.2 s.
        (lambda make: computing(make, [0.06, 0.06, 0.06, 0.12], RANK_S), {"share": pytest.approx(0.48 / 40.3)}),
        (lambda make: computing(make, [0.04, 0.04, 0.04, 0.08], RANK_S), None),
    ],
    "longest-call": [
        (
            lambda make: longest(make, 0.001, 0.0101),
            {"times_mean": pytest.approx(10.1), "share_of_run": pytest.approx(0.00101), "rank": 0},
        ),
        (lambda make: longest(make, 0.0012, 0.0119), None),  # 9.9 times the mean
        (lambda make: longest(make, 0.0001, 0.0099), None),  # 0.099 % of the run
    ],
    "busiest-receiver": [
        (
            lambda make: receiving(make, [100, 200, 100, 100]),
            {"rank": 1, "bytes": 200, "share": 0.4, "times_median": 2.0},
        ),
        (lambda make: receiving(make, [100, 199, 100, 100]), None),
        (lambda make: receiving(make, [100, 900, 100]), None),  # of three ranks
        (lambda make: receiving(make, [0, 900, 0, 0]), {"median_bytes": 0, "times_median": math.inf}),
        (lambda make: receiving(make, [0, 0, 0, 0]), None),
    ],
    "small-messages": [
        (
            lambda make: sending(make, Counter({4_095: 500, 8_192: 500})),
            {"from_bytes": 2_048, "below_bytes": 4_096, "share": 0.5, "messages_in_all": 1_000},
        ),
        (lambda make: sending(make, Counter({4_095: 499, 8_192: 501})), None),
        (lambda make: sending(make, Counter({4_095: 499, 8_192: 303, 16_384: 198})), None),  # the most, but not half
        (lambda make: sending(make, Counter({4_096: 1_000})), None),
        (lambda make: sending(make, Counter({4_095: 999})), None),
    ],
    "file-time": [
        (
            lambda make: reading(make, [(a_layer(0.101), a_layer(5.0), 0)] * 4),
            {"file": "/data/forcing.nc", "share": pytest.approx(0.404 / RUN_S)},
        ),
        (lambda make: reading(make, [(a_layer(0.099), a_layer(5.0), 0)] * 4), None),
    ],
    "file-read-by-all": [
        (
            lambda make: reading(
                make, [(a_layer(0.0, 500_000), NO_CALLS, 495_000)] * 2 + [(NO_CALLS, NO_CALLS, 0)] * 2
            ),
            {"ranks": 2, "bytes_read": 1_000_000, "size_bytes": 500_000},
        ),
        (lambda make: reading(make, [(a_layer(0.0, 500_000), NO_CALLS, 494_999)] * 4), None),  # less than 99 %
        (lambda make: reading(make, [(a_layer(0.0, 499_999), NO_CALLS, 499_999)] * 2), None),  # less than 1 MB
        (lambda make: reading(make, [(a_layer(0.0, 5_000_000), NO_CALLS, 500_000)]), None),  # by one rank
    ],
    "startup": [
        # Besides start-up, each rank waits for 1 s: 4 s of the other 29.96 s.
        (
            lambda make: starting(make, 10.04),
            {"share": pytest.approx(0.251), "mpi_share_of_rest": pytest.approx(4 / 29.96)},
        ),
        (lambda make: starting(make, 9.96), None),
    ],
}


@pytest.mark.parametrize(
    ("rule", "build", "expected"),
    [
        pytest.param(rule, build, expected, id=f"{rule}-{number}")
        for rule, cases in CASES.items()
        for number, (build, expected) in enumerate(cases)
    ],
)
def test_a_finding_is_made_at_its_threshold_and_not_before(
    rule: str, build: Callable[[MakeRun], Any], expected: Expected, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = build(make_run)
    if hasattr(run, "stops"):
        monkeypatch.setattr(unfinished, "stops", lambda run: run.stops)
    found = {finding.id: finding for finding in findings_of(Content(run))}
    if expected is None:
        assert rule not in found
        return
    evidence = found[rule].evidence
    assert {name: evidence[name] for name in expected} == expected
    assert found[rule].text.endswith(".")


@pytest.mark.parametrize(
    ("name", "evidence", "title", "words", "help_words"),
    [
        (
            "all_to_one",
            {"one_sided": "gets"},
            "one rank gets from all",
            "all ranks' data is collected on one rank by gets",
            "MPI_Gather",
        ),
        (
            "allreduce_bound",
            {"share_of_loop": 0.9, "allreduces": 10},
            "allreduce-bound loop",
            "small allreduces dominate a loop",
            "Overlap it with computation",
        ),
        (
            "packable_messages",
            {"together": 3, "assumes": "nothing", "one_sided": "puts"},
            "puts that could be combined",
            "3 consecutive puts to the same target could be combined",
            "into one operation",
        ),
    ],
)
def test_patterns_are_named_by_what_they_are_made_of(
    name: str, evidence: dict[str, Any], title: str, words: str, help_words: str, make_run: MakeRun
) -> None:
    content = Content(patterned(make_run, name, 5.0, **evidence))
    finding = {finding.id: finding for finding in findings_of(content)}["pattern"]
    assert words in finding.text
    assert help_words in finding.help
    assert title_of(content.patterns[0]) == title


def test_messages_of_a_loop_are_a_bound_where_steps_may_go_unseen(make_run: MakeRun) -> None:
    loop = {"loop_routine": "step", "loop_file": "step.c", "loop_line": 9}
    evidence = {"together": 18, "assumes": "independent trips", **loop}
    for bound, words in ({}, "sends each partner 18 messages"), ({"together_at_most": True}, "up to 18 messages"):
        content = Content(patterned(make_run, "packable_messages", 9.0, **evidence, **bound))
        assert words in next(finding.text for finding in findings_of(content) if finding.id == "pattern")


def test_what_is_lost_at_fences_is_not_gained_by_packing_puts(make_run: MakeRun) -> None:
    sites = [a_site("MPI_Put", "rma", [1.0] * 4), a_site("MPI_Win_fence", "rma_sync", [5.0] * 4)]
    evidence = {"together": 4, "assumes": "nothing", "one_sided": "puts"}
    content = Content(patterned(make_run, "packable_messages", 24.0, sites, **evidence))
    finding = {finding.id: finding for finding in findings_of(content)}["pattern"]
    assert finding.evidence["recoverable_s"] == pytest.approx(4.0 * 3 / 4)


def test_a_few_slow_steps_are_told_from_chance(make_run: MakeRun) -> None:
    def text(**rare: int) -> str:
        found = findings_of(Content(uneven_in_steps(make_run, 0.21, rare_ns=2e5, **rare)))
        return next(finding.text for finding in found if finding.id == "imbalance")

    lost = "2.1 % of each iteration (210 µs): "
    far = "one rank computes far longer than the others."
    assert text(rare_steps=5, rare_period=20) == f"{lost}every 20 iterations, {far}"
    assert text(rare_steps=5, rare_period=0) == f"{lost}in 5 of 100 iterations, {far}"


def test_slow_iterations_lose_no_more_than_all_iterations_take(make_run: MakeRun) -> None:
    """The mean of 10 ms is without them."""
    run = uneven_in_steps(make_run, 25.0, rare_ns=2.5e7, rare_steps=5)
    fact = imbalance.facts(Content(run))
    assert fact is not None
    assert fact.evidence["share"] == pytest.approx(25 / 35)


def test_unevenness_that_waits_for_cores_explain_is_not_held_against_the_program(make_run: MakeRun) -> None:
    """0.084 s are lost: half of it is 14 ms of each of three ranks."""

    def look(waited_ms: float, lost_ms: float = 0.21, **parts: float) -> Finding:
        run = uneven_in_steps(make_run, lost_ms, **parts)
        for process in run.processes:
            process.conditions.waited_ns = waited_ms * 1e6
        run.processes[3].conditions.waited_ns /= 2
        return next(finding for finding in findings_of(Content(run)) if finding.id == "imbalance")

    assert look(3.9, noise_ns=2e5).cost_s == pytest.approx(0.084)
    machine = look(4.1, noise_ns=2e5)
    assert machine.cost_s is None
    assert "Waits for a core, which cost up to 43.0 ms, explain it." in machine.text
    # It is the same rank every time: what others waited does not make it slow.
    assert look(20.0, fixed_ns=2e5).cost_s == pytest.approx(0.084)
    assert look(29.0, fixed_ns=2e5).cost_s is None
    assert look(50.0, 1.1, noise_ns=1.1e6).cost_s == pytest.approx(0.44)  # 11 % of a step


def test_of_iterations_that_may_be_several_steps_no_imbalance_is_told_per_step(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Iterations, "lumped", True)
    for noise in ({"rare_ns": 2e5, "rare_steps": 5, "rare_period": 20}, {"noise_ns": 2e5}):
        found = findings_of(Content(uneven_in_steps(make_run, 0.21, **noise)))
        finding = next(finding for finding in found if finding.id == "imbalance")
        assert finding.text.startswith("2.1 % of the main loop: ")
        assert not re.search(r"\d+ iterations|each iteration|\ds\)", finding.text)
        assert finding.evidence["rare_period"] is None


def test_steps_that_compute_more_than_the_others_count_in_proportion(make_run: MakeRun) -> None:
    # The steps that were kept compute 5 s, 100 of them on 4 ranks 2000 s; all ranks together computed 40 s.
    content = Content(uneven_in_steps(make_run, 260.0, computation_ns=5e9, noise_ns=2.6e8))
    finding = next(finding for finding in findings_of(content) if finding.id == "imbalance")
    computed_s = sum(rank.computation_s for rank in content.ranks)
    assert finding.evidence["lost_s"] == pytest.approx(computed_s * 0.26 / 5)
    assert finding.evidence["lost_per_step_s"] == pytest.approx(computed_s * 0.26 / 5 / 400)


def impossible(make_run: MakeRun) -> Content:
    return Content(uneven_in_steps(make_run, 200.0, noise_ns=2e8))  # 80 s of 40 s


def test_a_loss_greater_than_the_run_is_an_error_of_ours(make_run: MakeRun) -> None:
    with pytest.raises(Contradiction, match="imbalance costs 80 s"):
        findings_of(impossible(make_run))


def test_a_loss_greater_than_the_step_is_one_too(make_run: MakeRun) -> None:
    """12 ms of steps of 10 ms: 4.8 s of 40 s."""
    with pytest.raises(Contradiction, match=r"imbalance costs 4.8 s \(120 % of a part of the run\)"):
        findings_of(Content(uneven_in_steps(make_run, 12.0, noise_ns=1.2e7)))


def test_a_user_reads_what_was_left_out(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FAILS)
    found = {finding.id: finding for finding in findings_of(impossible(make_run))}
    assert "imbalance" not in found
    assert found["contradiction"].evidence == {"left_out": ["imbalance"], "time_s": pytest.approx(RUN_S)}
    assert "imbalance costs 80 s" in found["contradiction"].text


ABOUT_RANKS = {
    "busiest-receiver", "imbalance", "longest-call", "paused", "ranks-stopped", "slow-iteration", "uneven-ranks",
}  # fmt: skip


@pytest.mark.parametrize("rule", sorted(CASES))
def test_a_finding_says_what_it_is_about(rule: str, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    build = next(build for build, expected in CASES[rule] if expected is not None)
    run = build(make_run)
    if hasattr(run, "stops"):
        monkeypatch.setattr(unfinished, "stops", lambda run: run.stops)
    finding = next(finding for finding in findings_of(Content(run)) if finding.id == rule)
    about = finding.as_data()["about"]
    assert about.keys() == {"sites", "loop", "ranks", "files"}
    assert all(site.keys() == {"function", "routine", "file", "line"} for site in about["sites"])
    if "rank" in finding.evidence:
        assert list(map(str, about["ranks"])) == [str(finding.evidence["rank"])]
    if rule in ABOUT_RANKS:
        assert about["ranks"]
        assert set(finding.about.ranks) <= set(run.labels)
    if "function" in finding.evidence and "routine" in finding.evidence:
        assert [site["function"] for site in about["sites"]] == [finding.evidence["function"]]
    if rule.startswith("file-"):
        assert about["files"][0] == finding.evidence["file"]


def test_every_rule_has_cases_on_both_sides() -> None:
    assert CASES.keys() == {rule.id for rule in RULES}
    for rule, cases in CASES.items():
        assert {expected is None for _, expected in cases} == {True, False}, rule


@pytest.mark.parametrize(
    ("bound", "below", "at", "above"),
    [(at_least(2), False, True, True), (at_most(2), True, True, False), (more_than(2), False, False, True)],
)
def test_a_bound_decides(bound: Bound, below: bool, at: bool, above: bool) -> None:
    assert [bound.reached(value) for value in (1.999, 2, 2.001)] == [below, at, above]
    assert bound.reached(None)  # what the system does not tell


def test_findings_in_json_hold_their_evidence_against_their_threshold(make_run: MakeRun) -> None:
    report = json.loads(json.dumps(to_json(receiving(make_run, [0, 900, 0, 0])), allow_nan=False))
    (finding,) = [each for each in report["findings"] if each["id"] == "busiest-receiver"]
    assert finding == {
        "id": "busiest-receiver",
        "severity": "notice",
        "text": "100 % of the message bytes (900 B) go to rank 1; the median rank receives 0 B.",
        "about": {"sites": [], "loop": None, "ranks": [1], "files": []},
        "evidence": {"ranks": 4, "rank": 1, "bytes": 900, "share": 1.0, "median_bytes": 0.0, "times_median": None},
        "threshold": {"ranks": {"at_least": 4}, "times_median": {"at_least": 2}},
        "section": "matrix",
        "in_verdict": False,
        "cost_s": None,
        "help": None,
        "part_of": None,
    }
    sections = {section["id"] for section in report["sections"]}
    for each in report["findings"]:
        assert each["section"] in sections
        assert each["threshold"].keys() <= each["evidence"].keys()


def test_what_the_verdict_says_comes_first_and_stays_in_conditions(make_run: MakeRun) -> None:
    report = to_json(make_run([barrier()], placed(waited_ns=1e9), []))
    first = report["findings"][0]
    assert (first["id"], first["in_verdict"]) == ("cores-taken", True)
    assert report["verdict"].startswith(first["text"])
    assert report["conditions"] == [{"code": "cores-taken", "message": first["text"], **first["evidence"]}]


def test_a_run_that_ended_at_its_start_has_nothing_to_look_at(make_run: MakeRun) -> None:
    processes = ranks(complete=False, finalized=False)
    run = make_run([a_site("MPI_Init", "init", [1.0] * 4)], processes, [])
    assert [finding.id for finding in findings_of(Content(run))] == []


def test_findings_are_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "read" / "report.md").read_text()
    section = text.split("## Findings")[1].split("\n## ")[0]
    assert [rule.id for rule in RULES if f"`{rule.id}`" not in section] == []


def test_a_finding_names_no_section_that_does_not_exist() -> None:
    from leadline.report.sections import SECTIONS

    assert {rule.section for rule in RULES} <= {section.id for section in SECTIONS}


@pytest.mark.parametrize(
    ("causes", "said"),
    [
        ([(2, "computation", 0.3), (2, "mpi", 0.3), (3, "computation", 0.4)], "mostly for rank 2."),
        (
            [(3, "computation", 0.4), (2, "mpi", 0.3), (0, "mpi", 0.3)],
            "for no rank in particular (most for rank 3, 40 %).",
        ),
        ([(2, "computation", 0.3)], ": 1 rank waits for rank 2 in MPI_Wait (exchange)."),
    ],
)
def test_a_wait_without_one_cause_says_whom_it_was_for(
    make_run: MakeRun, causes: list[tuple[int, str, float]], said: str
) -> None:
    found = next(f for f in findings_of(Content(waiting(make_run, 1.0, causes))) if f.id == "waiting")
    assert found.text.endswith(said)


@pytest.mark.parametrize(("lasted", "told"), [(0.95, True), (0.5, False)], ids=["ends with them", "ends long before"])
def test_waiting_is_unknown_where_a_trace_ends_long_before_the_others(
    lasted: float, told: bool, make_run: MakeRun
) -> None:
    run = uneven_in_steps(make_run, 0.21, fixed_ns=2e6)
    run.processes[0].complete = False
    run.processes[0].duration_ns *= lasted
    found = {finding.id for finding in findings_of(Content(run))}
    assert "incomplete" in found
    assert ("imbalance" in found) == told
    assert (Content(run).waits.ends_apart) != told
    if not told:
        assert Content(run).waiting_s is None


def test_waiting_is_unknown_where_a_trace_is_damaged(make_run: MakeRun) -> None:
    """Its sums may be whole, and its duration, but not its calls."""
    run = uneven_in_steps(make_run, 0.21, fixed_ns=2e6)
    run.processes[0].complete = False
    run.losses.append(Loss("trace-damaged", 1, "truncated at byte 2,205", "0"))
    content = Content(run)
    found = findings_of(content)
    assert content.waiting_s is None
    assert "imbalance" not in {finding.id for finding in found}
    assert not any(finding.help for finding in found)
    incomplete = next(finding for finding in found if finding.id == "incomplete")
    assert incomplete.text.endswith("copy the whole run directory again, or record again.")
