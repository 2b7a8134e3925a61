"""opatm with its output gathered by collectives: the same file to the bit, and no sends to the root."""

from pathlib import Path

import pytest

from .recorded import library, record
from .running import Program, run_opatm

NX, NY, NZ, TRACERS = 13, 6, 4, 5
OPTIONS = {"grid": f"{NX}x{NY}x{NZ}", "tracers": TRACERS, "steps": 2, "cost": "light"}
SUMMARY = 8 * 8 + 3 * 16 * NZ + 3 * 8 * NZ + 8 * 512  # header, profiles, histogram


@pytest.mark.parametrize("decomposition", ["strips", "strips:1,7,3,2", "2d"])
def test_the_file_is_that_of_single_sends(any_program: Program, tmp_path: Path, decomposition: str) -> None:
    chosen = {**OPTIONS, "steps": 49, "decomp": decomposition}  # two outputs
    serial = run_opatm(any_program, 4, {**chosen, "output": "serial.bin"}, cwd=tmp_path)
    gathered = run_opatm(any_program, 4, {**chosen, "io": "gathered", "output": "gathered.bin"}, cwd=tmp_path)
    assert gathered.checksum == serial.checksum
    assert (tmp_path / "gathered.bin").read_bytes() == (tmp_path / "serial.bin").read_bytes()


def test_one_rank_gathers_from_itself(any_program: Program, tmp_path: Path) -> None:
    results = [run_opatm(any_program, 1, {**OPTIONS, "io": how}, cwd=tmp_path) for how in ("serial", "gathered")]
    assert results[0].checksum == results[1].checksum


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_five_collectives_a_tracer_replace_the_sends(name: str, tmp_path: Path) -> None:
    ranks = 4
    run = record("opatm", library(name), ranks, {**OPTIONS, "io": "gathered"}, cwd=tmp_path)
    assert run.calls("MPI_Send") == run.calls("MPI_Recv") == 0
    summaries, maps = run.traffic("MPI_Gather", "trcwri"), run.traffic("MPI_Gatherv", "trcwri")
    assert (summaries.calls_min, summaries.calls_max, summaries.n_bytes) == (
        TRACERS,
        TRACERS,
        ranks * TRACERS * SUMMARY,
    )
    assert (maps.calls_min, maps.calls_max) == (4 * TRACERS, 4 * TRACERS)
    assert maps.n_bytes == TRACERS * 4 * NX * NY * NZ * 8
