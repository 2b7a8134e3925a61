"""opatm with its tracers' messages packed into segments: the same result to the bit, in as many messages as it says."""

from collections import Counter
from pathlib import Path

import pytest

from .recorded import library, record
from .running import Program, run_opatm

pytestmark = pytest.mark.ci  # for changes to workloads/

NX, NY, NZ, TRACERS, STEPS = 13, 6, 4, 5, 2
OPTIONS = {"grid": f"{NX}x{NY}x{NZ}", "tracers": TRACERS, "steps": STEPS, "cost": "light"}
FACE, ROW = 8 * NY * NZ, 8 * NY
# Per step and neighbour: exchanges, and the size of a tracer's part of one.
ROUTINES = {"trcadv": (8, FACE), "trchdf": (NZ - 1, ROW), "trcnxt": (1, FACE)}
SIZES = {"1": [5], "2": [3, 2], "3,1,1": [3, 1, 1], "1,4": [1, 4], "5": [1] * 5}
FORMS = [*SIZES, "auto"]
LEAST_PERSISTENT = 512  # bytes, PERSISTENT in parts/segments/message_sizes.h
RECORDED = [("mpich", 2, "1"), ("mpich", 2, "5"), ("openmpi", 4, "3,1,1"), ("openmpi", 3, "2")]


@pytest.fixture(scope="module")
def plain(any_program: Program, tmp_path_factory: pytest.TempPathFactory) -> str:
    return run_opatm(any_program, 2, OPTIONS, cwd=tmp_path_factory.mktemp("plain")).checksum


@pytest.mark.parametrize("form", FORMS)
def test_the_result_is_that_of_single_messages(any_program: Program, plain: str, tmp_path: Path, form: str) -> None:
    result = run_opatm(any_program, 2, {**OPTIONS, "segments": form}, cwd=tmp_path)
    assert result.checksum == plain
    assert result.mass_error <= 1e-10


@pytest.mark.parametrize("form", ["1", "3,1,1", "auto"])
def test_so_it_is_with_neighbours_on_four_sides(openmpi: Program, plain: str, tmp_path: Path, form: str) -> None:
    assert run_opatm(openmpi, 4, {**OPTIONS, "decomp": "2d", "segments": form}, cwd=tmp_path).checksum == plain


def test_auto_keeps_the_result_beyond_the_steps_it_needs(any_program: Program, tmp_path: Path) -> None:
    longer = {**OPTIONS, "steps": 60, "grid": "6x4x3"}
    packed = run_opatm(any_program, 2, {**longer, "segments": "auto"}, cwd=tmp_path)
    assert packed.checksum == run_opatm(any_program, 2, longer, cwd=tmp_path).checksum


@pytest.mark.parametrize(("name", "ranks", "form"), RECORDED)
def test_a_segment_is_one_message(name: str, ranks: int, form: str, tmp_path: Path) -> None:
    run = record("opatm", library(name), ranks, {**OPTIONS, "segments": form}, cwd=tmp_path)
    for routine, (exchanges, size) in ROUTINES.items():
        each = STEPS * exchanges * 2 * (ranks - 1)
        expected: Counter[int] = Counter()
        for tracers in SIZES[form]:
            expected[size * tracers] += each
        # MPI_Start sends what MPI_Send_init has said; short messages are sent without.
        starts, isends = run.traffic("MPI_Start", routine), run.traffic("MPI_Isend", routine)
        assert Counter(starts.sizes) + Counter(isends.sizes) == expected, routine
        assert all(size >= LEAST_PERSISTENT for size in starts.sizes)
        assert starts.calls == 2 * starts.messages  # as many receives are started


def test_leaving_out_an_exchange_needs_single_messages(any_program: Program, tmp_path: Path) -> None:
    words = [f"--{name}={value}" for name, value in {**OPTIONS, "segments": 1}.items()]
    done = any_program.start(2, words, cwd=tmp_path, left_out="trcadv:1")
    assert done.returncode == 2
    assert "OPATM_LEAVE_OUT needs --segments none" in done.stderr
