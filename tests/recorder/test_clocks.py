"""Clocks of several hosts: ranks of this one are put on clocks of their own, which must come out."""

from pathlib import Path
from typing import Any

import pytest

from leadline.figures.run import open_run
from leadline.report import to_json

from .building import Builder
from .clock_checks import assert_one_time
from .libraries import Library, find
from .reading import core
from .running import run_mpi

RANKS = 5
AHEAD_NS = {1: 5_000_000_000, 2: -3_000_000_000, 4: 700_000}  # rank 3 is put on a clock of its own that is right
DRIFT_PPM = {1: 100, 4: -150}
SHIFTS = ",".join(f"{r}:{AHEAD_NS.get(r, 0)}:{DRIFT_PPM.get(r, 0)}" for r in range(1, RANKS))


@pytest.fixture(scope="session")
def mpich() -> Library:
    library = find("mpich") or find("debian-mpich")
    if library is None:
        pytest.skip("no MPICH is installed")
    return library


def recorded(
    library: Library, builder: Builder, recorder: Path, directory: Path, *arguments: str, **settings: str
) -> Path:
    outcome = run_mpi(
        library,
        RANKS,
        [builder.c(library, "clocks.c"), *arguments],
        cwd=directory.parent,
        recorder=recorder,
        run_directory=directory,
        environment={"LEADLINE_SERIES": "all", **settings},
    )
    early = "ends-early" in arguments
    assert early or (outcome.returncode, outcome.stdout) == (0, "done\n"), outcome.stderr
    return directory


def processes_of(run: Path) -> list[Any]:
    return sorted((core().open_process(path) for path in core().trace_files(str(run))), key=lambda p: int(p.rank))


@pytest.mark.parametrize("receives", ["", "any"])
def test_offset_and_drift_come_out_within_the_error_that_is_reported(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path, receives: str
) -> None:
    shifted = {"LEADLINE_CLOCKS": "exchange", "LEADLINE_TEST_CLOCKS": SHIFTS}
    run = recorded(one_of_each_family, builder, recorder, tmp_path / "run", "40", *receives.split(), **shifted)
    processes = processes_of(run)
    for rank, process in enumerate(processes):
        (first, first_offset, first_error), (last, last_offset, last_error) = process.clock_comparisons
        ahead, ppm = AHEAD_NS.get(rank, 0), DRIFT_PPM.get(rank, 0)
        if not ppm:  # the error is a bound, whatever the machine does meanwhile
            assert abs(first_offset + ahead) <= first_error
            assert abs(last_offset + ahead) <= last_error
        drift = (last - first) * ppm / (1_000_000 + ppm)
        assert abs(last_offset - first_offset + drift) <= first_error + last_error + 2
        # It drifts from the process's start on.
        assert abs(first_offset + ahead) <= first_error + (first - ahead) * abs(ppm) / 1_000_000
    report = to_json(open_run(run))
    clocks = report["iterations"]["clocks"]
    assert (clocks["kind"], clocks["clocks"], clocks["drift_known"]) == ("exchanged", RANKS, True)
    assert report["losses"] == []
    assert_one_time(processes, run, clocks["error_s"] * 1e9)
    # Nothing of the exchange is in the counts.
    calls = {row["function"]: row["calls"] for row in report["functions"]}
    assert calls["MPI_Send"] == calls["MPI_Recv"] == calls["MPI_Allreduce"] == 40 * RANKS
    assert not {"MPI_Comm_idup", "MPI_Isend", "MPI_Irecv", "MPI_Test"} & set(calls)


def test_ranks_of_one_host_have_one_clock_and_exchange_nothing(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    run = recorded(one_of_each_family, builder, recorder, tmp_path / "run", "40", LEADLINE_CLOCKS="hosts")
    assert [process.clock_comparisons for process in processes_of(run)] == [[]] * RANKS
    clocks = to_json(open_run(run))["iterations"]["clocks"]
    assert clocks == {"kind": "shared", "clocks": 1, "error_s": 0, "drift_known": True}


def test_pauses_leave_later_calls_where_they_were(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    run = recorded(one_of_each_family, builder, recorder, tmp_path / "run", "40", "pauses", LEADLINE_CLOCKS="hosts")
    processes = processes_of(run)
    assert [process.pauses.count for process in processes] == [4] * RANKS
    assert_one_time(processes, run, 0)


def test_one_clock_is_known_where_ranks_exchange_all_the_same(
    mpich: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    run = recorded(mpich, builder, recorder, tmp_path / "run", "40", LEADLINE_CLOCKS="exchange")
    for process in processes_of(run):
        assert [(offset, error) for _, offset, error in process.clock_comparisons] == [(0, 0), (0, 0)]


def test_where_finalize_is_never_reached_the_drift_is_lost(
    mpich: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    shifted = {"LEADLINE_CLOCKS": "exchange", "LEADLINE_TEST_CLOCKS": SHIFTS}
    run = recorded(mpich, builder, recorder, tmp_path / "run", "40", "ends-early", **shifted)
    report = to_json(open_run(run))
    assert 1 in [loss["rank"] for loss in report["losses"] if loss["code"] == "clock-drift-unknown"]
    assert report["iterations"]["clocks"]["drift_known"] is False


def test_a_rank_that_is_not_recorded_is_not_waited_for_for_ever(
    mpich: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """Only where the user insists; `leadline record` would have recorded it."""
    program = builder.c(mpich, "clocks.c")
    script = tmp_path / "some.sh"
    script.write_text(
        '#!/bin/sh\n[ "${PMI_RANK:-${PMIX_RANK:-$OMPI_COMM_WORLD_RANK}}" = 1 ] && unset LD_PRELOAD\nexec "$@"\n'
    )
    script.chmod(0o755)
    outcome = run_mpi(
        mpich,
        3,
        [script, program, "5"],
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
        environment={"LEADLINE_CLOCKS": "exchange"},
    )
    assert (outcome.returncode, outcome.stdout) == (0, "done\n"), outcome.stderr
    losses = {loss["code"] for loss in to_json(open_run(tmp_path / "run"))["losses"]}
    assert "clocks-not-compared" in losses
