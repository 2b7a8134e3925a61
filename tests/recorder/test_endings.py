"""However a program ends, and whatever it does in between, it does the same with the recorder as without."""

import ctypes
import functools
import mmap
import os
import subprocess
from pathlib import Path

import pytest
from mpi_facts import facts

from leadline.figures.run import open_run

from .building import Builder
from .libraries import Library, find
from .reading import calls_by_rank, report_of
from .running import Outcome, run_mpi

STEPS = 2000
# The programs that reach MPI_Finalize: nothing may be missing.
FINISHED = ("finish", "after", "fork", "signals", "errors", "jump")
CUT_SHORT = ("return", "exit", "abort", "killed", "all-killed", "segfault")
# Hydra hangs up on, or kills, the ranks that are left when one ends without MPI_Finalize, and gives the signal as the
# code of the whole: with nothing recorded, 6 of 200 runs end so.
HYDRA_WAS_FASTER = (1, 9, 255)  # 255: Intel's


def ranks_of(library: Library) -> int:
    """At most as many ranks as cores, for a library that busy-waits."""
    return 3 if library.kind.shares_cores else 2


def own_lines(outcome: Outcome) -> set[str]:
    """The ranks' own output, without mpiexec's messages about failures."""
    return {line for line in outcome.stdout.splitlines() if line.startswith(("rank", "initialized"))}


def run_both(library: Library, program: list[str | Path], recorder: Path, directory: Path) -> tuple[Outcome, Outcome]:
    ranks = ranks_of(library)
    plain = run_mpi(library, ranks, program, cwd=directory)
    recorded = run_mpi(library, ranks, program, cwd=directory, recorder=recorder, run_directory=directory / "run")
    return plain, recorded


@functools.cache
def lines_of_the_end(library: Library, program: Path) -> set[str]:
    """The output of the ranks if they all reach MPI_Finalize."""
    return own_lines(run_mpi(library, ranks_of(library), [program, "finish", str(STEPS)], cwd=program.parent))


