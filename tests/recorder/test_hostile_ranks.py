"""The conditions of test_hostile.py for ranks of real MPI libraries."""

import os
from pathlib import Path

import pytest

from .building import Builder
from .libraries import Library
from .reading import calls_by_rank, losses_of, open_processes, report_of
from .running import Outcome, run_mpi

STEPS = 400
RANKS = 2  # MPICH waits busily: no more than cores


def run_both(
    library: Library,
    builder: Builder,
    recorder: Path,
    directory: Path,
    words: list[str],
    wrapper: tuple[str, ...] = (),
) -> tuple[Outcome, Outcome]:
    """Plain and recorded; `wrapper`: words before the program, as ["sh", "-c", 'ulimit -s 512; exec "$@"', "sh"]."""
    program: list[str | Path] = [*wrapper, builder.c(library, "hostile.c", "-pthread"), *words]
    plain = run_mpi(library, RANKS, program, cwd=directory)
    recorded = run_mpi(library, RANKS, program, cwd=directory, recorder=recorder, run_directory=directory / "run")
    return plain, recorded


# How: steps, then calls of each rank: Irecv = Wait, and Send.
WHOLE = {
    "eight": (80, 8 * 80, 8 * 80),
    "churn": (6, 8 * 6 * 10, 8 * 6 * 10),
    "small-stack": (STEPS, STEPS, STEPS),
    "spawned": (STEPS, 5 * STEPS, 5 * STEPS),
    "storm": (STEPS, STEPS, 101 * STEPS),
    "communicators": (100, 200, 200),
    "files-exhausted": (STEPS, 200, 200 + STEPS),
    "moves": (STEPS, STEPS, STEPS),
    "no-environment": (STEPS, STEPS, STEPS),
}


@pytest.mark.ci("openmpi")
@pytest.mark.parametrize("how", WHOLE)
def test_every_call_is_counted(
    how: str, one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    steps, receives, sends = WHOLE[how]
    words = [how, str(steps), str(tmp_path / "of")]
    plain, recorded = run_both(one_of_each_family, builder, recorder, tmp_path, words)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    if "threads are not supported" in plain.stdout:
        pytest.skip("no MPI_THREAD_MULTIPLE")
    report = report_of(tmp_path / "run")
    assert (report["complete"], report["ranks_recorded"]) == (True, RANKS)
    for process in open_processes(tmp_path / "run").values():
        assert [loss for loss in losses_of(process) if not loss.startswith("not-crash-safe")] == []
    for calls in calls_by_rank(tmp_path / "run").values():
        assert (calls["MPI_Irecv"], calls["MPI_Wait"], calls["MPI_Send"]) == (receives, receives, sends)


@pytest.mark.ci("openmpi")
@pytest.mark.parametrize("how", ["requests", "copied-requests"])
def test_a_hundred_thousand_requests_are_outstanding(
    how: str, one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    plain, recorded = run_both(one_of_each_family, builder, recorder, tmp_path, [how, "100000"])
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    for calls in calls_by_rank(tmp_path / "run").values():
        assert (calls["MPI_Isend"], calls["MPI_Waitall"]) == (100_000, 1)


def test_a_handler_that_returns_is_called_as_often_as_without_us(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    plain, recorded = run_both(one_of_each_family, builder, recorder, tmp_path, ["errors", "50"])
    assert (recorded.returncode, recorded.lines) == (plain.returncode, plain.lines), recorded.stderr
    assert plain.returncode == 0
    assert " handled" in plain.stdout
    assert report_of(tmp_path / "run")["complete"]


def test_limits_on_files_stop_the_trace_not_the_program(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    plain, recorded = run_both(one_of_each_family, builder, recorder, tmp_path, ["file-size", "300000"])
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    assert "cannot write the trace" in recorded.stderr
    report = report_of(tmp_path / "run")
    assert not report["complete"]
    assert {"process-ended-early", "order-lost", "write-failed"} <= {loss["code"] for loss in report["losses"]}


def test_small_stacks_and_core_files_do(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    limits = ("sh", "-c", 'ulimit -s 512 -c 0; exec "$@"', "sh")
    plain, recorded = run_both(one_of_each_family, builder, recorder, tmp_path, ["plain", str(STEPS)], limits)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    assert report_of(tmp_path / "run")["complete"]


def test_a_directory_that_vanishes_is_said_to_be_gone(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    (tmp_path / "run").mkdir()
    words = ["vanish", str(STEPS), str(tmp_path / "run")]
    plain, recorded = run_both(one_of_each_family, builder, recorder, tmp_path, words)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    assert "its recording is lost" in recorded.stderr


def test_ranks_without_the_environment_run_unrecorded(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """As after su or sudo: the launcher's variables are kept, ours are not."""
    clean = ("env", "-u", "LD_PRELOAD", "-u", "LEADLINE_DIR")
    plain, recorded = run_both(one_of_each_family, builder, recorder, tmp_path, ["plain", str(STEPS)], clean)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    assert os.listdir(tmp_path / "run") == []
