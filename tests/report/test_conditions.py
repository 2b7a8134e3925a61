"""Caveats for the figures lead the verdict: shared cores, separate processes, budgets that ran out."""

import io
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from rich.console import Console

from leadline.figures.content import Content
from leadline.findings import findings_of
from leadline.report import Report, to_json, verdict

from .handmade import Calls, HandmadeSite, a_process, process_conditions, strips

MakeRun = Callable[..., Any]
# Four ranks of 10 s.
NEIGHBOURS = [1, 2, 2, 1]


def run_of(make_run: MakeRun, places: list[dict[str, Any]], **process: Any) -> Any:
    sites, edges = strips(NEIGHBOURS)
    ranks = [a_process(rank, 4, conditions=process_conditions(**place), **process) for rank, place in enumerate(places)]
    return make_run(sites, ranks, edges)


def conditions(run: Any) -> list[str]:
    return [finding.id for finding in findings_of(Content(run)) if finding.in_verdict]


def test_ranks_that_share_cores_are_said_first(make_run: MakeRun) -> None:
    run = run_of(make_run, [{"processors": 2, "allowed": [(0, 2)], "waited_ns": 6e9}] * 4)
    assert verdict(Content(run)).startswith(
        "4 ranks share 2 cores on node0 and spend 60 % of their time waiting for a core. All times below include that. "
        "For undisturbed times, use at most 2 ranks, or more cores. "
    )
    report = to_json(run)
    assert report["conditions"] == [
        {
            "code": "oversubscribed",
            "message": report["verdict"].partition(" 6.9 %")[0],
            "host": "node0",
            "ranks": 4,
            "threads": 4,
            "cores": 2,
            "host_cores": 2,
            "waited_share": 0.6,
            "hosts": 1,
            "threads_per_core": 2,
        }
    ]
    assert report["hosts_detail"] == [
        {"host": "node0", "ranks": 4, "threads": 4, "cores": 2, "host_cores": 2, "waited_share": 0.6}
    ]


def test_times_with_waits_for_a_core_lead_to_no_advice(make_run: MakeRun) -> None:
    sites = [HandmadeSite("MPI_Isend", "isend", ["main a.c:5"], {rank: Calls(4, 5e9) for rank in range(4)})]
    pattern = SimpleNamespace(name="serialised_order", sites=[0], files=[], in_main_loop=False, evidence=[])
    pattern.ranks, pattern.messages, pattern.bytes, pattern.time_ns = 4, 40, 320, 5e9
    texts = []
    for cores in (2, 4):
        place = process_conditions(processors=cores, allowed=[(0, cores)], waited_ns=6e9 if cores < 4 else 0.0)
        run = make_run(sites, [a_process(rank, 4, conditions=place) for rank in range(4)], [])
        run.profile.pattern_finder = lambda: SimpleNamespace(
            add=lambda process, index: None, find=lambda paths, lines: [pattern]
        )
        report = to_json(run)
        found = [finding for finding in report["findings"] if finding["id"] == "pattern"]
        assert [bool(finding["help"]) for finding in found] == [cores == 4]
        assert bool(report["findings_caveat"]) == (cores == 2)
        whole = io.StringIO()
        Report(run).print(Console(file=whole, width=80))
        assert ("not the program's own" in " ".join(whole.getvalue().split())) == (cores == 2)
        out = io.StringIO()
        Report(run).print_summary(Console(file=out, width=80))
        texts.append(" ".join(out.getvalue().split()))
    assert texts[0].startswith("4 ranks share 2 cores on node0 and spend 60 % of their time waiting for a core. All")
    assert "blocking sends serialise the ranks" not in texts[0]
    assert "blocking sends serialise the ranks" in texts[1]
    assert "-> Post receives first" in texts[1]


def test_threads_that_share_cores_are_said(make_run: MakeRun) -> None:
    run = run_of(make_run, [{"threads": 9, "busy": 4}] * 4)
    assert verdict(Content(run)).startswith(
        "4 ranks with 16 busy threads share 8 cores on node0. All times below include waits for a core. "
        "For undisturbed times, use at most 8 threads, or more cores. "
    )


def test_ranks_with_cores_of_their_own_need_no_word(make_run: MakeRun) -> None:
    bound = [{"allowed": [(2 * rank, 2)], "busy": 2, "waited_ns": 1e6} for rank in range(4)]
    run = run_of(make_run, bound)
    assert conditions(run) == []
    (host,) = to_json(run)["hosts_detail"]
    assert (host["ranks"], host["threads"], host["cores"]) == (4, 8, 8)


def test_ranks_bound_to_one_core_are_said_though_others_are_free(make_run: MakeRun) -> None:
    run = run_of(make_run, [{"allowed": [(core, 1)]} for core in (0, 0, 1, 2)])
    assert verdict(Content(run)).startswith("2 ranks share 1 of the 8 cores on node0. ")


def test_threads_of_one_rank_bound_to_one_core_are_said(make_run: MakeRun) -> None:
    run = run_of(make_run, [{"allowed": [(core, 1)], "busy": 2 if core == 0 else 1} for core in range(4)])
    assert verdict(Content(run)).startswith("1 rank with 2 busy threads share 1 of the 8 cores on node0. ")


def test_limits_of_containers_count_as_cores(make_run: MakeRun) -> None:
    run = run_of(make_run, [{"quota": 1.5}] * 4)
    assert verdict(Content(run)).startswith("4 ranks share 1.5 of the 8 cores on node0. ")


def test_ranks_that_hardly_wait_for_shared_cores_need_no_word(make_run: MakeRun) -> None:
    assert conditions(run_of(make_run, [{"processors": 2, "allowed": [(0, 2)], "waited_ns": 1e7}] * 4)) == []


