"""gtc's messages in the trace: ring exchanges and zonal sums in the order of a stage, and the shift of particles."""

from collections import deque
from pathlib import Path

import pytest

from .recorded import NAME_AND_RANKS, Recording, library, quickest, record, result_line
from .test_gtc import _means

pytestmark = pytest.mark.ci  # for changes to workloads/

RADIAL, POLOIDAL, PLANES = 17, 32, 16
STEPS = 3
STAGES = 2 * STEPS
PLANE = RADIAL * POLOIDAL * 8
PARTICLE = 12 * 8
OPTIONS = {"grid": f"{RADIAL}x{POLOIDAL}x{PLANES}", "particles": 20000, "steps": STEPS}
DOMAINS = {2: 2, 4: 2, 8: 4, 16: 16}
IN_STAGE = {"MPI_Sendrecv", "MPI_Allreduce", "MPI_Allgather"}

Call = tuple[str, int, int]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[float, float]:
    return _means(result_line("gtc", quickest(), 1, OPTIONS, cwd=tmp_path_factory.mktemp("alone")))


def _fields(ranks: int, domains: int, stage: int) -> list[Call]:
    """The calls of a stage before its shift."""
    sharers = ranks // domains
    planes = PLANES // domains
    one_grid = ("MPI_Sendrecv", domains, PLANE)
    zonal_sum = ("MPI_Allreduce", domains, RADIAL * 8)
    waves = -(-(POLOIDAL // 2 + 1) // sharers)
    shared = sharers > 1
    return [
        *[("MPI_Allreduce", sharers, (planes + 1) * PLANE)] * shared,
        one_grid,  # charge
        zonal_sum,
        *[one_grid] * 4,  # smoothing of the density
        *[("MPI_Allgather", sharers, waves * planes * 2 * RADIAL * 8)] * shared,
        *[one_grid] * 2,  # smoothing of the potential
        zonal_sum,
        *[one_grid] * 2,  # the neighbours' potential
        ("MPI_Sendrecv", domains, 3 * PLANE),
        *[("MPI_Allreduce", ranks, 2 * RADIAL * 8)] * (stage == 2),
    ]


def _rounds_of_shift(calls: "deque[Call]", domains: int) -> int:
    """Takes a shift off the front: an allreduce, and after each round one more."""
    rounds = 0
    while True:
        assert calls.popleft() == ("MPI_Allreduce", domains, 4)
        if not calls or calls[0] != ("MPI_Sendrecv", domains, 8):
            return rounds
        rounds += 1
        for _ in ("right", "left"):
            assert calls.popleft() == ("MPI_Sendrecv", domains, 8)
            name, size, n_bytes = calls.popleft()
            assert (name, size, n_bytes % PARTICLE) == ("MPI_Sendrecv", domains, 0)


def _rounds(recording: Recording, rank: int, ranks: int) -> int:
    """Checks one rank's calls from the first stage to the last. Returns how many rounds all shifts took."""
    domains = DOMAINS[ranks]
    calls = deque(recording.order(rank, IN_STAGE))
    counted_at_setup = ("MPI_Allreduce", ranks, 5 * 8)
    assert calls.popleft() == counted_at_setup
    assert [calls.pop(), calls.pop()] == [counted_at_setup] * 2
    rounds = 0
    for number in range(STAGES):
        expected = _fields(ranks, domains, 1 + number % 2)
        assert [calls.popleft() for _ in expected] == expected
        rounds += _rounds_of_shift(calls, domains)
    assert not calls
    return rounds


@pytest.mark.parametrize(("name", "ranks"), NAME_AND_RANKS)
def test_a_stage_is_what_it_should_be(alone: tuple[float, float], tmp_path: Path, name: str, ranks: int) -> None:
    domains = DOMAINS[ranks]
    recording = record("gtc", library(name), ranks, {**OPTIONS, "domains": domains}, cwd=tmp_path)
    assert f"{domains} domains of {ranks // domains}," in recording.line
    assert _means(recording.line) == pytest.approx(alone, rel=2e-9)
    for routine, per_stage in (("chargei", 1), ("smooth", 6), ("field", 3)):
        ring = recording.traffic("MPI_Sendrecv", routine)
        assert ring.calls_min == ring.calls_max == per_stage * STAGES
        one_grid = STAGES * ranks * (per_stage - (routine == "field"))
        assert ring.sizes == {PLANE: one_grid} | ({3 * PLANE: STAGES * ranks} if routine == "field" else {})
    rounds = [_rounds(recording, rank, ranks) for rank in range(ranks)]
    assert min(rounds) >= STAGES
    shift = recording.traffic("MPI_Sendrecv", "shifti")
    assert shift.messages == 4 * sum(rounds)
    assert recording.traffic("MPI_Allreduce", "shifti").calls == sum(rounds) + STAGES * ranks
    if domains == PLANES:  # narrow domains: the fastest particles cross more than one
        assert max(rounds) > STAGES
