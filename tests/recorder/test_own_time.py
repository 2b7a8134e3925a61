"""What recording takes between calls is Leadline's own time: no computation, in no phase, and nothing is lost of it.

No limit here is one of time: what is asserted are sums.
"""

from pathlib import Path

import pytest

from leadline.figures.run import open_run
from leadline.report.sums import contradictions

from .building import Builder
from .libraries import Library
from .reading import report_of
from .running import run_mpi

CALLS = 4000 * 2 + 1000 * 2 + 400 + 100 * 2 + 2
ROUNDING_S = 2e-9  # of each call


def test_what_is_left_out_between_calls_is_own_time(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program, run = builder.c(one_of_each_family, "own_time.c"), tmp_path / "run"
    outcome = run_mpi(one_of_each_family, 1, [program], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    (process,) = open_run(run).processes
    # Calls and what lies between them follow one another from MPI_Init's begin to MPI_Finalize's end. What is learnt
    # about the calls that begin and end a pause is either in it or left out.
    assert process.pauses.count == 100
    whole_ns = process.total.time_ns + process.gap_ns + process.own_ns + process.pauses.sum_ns
    assert whole_ns == pytest.approx(process.duration_ns, abs=CALLS * ROUNDING_S * 1e9)
    assert 0 < process.own_ns <= process.own_overhead_ns

    report = report_of(run)
    for figures in (report, *report["ranks_detail"]):
        parts = figures["computation_s"] + figures["mpi_s"] + figures["io_s"] + figures["own_between_s"]
        assert parts == pytest.approx(figures["time_s"], rel=1e-9)
    assert sum(part["time_s"] for part in report["time_parts"]) == pytest.approx(report["time_s"], rel=1e-9)
    phases_s = sum(phase["time_s"] + phase["startup_s"] for phase in report["phases"] if phase["parent"] is None)
    loops = {loop["id"]: loop["time_s"] for loop in report["loops"]}
    for phase in report["phases"]:  # the summary's and the phases' share of a loop is the one in its own section
        if phase["loop"] in loops:
            assert phase["time_s"] == pytest.approx(loops[phase["loop"]], abs=CALLS * ROUNDING_S)
    assert phases_s + report["own_between_s"] == pytest.approx(report["time_s"], abs=CALLS * ROUNDING_S)


def test_threads_that_only_use_files_are_in_no_sum(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program, run = builder.c(one_of_each_family, "writing_thread.c", "-pthread"), tmp_path / "run"
    outcome = run_mpi(one_of_each_family, 1, [program], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    report = report_of(run)
    assert contradictions(report) == []
    assert (tmp_path / "log.txt").stat().st_size >= 500 * len("a line\n")
    assert sum(phase["io_s"] for phase in report["phases"]) == report["io_s"] == 0
    phases_s = sum(phase["time_s"] + phase["startup_s"] for phase in report["phases"] if phase["parent"] is None)
    assert phases_s + report["own_between_s"] == pytest.approx(report["time_s"], rel=1e-3)
