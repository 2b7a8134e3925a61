"""Reports on runs that ended in MPI_Init, or in the first call after it."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from leadline.errors import DamagedTrace
from leadline.figures.run import open_run
from leadline.report import Report

from .building import Builder
from .libraries import Library
from .reading import report_of
from .running import Outcome, run_mpi

SAID = {
    "init": "MPI_Init did not return on rank 0.",
    "init-exits": "MPI_Init did not return on rank 0.",
    "after": "rank 0 made only local calls after MPI_Init.",
    "barrier": "rank 0 had entered MPI_Barrier.",
    "abort": "rank 0 called MPI_Abort right after MPI_Init.",
    "exit": "rank 0 made only local calls after MPI_Init.",
}


def ended(how: str, builder: Builder, library: Library, recorder: Path, tmp_path: Path) -> Outcome:
    program = builder.c(library, "dies.c")
    tool = builder.tool(library, "dies_tool.c")
    return run_mpi(
        library,
        1,
        [program],
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
        preload=[tool],
        environment={"DIES": how},
    )


@pytest.mark.parametrize("how", SAID)
def test_a_run_that_ended_in_its_first_call_is_reported_as_that(
    how: str, builder: Builder, one_of_each_family: Library, recorder: Path, tmp_path: Path
) -> None:
    assert ended(how, builder, one_of_each_family, recorder, tmp_path).returncode != 0
    report = report_of(tmp_path / "run")
    assert report["verdict"] == f"The run ended during start-up: {SAID[how]}"
    assert (report["ranks"], report["ranks_recorded"]) == (1, 1)
    assert report["complete"] or how != "exit"
    assert report["ended_at_start"]["all_ranks"]
    assert [report["mpi_share"], report["duration_s"], report["overhead"]["fraction"]] == [None, None, None]
    calls = {row["function"]: row["calls"] for row in report["functions"]}
    expected = {"MPI_Initialized": 1} | ({} if how.startswith("init") else {"MPI_Init": 1})
    assert calls == expected | ({"MPI_Abort": 1} if how == "abort" else {})

    out = io.StringIO()
    Report(open_run(tmp_path / "run")).print(Console(file=out, width=100))
    assert " ".join(out.getvalue().split()).startswith(report["verdict"])
    assert all(float(share) <= 100 for share in re.findall(r"([\d.]+) %", out.getvalue()))
    assert "0 ns from MPI_Init" not in out.getvalue()


def test_a_process_that_ended_before_mpi_init_is_no_rank(
    builder: Builder, one_of_each_family: Library, recorder: Path, tmp_path: Path
) -> None:
    ended("constructor", builder, one_of_each_family, recorder, tmp_path)
    with pytest.raises(DamagedTrace, match=r"nothing recorded in .*before MPI_Init"):
        open_run(tmp_path / "run")
