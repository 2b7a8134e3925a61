"""vh1's communication in the trace: six all-to-all transposes and one maximum per pair of cycles, and nothing else."""

from pathlib import Path

import pytest

from .recorded import NAME_AND_RANKS, Recording, library, quickest, record, result_line

pytestmark = pytest.mark.ci  # for changes to workloads/

STEPS = 3
GRID = 16
VARIABLES = 6
OPTIONS = {"grid": f"{GRID}x{GRID}x{GRID}", "steps": STEPS}
PENCILS = {2: (1, 2), 4: (2, 2), 8: (2, 4), 16: (4, 4)}
IN_STEP = {"MPI_Alltoall", "MPI_Allreduce"}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> str:
    return result_line("vh1", quickest(), 1, OPTIONS, cwd=tmp_path_factory.mktemp("alone"))


@pytest.mark.parametrize(("name", "ranks"), NAME_AND_RANKS)
def test_transposes_and_maxima_of_a_step(alone: str, tmp_path: Path, name: str, ranks: int) -> None:
    recording = record("vh1", library(name), ranks, OPTIONS, cwd=tmp_path)
    py, pz = PENCILS[ranks]
    assert f"{py} x {pz} pencils" in recording.line
    assert recording.line.split()[-1] == alone.split()[-1]  # the fingerprint
    pencil = GRID**3 // ranks * VARIABLES * 8
    for routine, per_step in (("sweepy", 4), ("sweepz", 2)):
        traffic = recording.traffic("MPI_Alltoall", routine)
        assert traffic.calls_min == traffic.calls_max == per_step * STEPS
        assert traffic.n_bytes == traffic.n_bytes_received == traffic.calls * pencil
    maxima = recording.traffic("MPI_Allreduce", "dtcon")
    assert maxima.calls_min == maxima.calls_max == STEPS
    assert maxima.n_bytes == maxima.calls * 8
    _assert_nothing_else(recording, ranks, 6)
    step = [("MPI_Allreduce", ranks, 8)]
    for axis in "yzy":
        members = py if axis == "y" else pz
        step += [("MPI_Alltoall", members, pencil // members)] * 2
    assert recording.order(ranks - 1, IN_STEP) == step * STEPS


def _assert_nothing_else(recording: Recording, ranks: int, transposes: int) -> None:
    assert recording.calls("MPI_Alltoall") == transposes * STEPS * ranks
    assert recording.calls("MPI_Allreduce") == STEPS * ranks
    assert recording.report["totals"]["messages"] == 0


def test_two_dimensions_take_two_transposes(tmp_path: Path) -> None:
    recording = record("vh1", quickest(), 2, {"grid": "16x16x1", "steps": STEPS}, cwd=tmp_path)
    _assert_nothing_else(recording, 2, 2)
    part = 8 * 8 * VARIABLES * 8
    step = [("MPI_Allreduce", 2, 8), ("MPI_Alltoall", 2, part), ("MPI_Alltoall", 2, part)]
    assert recording.order(0, IN_STEP) == step * STEPS
