"""opatm with its output gathered by collections: the same file, few messages, and a root that holds little."""

import sys
from pathlib import Path

import pytest

from .recorded import library, record
from .running import Program, run_opatm

pytestmark = pytest.mark.ci  # for changes to workloads/

NX, NY, NZ, TRACERS = 13, 6, 4, 5
OPTIONS = {"grid": f"{NX}x{NY}x{NZ}", "tracers": TRACERS, "steps": 2, "cost": "light"}


def summary_bytes(levels: int) -> int:
    return 8 * 8 + 3 * 16 * levels + 3 * 8 * levels + 8 * 512  # header, profiles, histogram


@pytest.mark.parametrize("decomposition", ["strips", "strips:1,7,3,2", "2d"])
def test_the_file_is_that_of_single_sends(any_program: Program, tmp_path: Path, decomposition: str) -> None:
    chosen = {**OPTIONS, "steps": 49, "decomp": decomposition}  # two outputs
    serial = run_opatm(any_program, 4, {**chosen, "output": "serial.bin"}, cwd=tmp_path)
    gathered = run_opatm(any_program, 4, {**chosen, "io": "gathered", "output": "gathered.bin"}, cwd=tmp_path)
    assert gathered.checksum == serial.checksum
    assert (tmp_path / "gathered.bin").read_bytes() == (tmp_path / "serial.bin").read_bytes()


@pytest.mark.parametrize("decomposition", ["strips:10,30", "2d"])
def test_maps_that_travel_in_pieces_are_put_together(any_program: Program, tmp_path: Path, decomposition: str) -> None:
    # Pieces begin within rows and levels, and several groups of tracers follow one another, the last of them smaller.
    chosen = {"grid": "41x63x37", "tracers": 4, "steps": 1, "cost": "light", "decomp": decomposition}
    if decomposition != "2d":
        chosen["grid"] = "40x63x37"
    serial = run_opatm(any_program, 2, {**chosen, "output": "serial.bin"}, cwd=tmp_path)
    gathered = run_opatm(any_program, 2, {**chosen, "io": "gathered", "output": "gathered.bin"}, cwd=tmp_path)
    assert gathered.checksum == serial.checksum
    assert (tmp_path / "gathered.bin").read_bytes() == (tmp_path / "serial.bin").read_bytes()


def test_one_rank_gathers_from_itself(any_program: Program, tmp_path: Path) -> None:
    results = [run_opatm(any_program, 1, {**OPTIONS, "io": how}, cwd=tmp_path) for how in ("serial", "gathered")]
    assert results[0].checksum == results[1].checksum


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_one_message_of_a_rank_replaces_its_sends(name: str, tmp_path: Path) -> None:
    ranks, others = 4, 3 + 3 + 3  # points from west to east that are not the root's
    chosen = {**OPTIONS, "io": "gathered", "decomp": "strips:4,3,3,3"}
    run = record("opatm", library(name), ranks, chosen, cwd=tmp_path)
    sent = run.traffic("MPI_Isend", "trcwri")
    assert (sent.calls, sent.calls_min, sent.calls_max) == (ranks - 1, 0, 1)
    assert sent.n_bytes == TRACERS * ((ranks - 1) * summary_bytes(NZ) + 4 * others * NY * NZ * 8)
    assert run.traffic("MPI_Irecv", "trcwri").n_bytes == sent.n_bytes
    assert run.calls("MPI_Send") == run.calls("MPI_Gatherv") == run.traffic("MPI_Gather", "trcwri").calls == 0


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_long_maps_travel_in_pieces_that_fit_the_caches(name: str, tmp_path: Path) -> None:
    tracers, piece = 9, 30 * 32 * 24 * 8 // 2  # half of the other rank's map, which is longer than 128 KiB
    chosen = {"grid": "40x32x24", "tracers": tracers, "steps": 1, "cost": "light", "decomp": "strips:10,30"}
    run = record("opatm", library(name), 2, {**chosen, "io": "gathered"}, cwd=tmp_path)
    sent, checked = run.traffic("MPI_Isend", "trcwri"), run.traffic("MPI_Issend", "trcwri")
    assert sent.sizes + checked.sizes == {summary_bytes(24): tracers, piece: tracers * 4 * 2}
    assert checked.calls == tracers * 2  # every fourth of a tracer's nine messages
    assert run.calls("MPI_Send") == 0


PEAK = """
import os, sys
pid = os.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(pid, 0)
names = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
rank = next(os.environ[name] for name in names if name in os.environ)
open("peak." + rank, "w").write(str(used.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def root_has_more_kib(program: Program, grid: str, how: str, cwd: Path) -> int:
    """What the root's peak memory is above the other rank's, which has as much of the sea."""
    words = [f"--grid={grid}", "--tracers=2", "--steps=1", "--cost=light", f"--io={how}"]
    done = program.start(2, words, cwd=cwd, wrapper=[sys.executable, "-c", PEAK])
    assert done.returncode == 0, done.stdout + done.stderr
    root, other = (int((cwd / f"peak.{rank}").read_text()) for rank in range(2))
    return root - other


def test_the_root_holds_no_more_for_a_larger_sea(any_program: Program, tmp_path: Path) -> None:
    limit, noise = 4 << 10, 3 << 10  # KiB; what the libraries allocate differs between ranks
    for grid in ("64x64x24", "128x128x64"):  # a map of the sea has 768 KiB, and 8 MiB
        assert root_has_more_kib(any_program, grid, "gathered", tmp_path) <= limit + noise
    assert root_has_more_kib(any_program, "128x128x64", "serial", tmp_path) >= 4 * (8 << 10) - noise