@pytest.mark.parametrize("how", FINISHED)
def test_a_program_that_ends_well_is_recorded_whole(
    how: str, one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    program: list[str | Path] = [builder.c(library, "endings.c"), how, str(STEPS)]
    plain, recorded = run_both(library, program, recorder, tmp_path)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    report = report_of(tmp_path / "run")
    assert (report["complete"], report["ranks_recorded"]) == (True, ranks_of(library))
    # A call that is left by longjmp is counted, and the loss says that no more than that is known of it.
    errors = STEPS // 10 if how in ("errors", "jump") else 0
    left = {(loss["code"], loss["amount"]) for loss in report["losses"]}
    assert left == ({("calls-left", errors)} if how == "jump" else set())
    for counts in calls_by_rank(tmp_path / "run").values():
        assert (counts["MPI_Irecv"], counts["MPI_Wait"]) == (STEPS, STEPS)
        assert (counts["MPI_Send"], counts["MPI_Finalize"]) == (STEPS + errors, 1)
    # Children that fork made never called MPI: they leave nothing.
    assert len(list((tmp_path / "run").glob("rank-*"))) == ranks_of(library)


@pytest.mark.full("debian-mpich", "debian-openmpi")
@pytest.mark.full(library="intel", how="return")
@pytest.mark.full(library="intel", how="exit")
@pytest.mark.full(library="intel", how="all-killed")
@pytest.mark.full(library="intel", how="segfault")
@pytest.mark.parametrize("how", CUT_SHORT)
def test_a_program_that_is_cut_short_ends_as_without_us_and_says_what_is_missing(
    how: str, library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program: list[str | Path] = [builder.c(library, "endings.c"), how, str(STEPS)]
    plain, recorded = run_both(library, program, recorder, tmp_path)
    if facts(library).mpiexec_ends_the_rest and how in ("return", "exit"):
        assert recorded.returncode in (plain.returncode, {"return": 4, "exit": 3}[how], *HYDRA_WAS_FASTER)
    elif facts(library).abort_may_break_pipe and how == "abort":
        assert recorded.returncode in (7, -13)  # its mpiexec may die of SIGPIPE: 1 of 40 runs with nothing recorded
    elif facts(library).mpiexec_ends_the_rest and how in ("killed", "all-killed", "segfault"):
        assert recorded.returncode != 0
        assert recorded.returncode in (plain.returncode, *HYDRA_WAS_FASTER)
    else:
        assert recorded.returncode == plain.returncode != 0
    ranks = ranks_of(library)
    assert own_lines(recorded) <= lines_of_the_end(library, Path(program[0]))
    report = report_of(tmp_path / "run")
    assert (report["ranks"], report["ranks_recorded"]) == (ranks, ranks)
    counted = calls_by_rank(tmp_path / "run")
    if how in ("return", "exit", "abort"):
        # Who ended by its own will had time to write everything down. Launchers kill those that are left, at times one
        # that was about to end.
        killed = {loss["rank"] for loss in report["losses"] if loss["code"] == "process-ended-early"}
        ended_itself = {1} if how == "abort" else set(range(ranks)) - killed
        assert ended_itself
        assert "MPI_Finalize excluded" not in report["verdict"]
        for rank in ended_itself:
            assert counted[rank]["MPI_Send"] == STEPS, f"rank {rank}"
    for rank, counts in counted.items():
        assert STEPS // 10 < counts["MPI_Send"] <= STEPS, f"rank {rank}"
        # MPICH's barrier returns to the others when rank 1 is gone, in half of all jobs also with nothing recorded.
        if rank == 1 or how not in ("abort", "killed", "segfault"):
            assert "MPI_Finalize" not in counts, f"rank {rank}"
    if how == "abort":
        # Open MPI does not return from it; MPICH may, and then ends the process in whatever it calls next.
        stops = {stop["rank"]: (stop["in_call"], stop["routine"]) for stop in report["unfinished"]}
        assert stops.get(1, ("MPI_Abort", "main")) == ("MPI_Abort", "main")
        assert 1 in stops or facts(library).mpiexec_ends_the_rest
    if how in ("killed", "all-killed", "segfault"):
        assert not report["complete"]
        assert report["losses"]


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the system does not report waits for cores")
def test_of_killed_ranks_it_is_known_whether_they_had_a_core(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    command: list[str | Path] = [builder.c(one_of_each_family, "endings.c"), "all-killed", str(STEPS)]
    ranks = ranks_of(one_of_each_family)
    run_mpi(one_of_each_family, ranks, command, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    conditions = [process.conditions for process in open_run(tmp_path / "run").processes]
    assert len(conditions) == ranks
    assert all(each.waited_ns >= 0 and each.threads == 0 for each in conditions)
    missing = {entry["what"] for entry in report_of(tmp_path / "run")["not_recorded"]}
    assert any(what.startswith("the number of threads of rank") for what in missing)
    assert not any("waited for a core" in what for what in missing)


def test_the_live_file_takes_no_memory_but_what_is_used(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """Around a fault the kernel reads pages of holes, up to megabytes for each table."""
    program = builder.c(one_of_each_family, "endings.c")
    ranks = ranks_of(one_of_each_family)
    command: list[str | Path] = [program, "all-killed", str(STEPS)]
    run_mpi(one_of_each_family, ranks, command, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    live = list((tmp_path / "run").glob("*.live"))
    assert len(live) == ranks
    for path in live:
        stored = path.stat().st_blocks * 512 // mmap.PAGESIZE
        assert 0 < cached_pages(path) <= stored + 2, path.name


def cached_pages(path: Path) -> int:
    """Pages of the file that are in memory."""
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        pages = (ctypes.c_ubyte * (len(memory) // mmap.PAGESIZE))()
        begin = ctypes.c_char.from_buffer(memory)
        failed = ctypes.CDLL(None).mincore(ctypes.byref(begin), ctypes.c_size_t(len(memory)), pages)
        del begin
    assert not failed
    return sum(page & 1 for page in pages)


def test_a_program_that_never_initialises_mpi_leaves_no_trace(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    plain, recorded = run_both(library, [builder.c(library, "endings.c"), "never"], recorder, tmp_path)
    assert (recorded.returncode, recorded.lines, recorded.stderr) == (0, plain.lines, plain.stderr)


def test_without_a_directory_the_recorder_does_nothing(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    program: list[str | Path] = [builder.c(library, "endings.c"), "finish", "50"]
    before = sorted(tmp_path.iterdir())
    outcome = run_mpi(library, 2, program, cwd=tmp_path, preload=[recorder])
    assert outcome.returncode == 0
    assert "leadline" not in outcome.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_exceptions_pass_through_and_recording_goes_on(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    plain, recorded = run_both(library, [builder.cxx(library, "thrown.cpp"), "500"], recorder, tmp_path)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    for counts in calls_by_rank(tmp_path / "run").values():
        # The fifty calls that were left by the exception are counted, without their messages.
        assert (counts["MPI_Irecv"], counts["MPI_Send"], counts["MPI_Wait"]) == (500, 550, 500)
    report = report_of(tmp_path / "run")
    assert {(loss["code"], loss["amount"]) for loss in report["losses"]} == {("calls-left", 50)}
    assert report["totals"]["messages"] == 500 * ranks_of(library)


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_four_threads_at_once_are_counted_exactly(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    steps, threads = 300, 4
    plain, recorded = run_both(library, [builder.c(library, "threads.c", "-pthread"), str(steps)], recorder, tmp_path)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    if "not supported" in plain.stdout:
        pytest.skip(f"{library.name} has no MPI_THREAD_MULTIPLE")
    for counts in calls_by_rank(tmp_path / "run").values():
        messages = steps * threads
        assert (counts["MPI_Irecv"], counts["MPI_Send"], counts["MPI_Wait"]) == (messages, messages, messages)
        assert (counts["MPI_Allreduce"], counts["MPI_Comm_dup"]) == (messages // 10, threads)
    report = report_of(tmp_path / "run")
    assert (report["complete"], report["losses"]) == (True, [])


def test_a_full_disk_stops_the_recording_not_the_program(builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library = find("debian-openmpi") or find("mpich")
    if library is None:
        pytest.skip("neither Debian's Open MPI nor MPICH is installed")
    may_mount = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0
    if os.geteuid() != 0 or not may_mount:
        pytest.skip("a small disk of its own takes root and mount namespaces")
    run, kept = tmp_path / "run", tmp_path / "kept"
    # A disk that only these processes see, too small for what they write; what is on it at the end is copied away.
    script = f'mount -t tmpfs -o size=300k none "{run}" || exit 77; "$@"; code=$?; cp -r "{run}" "{kept}"; exit $code'
    program: list[str | Path] = [builder.c(library, "random_program.c"), "3", "structureless", "20000"]
    plain = run_mpi(library, 2, program, cwd=tmp_path)
    recorded = run_mpi(
        library,
        2,
        program,
        cwd=tmp_path,
        recorder=recorder,
        run_directory=run,
        prefix=["unshare", "-m", "sh", "-c", script, "sh"],
    )
    if recorded.returncode == 77:
        pytest.skip("a small disk cannot be mounted here")
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    report = report_of(kept) if list(kept.glob("rank-*")) else {"losses": ["everything"]}
    assert report["losses"]


def test_a_call_that_was_left_on_a_stack_that_is_gone_silences_none(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    program: list[str | Path] = [builder.c(library, "left_stack.c")]
    outcome = run_mpi(library, 1, program, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    assert (outcome.returncode, outcome.stdout) == (0, "1 left\n"), outcome.stderr
    (counts,) = calls_by_rank(tmp_path / "run").values()
    assert (counts["MPI_Barrier"], counts["MPI_Finalize"]) == (1, 1)
