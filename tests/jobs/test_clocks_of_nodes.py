"""Nodes whose clocks differ, by their time namespaces and by drifts that are injected: what comes out is one time."""

import subprocess
from pathlib import Path

import pytest
from recorder.clock_checks import assert_one_time

from leadline import mpi
from leadline.figures.run import open_run
from leadline.report import to_json

from .conftest import LEADLINE, Program, processes_of
from .hosts import CLOCK_STEP_S
from .slurm import Slurm

pytestmark = pytest.mark.full

CLOCKS = Path(__file__).resolve().parents[1] / "programs" / "clocks.c"
DRIFT_PPM = (0, 120, -150)
AHEAD_NS = (0, 3_000_000, -7_000_000)  # besides what the namespaces do


@pytest.fixture
def clocks(cluster: Slurm, library: mpi.Library) -> Program:
    path = cluster.shared / "clocks" / f"clocks-{library.name}"
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        subprocess.run([library.mpicc, CLOCKS, "-o", path], check=True, env=library.env(), timeout=120)
    return Program(path, library)


@pytest.mark.parametrize("drifts", [False, True], ids=["ahead", "ahead and drifting"])
def test_times_of_three_nodes_come_out_as_one_within_the_error_that_is_reported(
    cluster: Slurm, clocks: Program, directory: Path, drifts: bool
) -> None:
    shifts = ",".join(f"{rank}:{AHEAD_NS[rank]}:{DRIFT_PPM[rank]}" for rank in (1, 2))
    environ = {**clocks.environ, "LEADLINE_SERIES": "all", **({"LEADLINE_TEST_CLOCKS": shifts} if drifts else {})}
    words = f"{LEADLINE} record -o run -- {clocks.srun} -N3 -n3 {clocks.path} 40"
    ended = cluster.run(words, directory, environ)
    assert ended.code == 0, ended.everything
    processes = processes_of(directory / "run")
    assert len({process.host for process in processes}) == 3
    for rank, process in enumerate(processes):
        ahead_ns = rank * CLOCK_STEP_S * 1_000_000_000 + (AHEAD_NS[rank] if drifts else 0)
        (first, first_offset, first_error), (last, last_offset, last_error) = process.clock_comparisons
        assert max(first_error, last_error) < CLOCK_STEP_S * 1_000_000  # far less than they differ
        ppm = DRIFT_PPM[rank] if drifts else 0
        if not ppm:
            assert abs(first_offset + ahead_ns) <= first_error
            assert abs(last_offset + ahead_ns) <= last_error
        drift = (last - first) * ppm / (1_000_000 + ppm)
        assert abs(last_offset - first_offset + drift) <= first_error + last_error + 2
    found = to_json(open_run(directory / "run"))["iterations"]["clocks"]
    assert (found["kind"], found["clocks"], found["drift_known"]) == ("exchanged", 3, True)
    assert_one_time(processes, directory / "run", found["error_s"] * 1e9)
