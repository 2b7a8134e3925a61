"""The communication of wrf, counted from traces of every library, and held against the published profile."""

from collections import Counter
from dataclasses import dataclass

import pytest

from .recorded import Recording, library, record, runs

pytestmark = pytest.mark.ci  # for changes to workloads/

NX, NY, NZ, STEPS = 14, 16, 4, 6
FRAMES = STEPS // 6
FIELDS, WITH_LEVELS = 29, 18  # of a frame of output

# Exchanges of a step: how often, width, and levels of all the fields packed. Fields on the lower faces have one more.
PER_STEP = [
    (3, 3, 12 * NZ + 1),  # stage:1, 12 fields
    (3, 1, 13 * NZ + 2),  # stage:2, 13 fields
    (3, 3, 5 * NZ + 1),  # stage:3, 5 fields
    (1 + 2 + 4, 1, 2 * NZ),  # acoustic:1, 2 fields
    (1 + 2 + 4, 1, 6 * NZ + 1),  # acoustic:2, 6 fields
]
EXCHANGES = STEPS * sum(times for times, _, _ in PER_STEP) + 1  # and the initial one

# G. Diaz Lopez de la Llave, WRF's case em_b_wave on two physical nodes, one process each; calls of both together.
# The virtual nodes made the same numbers of calls.
PUBLISHED = {
    "MPI_Wait": 126_760,
    "MPI_Isend": 63_380,
    "MPI_Irecv": 63_380,
    "MPI_Bcast": 21_764,
    "MPI_Gatherv": 13_230,
    "MPI_Gather": 13_372,
    "MPI_Comm_rank": 126_584,
    "MPI_Comm_size": 13_382,
}


@dataclass(frozen=True)
class Cut:
    columns: int
    rows: int

    def neighbours(self) -> list[int]:
        """Messages that each rank sends in an exchange: the channel is a ring from west to east, and has two walls."""
        sideways = 2 if self.columns > 1 else 0
        return [sideways + (row > 0) + (row < self.rows - 1) for row in range(self.rows) for _ in range(self.columns)]

    def sizes(self, width: int, levels: int) -> Counter[int]:
        """The messages of one exchange, by bytes, all ranks together."""
        sizes: Counter[int] = Counter()
        for row in range(self.rows):
            for column in range(self.columns):
                across = _points(NX, self.columns, column)
                along = _points(NY, self.rows, row) + 2 * width
                sizes[8 * width * levels * across] += (row > 0) + (row < self.rows - 1)
                sizes[8 * width * levels * along] += 2 if self.columns > 1 else 0
        return +sizes


def _points(points: int, parts: int, part: int) -> int:
    return points // parts + (part < points % parts)


CUTS = {2: Cut(1, 2), 4: Cut(2, 2), 8: Cut(2, 4), 16: Cut(4, 4)}


@pytest.fixture(scope="module", params=runs())
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, Cut]:
    name, ranks = request.param
    options = {"grid": f"{NX}x{NY}x{NZ}", "steps": STEPS}
    recording = record("wrf", library(name), ranks, options, cwd=tmp_path_factory.mktemp("wrf"))
    cut = CUTS[ranks]
    assert f"{cut.columns} x {cut.rows} tiles" in recording.line
    return recording, cut


def test_a_step_packs_12_13_5_fields_a_stage_and_2_and_6_an_acoustic_step(run: tuple[Recording, Cut]) -> None:
    recording, cut = run
    sizes: Counter[int] = Counter()
    for times, width, levels in PER_STEP:
        sizes.update({size: STEPS * times * number for size, number in cut.sizes(width, levels).items()})
    sends = recording.traffic("MPI_Isend", "advance")
    assert sends.sizes == sizes
    neighbours = cut.neighbours()
    assert sends.calls_min == STEPS * 23 * min(neighbours)
    assert sends.calls_max == STEPS * 23 * max(neighbours)
    receives = recording.traffic("MPI_Irecv", "advance")
    assert (receives.calls, receives.calls_max) == (sends.calls, sends.calls_max)
    assert receives.n_bytes_received == sends.n_bytes


def test_every_message_is_waited_for_alone(run: tuple[Recording, Cut]) -> None:
    recording, cut = run
    assert recording.calls("MPI_Isend") == recording.calls("MPI_Irecv") == EXCHANGES * sum(cut.neighbours())
    assert recording.calls("MPI_Wait") == 2 * recording.calls("MPI_Isend")


def test_every_phase_asks_for_its_place(run: tuple[Recording, Cut]) -> None:
    recording, _ = run
    ranks = recording.report["ranks"]
    assert recording.calls("MPI_Cart_shift") == ranks * EXCHANGES * 4
    assert recording.calls("MPI_Cart_coords") == ranks * EXCHANGES
    assert recording.calls("MPI_Comm_rank") == ranks * (2 * EXCHANGES + 1)


def test_a_frame_gathers_29_fields_and_broadcasts_what_was_found(run: tuple[Recording, Cut]) -> None:
    recording, _ = run
    ranks = recording.report["ranks"]
    plane = 8 * NX * NY
    gathered = FRAMES * plane * (WITH_LEVELS * NZ + FIELDS - WITH_LEVELS)
    gathers = recording.traffic("MPI_Gatherv", "History::gather")
    assert gathers.calls == ranks * FRAMES * FIELDS == recording.calls("MPI_Gather") == recording.calls("MPI_Gatherv")
    assert gathers.n_bytes == gathers.n_bytes_received == gathered
    assert recording.calls("MPI_Comm_size") == ranks * (FRAMES * FIELDS + 1)
    broadcasts = recording.calls("MPI_Bcast")
    assert broadcasts == ranks * FRAMES * (FIELDS + WITH_LEVELS)


def test_on_two_ranks_calls_stand_to_one_another_as_published(run: tuple[Recording, Cut]) -> None:
    recording, _ = run
    if recording.report["ranks"] != 2:
        return  # the table is of two nodes
    waits = recording.calls("MPI_Wait")
    for function, calls in PUBLISHED.items():
        assert recording.calls(function) / waits == pytest.approx(calls / PUBLISHED["MPI_Wait"], rel=0.2), function


def test_results_agree(run: tuple[Recording, Cut], fingerprints: set[str]) -> None:
    fingerprints.add(run[0].line.rpartition(" ")[2])
    assert len(fingerprints) == 1


@pytest.fixture(scope="module")
def fingerprints() -> set[str]:
    """The fingerprints of the runs so far."""
    return set()
