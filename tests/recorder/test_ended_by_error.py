"""A run that the MPI library ended by an error, and calls that no recorder sees."""

import io
import sys
from pathlib import Path

from rich.console import Console

from leadline.figures.run import open_run
from leadline.report import Report

from .building import Builder
from .libraries import Library
from .reading import report_of
from .running import run_mpi


def test_a_send_to_a_rank_that_there_is_not_is_named_with_its_line(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(one_of_each_family, "counted.c", "-g")
    run = tmp_path / "run"
    outcome = run_mpi(one_of_each_family, 1, [program, "wrong"], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.returncode != 0
    report = report_of(run)
    out = io.StringIO()
    Report(open_run(run)).print(Console(file=out, width=200))
    assert "from MPI_Init to MPI_Finalize" not in out.getvalue()
    assert not report["complete"]
    if report["unfinished"]:  # Open MPI leaves by _exit: what the live memory holds says where
        (stop,) = report["unfinished"]
        assert (stop["in_call"], stop["routine"]) == ("MPI_Send", "wrong")
        return
    found = {finding["id"]: finding for finding in report["findings"]}["ended-by-error"]
    evidence = found["evidence"]
    assert (evidence["function"], evidence["routine"], evidence["ranks"]) == ("MPI_Send", "wrong", 1)
    assert evidence["place"].startswith("programs/counted.c:")
    assert report["verdict"].startswith("Rank 0 was ended by an error in MPI_Send in wrong at programs/counted.c:")


# RTLD_DEEPBIND: the plug-in's own libraries come before those that were preloaded.
LOADS_PLUGIN = "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW | os.RTLD_DEEPBIND).run()"


def test_a_program_whose_calls_bypass_the_recorder_is_said_not_to_be_recorded(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = [sys.executable, "-c", LOADS_PLUGIN, builder.tool(one_of_each_family, "deep_plugin.c")]
    outcome = run_mpi(one_of_each_family, 1, program, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    assert outcome.returncode == 0
    assert "it loaded an MPI library in a way that bypasses Leadline" in outcome.stderr
    assert not list((tmp_path / "run").glob("*.trace"))
