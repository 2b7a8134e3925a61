"""leadline import of what EZTrace (Debian's package) traced: counts are those of our own recording of the same run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
pytest.importorskip("otf2", reason="the package otf2 is not installed: ./dev setup")

from recorder import running
from recorder.libraries import find

from leadline import workloads
from leadline.__main__ import main

RANKS = 2
ARGUMENTS = ("--grid", "30x20x6", "--tracers", "4", "--steps", "3", "--cost", "light")
FUNCTIONS = {"MPI_Bcast", "MPI_Irecv", "MPI_Isend", "MPI_Wait", "MPI_Send", "MPI_Recv", "MPI_Reduce"}
NOT_TRACED = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Comm_rank", "MPI_Comm_size"}  # by EZTrace
# Of each function, over all ranks, and on the rank with the least and with the most.
FIGURES = ("calls", "calls_min", "calls_max", "messages", "messages_min", "messages_max", "bytes", "bytes_max")


def functions_of(directory: Path, capfd: pytest.CaptureFixture[str]) -> dict[str, dict[str, int]]:
    capfd.readouterr()
    assert main(["report", str(directory), "--json"]) == 0
    report = json.loads(capfd.readouterr().out)
    return {row["function"]: {name: row[name] for name in FIGURES} for row in report["functions"]}


def test_counts_of_a_workload_are_those_of_our_recording(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    eztrace, library, recorder = shutil.which("eztrace"), find("debian-openmpi"), running.find_recorder()
    if eztrace is None or library is None or recorder is None:
        pytest.skip("EZTrace and Debian's Open MPI are needed: apt-get install eztrace libopenmpi-dev openmpi-bin")
    program = [workloads.build(workloads.find("opatm"), library), *ARGUMENTS]
    recorded = running.run_mpi(
        library, RANKS, program, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "recorded"
    )
    assert recorded.returncode == 0, recorded.stderr
    traced = running.run_mpi(library, RANKS, [eztrace, "-o", tmp_path / "ez", "-t", "openmpi", *program], cwd=tmp_path)
    assert traced.returncode == 0, traced.stderr
    (folder,) = (tmp_path / "ez").iterdir()
    capfd.readouterr()
    assert main(["import", str(folder), "-o", str(tmp_path / "imported")]) == 0
    said = capfd.readouterr().err
    ours, theirs = functions_of(tmp_path / "recorded", capfd), functions_of(tmp_path / "imported", capfd)
    assert ours.keys() - theirs.keys() <= NOT_TRACED
    assert theirs.keys() == FUNCTIONS
    assert ours["MPI_Isend"]["messages"] > 0
    for name, figures in theirs.items():
        assert figures | {"bytes": 0, "bytes_max": 0} == ours[name] | {"bytes": 0, "bytes_max": 0}, name
    for name in ("MPI_Isend", "MPI_Send"):
        assert theirs[name] == ours[name]
    # What it does not trace is said: the completions of nonblocking calls, and where calls come from.
    assert "no completion, or a late one" in said
    assert "no call has a call path in the archive" in said
    assert "no MPI_Init: run time is from first to last call" in said