def test_jobs_that_followed_one_another_did_not_share(make_run: MakeRun) -> None:
    sites, edges = strips(NEIGHBOURS)
    ranks = [
        a_process(
            rank,
            4,
            conditions=process_conditions(processors=1, allowed=[(0, 1)]),
            start_unix_ns=1_700_000_000_000_000_000 + rank * 20_000_000_000,
        )
        for rank in range(4)
    ]
    assert conditions(make_run(sites, ranks, edges)) == []


def test_a_process_killed_at_once_ran_all_the_same(make_run: MakeRun) -> None:
    """The time of day in nanoseconds has more digits than a float, to which no time was added here."""
    places = [{"processors": 2, "allowed": [(0, 2)]}] * 4
    run = run_of(make_run, places, start_unix_ns=1_795_394_532_286_325_596, duration_ns=0.0)
    assert conditions(run) is not None


def test_cores_that_others_took_are_said(make_run: MakeRun) -> None:
    run = run_of(make_run, [{"waited_ns": 2e9}] * 4)
    assert verdict(Content(run)).startswith(
        "The ranks spent 20 % of their time waiting for a core although there were enough: other work used them. "
    )
    assert conditions(run_of(make_run, [{"waited_ns": 5e8}] * 4)) == []


def test_traces_without_conditions_say_nothing(strip_run: Any) -> None:
    assert conditions(strip_run) == []
    assert to_json(strip_run)["hosts_detail"] == []


def launched(rank: int, variable: str = "PMI_SIZE", size: int = 4) -> dict[str, Any]:
    return {"launcher_ranks": size, "launcher_rank": rank, "launcher": variable}


@pytest.mark.parametrize(
    ("variable", "why"),
    [
        (
            "PMI_SIZE",
            "they were launched by the mpiexec of MPICH or Intel MPI, but the program uses Open MPI v5.0.11; use "
            "the mpiexec of Open MPI v5.0.11.",
        ),
        (
            "SLURM_STEP_NUM_TASKS",
            "srun did not launch them as ranks of Open MPI v5.0.11; see srun --mpi=list.",
        ),
    ],
)
def test_processes_under_another_librarys_launcher_are_said_first(variable: str, why: str, make_run: MakeRun) -> None:
    sites, edges = strips(NEIGHBOURS)
    ranks = [a_process(0, 1, pid=rank, conditions=process_conditions(**launched(rank, variable))) for rank in range(4)]
    run = make_run(sites, ranks, edges)
    assert verdict(Content(run)).startswith(f"4 processes ran separately, each as rank 0 of 1: {why} ")
    assert "from each process to itself" in verdict(Content(run))
    assert to_json(run)["conditions"][0]["code"] == "separate-processes"


def test_one_program_after_another_is_not_one_job(make_run: MakeRun) -> None:
    sites, edges = strips(NEIGHBOURS)
    alone = [a_process(0, 1, pid=n, conditions=process_conditions(**launched(0, size=1))) for n in range(4)]
    assert conditions(make_run(sites, alone, edges)) == []
    same = [a_process(0, 1, pid=n, conditions=process_conditions(**launched(0))) for n in range(4)]
    assert conditions(make_run(sites, same, edges)) == []
    assert conditions(run_of(make_run, [launched(rank) for rank in range(4)])) == []


def losses(**amounts: int) -> list[Any]:
    return [
        SimpleNamespace(code=code.replace("_", "-"), amount=amount, message=code) for code, amount in amounts.items()
    ]


def test_a_budget_that_ran_out_is_said_first(make_run: MakeRun) -> None:
    place = {"budget_files": 1_000_000, "budgets_given": 1, "allowed": []}
    run = run_of(make_run, [place] * 4, losses=losses(order_lost=1_000))
    assert verdict(Content(run)).startswith(
        "The trace size limit of 1.00 MB per rank (--budget) was reached on 4 ranks: 4,000 calls are counted and "
        "timed, "
        "but their order is lost; totals are exact. Record again with --budget 4MB. "
    )
    run = run_of(make_run, [place] * 4, losses=losses(order_lost=1_000, over_budget=2))
    assert "parts of the trace are missing: totals are too low" in verdict(Content(run))
    assert "is MPI" not in verdict(Content(run))  # of what happened to fit


def test_a_full_disk_is_not_called_a_budget(make_run: MakeRun) -> None:
    run = run_of(make_run, [{"allowed": []}] * 4, losses=losses(order_lost=1_000, write_failed=1))
    assert verdict(Content(run)).startswith("4 ranks could not write their traces: 4,000 calls are counted")


def test_with_threads_shares_are_of_the_threads_time(make_run: MakeRun) -> None:
    sites, edges = strips(NEIGHBOURS)
    # Of each rank two threads: 10 s between calls, and what the calls took.
    ranks = [a_process(rank, 4, threads=2, gap_ns=10e9) for rank in range(4)]
    run = make_run(sites, ranks, edges)
    content, report = Content(run), to_json(run)
    assert "of the threads' time is MPI" in verdict(content)
    assert (report["time_of"], content.threads) == ("threads", 8)
    assert report["time_s"] == pytest.approx(sum(rank["time_s"] for rank in report["ranks_detail"]))
    assert sum(entry["share"] or 0.0 for entry in report["functions"]) <= 1
    assert 0 < report["mpi_share"] < 1


def test_threads_beside_those_that_call_mpi_are_told(make_run: MakeRun) -> None:
    run = run_of(make_run, [{"busy": 2}] * 4)
    assert {"what": "threads that call no MPI function (up to 1 per rank)"}.items() <= next(
        entry for entry in to_json(run)["not_recorded"] if entry["what"].startswith("threads")
    ).items()
