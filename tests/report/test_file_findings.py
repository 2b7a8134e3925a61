"""What file I/O costs, computed by hand, and that no second is counted in two findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.content import Content
from leadline.findings import findings_of
from leadline.findings.finding import Finding
from leadline.findings.rules.pattern import OF_FILES
from leadline.report.verdict import verdict

from .handmade import Calls, HandmadeSite, a_process

MakeRun = Callable[..., Any]
WRITE, BARRIER = 0, 1  # call sites
NO_CALLS: list[float] = [0] * 11


def layer(time_s: float, *, read: int = 0, written: int = 0, calls: int = 1) -> list[float]:
    """opens, closes, reads, writes, others, bytes read and written, ns; sequential, strided, random."""
    return [0, 0, calls if read else 0, calls if written else 0, 0, read, written, time_s * 1e9, 0, 0, 0]


def a_file(name: str, libc: list[float], *, mpi: list[float] = NO_CALLS, size: int = 500_000, distinct: int = 0) -> Any:
    return (name, mpi is not NO_CALLS, False, False, False, size, [libc, NO_CALLS, mpi, NO_CALLS], distinct, 0)


def a_pattern(
    name: str, time_s: float, names: Sequence[str], sites: Sequence[int] = (WRITE,), /, **evidence: Any
) -> Any:
    return SimpleNamespace(
        name=name,
        sites=list(sites),
        files=list(names),
        in_main_loop=False,
        ranks=4,
        messages=0,
        bytes=0,
        time_ns=time_s * 1e9,
        evidence=list(evidence.items()),
    )


def running(
    make_run: MakeRun,
    patterns: Sequence[Any] = (),
    waits: Sequence[tuple[int, int, float, Sequence[tuple[int, str, int, float]]]] = (),
    files: dict[int, list[Any]] | None = None,
    mpi_io_s: float = 0.0,
    libc_s: float = 0.0,
) -> Any:
    """Four ranks that live for 10 s: 40 s in all.

    waits: site, process, seconds, causes (process, doing, site, share).   files: by rank.   mpi_io_s: of each rank.
    libc_s: of rank 0.
    """
    everyone = {rank: Calls(1, 0.0) for rank in range(4)}
    sites = [
        HandmadeSite("write", "posix_write", ["main ocean.cpp:5", "save save.cpp:9"], everyone),
        HandmadeSite("MPI_Barrier", "coll", ["main ocean.cpp:6"], {rank: Calls(1, 3e9) for rank in range(4)}),
    ]
    if mpi_io_s:
        path = ["main ocean.cpp:7", "save save.cpp:10"]
        mpi_io = {rank: Calls(1, mpi_io_s * 1e9) for rank in range(4)}
        sites.append(HandmadeSite("MPI_File_write_all", "file_io", path, mpi_io))
    own = [list(files.get(rank, [])) if files else [] for rank in range(4)]
    processes = [a_process(rank, 4, files=lambda own=own[rank]: own) for rank in range(4)]
    processes[0].files_ns = libc_s * 1e9
    run = make_run(sites, processes, [])
    found = run.profile.wait_finder().find()
    found.found = True
    found.rows = [
        SimpleNamespace(
            kind="wait_at_barrier",
            site=site,
            process=process,
            ns=seconds * 1e9,
            error_ns=0.0,
            causes=[SimpleNamespace(process=p, doing=doing, site=s, share=share) for p, doing, s, share in causes],
        )
        for site, process, seconds, causes in waits
    ]
    run.profile.wait_finder = lambda: SimpleNamespace(add=lambda process, index: None, find=lambda: found)
    run.profile.pattern_finder = lambda: SimpleNamespace(
        add=lambda process, index: None, find=lambda paths, lines: list(patterns)
    )
    return run


def findings(run: Any, name: str) -> list[Finding]:
    return [finding for finding in findings_of(Content(run)) if finding.id == name]


def small(time_s: float, **more: Any) -> Any:
    files = [f"/out/step.{number}" for number in range(1000, 1008)]
    told = {"files": 24, "transfers": 240, "bytes_each": 300.0, "reads": 0, "writes": 240}
    return a_pattern("small_io", time_s, files, **told, **more)


def test_small_transfers_cost_what_large_ones_would_not_take(make_run: MakeRun) -> None:
    (finding,) = findings(running(make_run, [small(2.0, remaining_s=0.4, buffered=False)]), "pattern")
    assert finding.cost_s == pytest.approx(1.6)
    assert finding.text == (
        "5.0 %: 24 files like step.1000 are written in 240 transfers of 300 B on average; larger transfers would "
        "take about 1.0 %."
    )
    assert (finding.evidence["share"], finding.evidence["deciding_share"]) == (0.05, pytest.approx(0.04))


def test_where_it_is_not_known_what_remains_it_is_the_time_of_the_calls(make_run: MakeRun) -> None:
    (finding,) = findings(running(make_run, [small(2.0, buffered=True)]), "pattern")
    assert finding.cost_s == pytest.approx(2.0)
    assert finding.text.endswith("on average through stdio.")
    assert finding.help == "Read or write whole arrays per call, in binary, instead of single values."


def test_small_transfers_of_collective_calls_are_not_to_be_made_collective(make_run: MakeRun) -> None:
    pattern = small(2.0, buffered=False)
    pattern.sites = [2]  # MPI_File_write_all
    (finding,) = findings(running(make_run, [pattern], mpi_io_s=1.0), "pattern")
    assert finding.help.startswith("Move more per call: a file view")
    (apart,) = findings(running(make_run, [small(2.0, buffered=False)]), "pattern")
    assert apart.help == "Use larger transfers: whole arrays, or collective MPI-IO."


def test_evidence_has_the_order_of_the_pattern(make_run: MakeRun) -> None:
    """Not that of a set, which is another one in each process: one run has one JSON."""
    (finding,) = findings(running(make_run, [small(2.0, remaining_s=0.4, buffered=False)]), "pattern")
    told = small(2.0, remaining_s=0.4, buffered=False).evidence
    assert [name for name in finding.evidence if name in OF_FILES] == [name for name in dict(told) if name in OF_FILES]


@pytest.mark.parametrize(("remaining_s", "found"), [(1.59, True), (1.61, False)])  # of 40 s: 1 % is 0.4 s
def test_a_pattern_is_a_finding_if_enough_could_be_saved(make_run: MakeRun, remaining_s: float, found: bool) -> None:
    assert bool(findings(running(make_run, [small(2.0, remaining_s=remaining_s)]), "pattern")) is found


def test_reading_by_all_costs_all_readings_but_one(make_run: MakeRun) -> None:
    pattern = a_pattern(
        "read_all_by_all", 6.0, ["/in/mesh.nc"], files=1, file_bytes=200_000, readers=4, remaining_s=3.0
    )
    (finding,) = findings(running(make_run, [pattern]), "pattern")
    assert finding.cost_s == pytest.approx(3.0)
    assert finding.text == ("15 %: 4 ranks each read all of mesh.nc (200 kB); reading it once would take about 7.5 %.")


def written_by_one(time_s: float = 1.0) -> Any:
    return a_pattern(
        "write_by_one", time_s, ["/out/u.nc"], files=1, writer=0, bytes_written=8_000_000, remaining_s=time_s / 4
    )


# Three ranks wait for 1 s each: rank 0 writes for 0.8 s of it, and computes for the rest.
WAITS = [(BARRIER, rank, 1.0, [(0, "io", WRITE, 0.8), (0, "computation", BARRIER, 0.2)]) for rank in (1, 2, 3)]


def test_waiting_for_the_one_that_writes_belongs_to_its_writing(make_run: MakeRun) -> None:
    run = running(make_run, [written_by_one()], WAITS)
    (finding,) = findings(run, "pattern")
    assert finding.cost_s == pytest.approx(2.4)
    assert finding.text == (
        "2.5 %: rank 0 writes u.nc for all ranks (8.00 MB); the others spend 6.0 % of the time waiting for it."
    )
    assert finding.help.startswith("Write less often, or on several hosts in parallel")
    (wait,) = findings(run, "waiting")
    assert wait.evidence["wait_s"] == pytest.approx(3.0)
    assert wait.cost_s is None  # 2.4 s of it are the other finding's, which says the same


def test_sends_to_the_one_that_writes_wait_for_it(make_run: MakeRun) -> None:
    """Whatever their length, and where no waits are known."""
    writing = written_by_one()
    writing.evidence.append(("held_up_s", 3.0))
    (finding,) = findings(running(make_run, [writing]), "pattern")
    assert finding.cost_s == pytest.approx(3.0)
    assert finding.text.endswith("for all ranks (8.00 MB); the others spend 7.5 % of the time waiting for it.")


@pytest.mark.parametrize(("receiving_s", "cost_s"), [(0.5, 0.9), (2.0, 3.6), (3.5, 0.9)])
def test_packing_does_not_save_what_one_side_waits_for_the_other(
    make_run: MakeRun, receiving_s: float, cost_s: float
) -> None:
    """A message costs both sides about as much: at most twice the time of the side that spends less."""
    told = {"together": 10, "assumes": "nothing", "sending_s": 4.0 - receiving_s, "receiving_s": receiving_s}
    (finding,) = findings(running(make_run, [a_pattern("packable_messages", 4.0, [], [BARRIER], **told)]), "pattern")
    assert finding.cost_s == pytest.approx(cost_s)


def test_what_a_wait_has_besides_stays_its_own(make_run: MakeRun) -> None:
    waits = [(BARRIER, 1, 4.0, [(0, "io", WRITE, 0.4), (0, "computation", BARRIER, 0.6)])]
    run = running(make_run, [written_by_one()], waits)
    (wait,) = findings(run, "waiting")
    assert wait.cost_s == pytest.approx(2.4)


def test_waiting_for_a_rank_that_does_not_write_for_all_is_not_taken_from_it(make_run: MakeRun) -> None:
    (wait,) = findings(running(make_run, [], WAITS), "waiting")
    assert wait.cost_s == pytest.approx(3.0)


def test_of_the_files_that_one_writes_the_largest_is_named(make_run: MakeRun) -> None:
    told = {"files": 62, "writer": 0, "bytes_written": 12_000_000, "remaining_s": 0.25}
    pattern = a_pattern("write_by_one", 1.0, ["/out/vect.ps", "/out/a.semd"], **told)
    (finding,) = findings(running(make_run, [pattern]), "pattern")
    assert finding.text.startswith("2.5 %: rank 0 writes vect.ps and 61 other files for all ranks (12.0 MB)")


def test_without_waits_writing_by_one_costs_what_the_others_could_take_over(make_run: MakeRun) -> None:
    (finding,) = findings(running(make_run, [written_by_one()]), "pattern")
    assert finding.cost_s == pytest.approx(0.75)
    assert finding.text.endswith("for all ranks (8.00 MB).")


def test_a_gather_costs_nothing_while_its_root_writes(make_run: MakeRun) -> None:
    gather = a_pattern("all_to_one", 4.0, [], [BARRIER], root=0, chain=3, chain_if_buffered=1, needs_buffering=False)
    run = running(make_run, [gather, written_by_one()], WAITS)
    cost = {finding.evidence["pattern"]: finding for finding in findings(run, "pattern")}
    assert cost["all_to_one"].cost_s == pytest.approx(4.0 - 2.4)
    assert "all ranks send to one, serialised by blocking sends." in cost["all_to_one"].text


def test_files_of_each_rank_cost_their_opening(make_run: MakeRun) -> None:
    told = {"files": 64, "names": "/out/part.#"}
    pattern = a_pattern("file_per_rank", 4.0, ["/out/part.0"], opening_s=1.0, remaining_s=3.0, **told)
    (finding,) = findings(running(make_run, [pattern]), "pattern")
    assert finding.cost_s == pytest.approx(1.0)
    assert finding.text == ("2.5 %: every rank opens its own files (64 files like part.0).")
    unknown = a_pattern("file_per_rank", 4.0, ["/out/part.0"], **told)
    assert findings(running(make_run, [unknown]), "pattern") == []


def test_what_is_made_in_every_step_costs_its_calls_without_their_waits(make_run: MakeRun) -> None:
    pattern = a_pattern("repeated_creation", 2.0, [], [BARRIER], what="communicators", made=80, made_per_step=2.0)
    (finding,) = findings(running(make_run, [pattern], [(BARRIER, 1, 0.5, [])]), "pattern")
    assert finding.cost_s == pytest.approx(1.5)
    assert "communicators are created in every iteration, 2 per rank (MPI_Barrier)." in finding.text


def test_file_time_costs_what_no_other_finding_is_about(make_run: MakeRun) -> None:
    # 24 files of 0.1 s each, of 40 s.
    files = {0: [a_file(f"/out/step.{1000 + n}", layer(0.1, written=3_000, calls=10)) for n in range(24)]}
    (alone,) = findings(running(make_run, files=files), "file-time")
    assert alone.cost_s == pytest.approx(2.4)
    assert alone.text == (
        "6.0 % of the ranks' time is file I/O, most of it for 24 files like step.1000 (2.40 s, 72.0 kB written in 240 "
        "transfers)."
    )
    (rest,) = findings(running(make_run, [small(1.6, remaining_s=0.4)], files=files), "file-time")
    assert rest.cost_s == pytest.approx(0.8)
    (little,) = findings(running(make_run, [small(2.1, remaining_s=0.4)], files=files), "file-time")
    assert little.cost_s is None  # 0.3 s of 40 s
    (unclaimed,) = findings(running(make_run, [small(1.6, remaining_s=1.3)], files=files), "file-time")
    assert unclaimed.cost_s == pytest.approx(2.4)  # their pattern is no finding: 0.3 s could be spared


def test_a_program_that_does_file_io_begins_with_it(make_run: MakeRun) -> None:
    by_mpi = layer(5.0, written=1_000_000, calls=5)
    files = {rank: [a_file("/out/t1", NO_CALLS, mpi=by_mpi)] for rank in range(4)}
    run = running(make_run, files=files, mpi_io_s=5.0)
    assert verdict(Content(run), traffic=False) == (
        "80 % of the time is MPI. 50 % of the ranks' time is file I/O in MPI_File_*, most of it for t1 (20.0 s, "
        "4.00 MB written in 20 transfers)."
    )


@pytest.mark.parametrize(("libc_s", "said"), [(1.0, False), (1.2, True)])  # 1 s of it is the writing
def test_file_io_is_not_said_again_if_the_finding_is_nearly_all_of_it(
    make_run: MakeRun, libc_s: float, said: bool
) -> None:
    text = verdict(Content(running(make_run, [written_by_one()], libc_s=libc_s)), traffic=False)
    assert "rank 0 writes u.nc for all ranks" in text
    assert ("3.0 % is file I/O" in text) is said


def test_no_file_has_most_of_the_time(make_run: MakeRun) -> None:
    files = {0: [a_file(f"/out/{name}", layer(1.0, written=1_000)) for name in ("a", "b", "c")]}
    (finding,) = findings(running(make_run, files=files), "file-time")
    assert finding.text.endswith("file I/O on 3 files; the most expensive: a (1.00 s, 1,000 B written in 1 transfer).")


def read_by_two(time_s: tuple[float, float]) -> dict[int, list[Any]]:
    name, size = "/in/mesh.nc", 1_000_000
    return {rank: [a_file(name, layer(time_s[rank], read=size), size=size, distinct=size)] for rank in range(2)}


@pytest.mark.parametrize(("times_s", "cost_s"), [((2.0, 1.0), 1.0), ((2.0, 0.3), None)])
def test_reading_a_file_again_costs_all_readings_but_the_longest(
    make_run: MakeRun, times_s: tuple[float, float], cost_s: float | None
) -> None:
    (finding,) = findings(running(make_run, files=read_by_two(times_s)), "file-read-by-all")
    assert finding.cost_s == cost_s
    begin = "2.5 %: redundant reads. 2 ranks" if cost_s else "2 ranks"
    assert finding.text == f"{begin} each read all of /in/mesh.nc (1.00 MB), 2.00 MB in total."


def test_a_file_that_all_ranks_read_is_stated_once(make_run: MakeRun) -> None:
    pattern = a_pattern("read_all_by_all", 3.0, ["/in/mesh.nc"], files=1, file_bytes=10, readers=4, remaining_s=2.0)
    run = running(make_run, [pattern], files=read_by_two((2.0, 1.0)))
    assert findings(run, "file-read-by-all") == []
    assert len(findings(run, "pattern")) == 1
