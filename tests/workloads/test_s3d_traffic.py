"""s3d's messages in the trace: a message per variable and face, in six stages and a filter a step."""

from pathlib import Path

import pytest

from .recorded import NAME_AND_RANKS, library, quickest, record, result_line

pytestmark = pytest.mark.ci  # for changes to workloads/

GRID = (20, 12, 12)
STEPS = 3
STAGES = 6
PRIMITIVES, CONSERVED = 6, 7
OPTIONS = {"grid": "x".join(str(points) for points in GRID), "steps": STEPS, "monitor": 2}
LOOKS = 2  # before the first and the third step
BLOCKS = {2: (2, 1, 1), 4: (2, 2, 1), 8: (2, 2, 2), 16: (4, 2, 2)}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> str:
    return result_line("s3d", quickest(), 1, OPTIONS, cwd=tmp_path_factory.mktemp("alone"))


def _face_bytes(parts: tuple[int, int, int], axis: int, width: int) -> int:
    """The bytes of `width` layers of a block; the grid divides evenly."""
    points = [GRID[n] // parts[n] for n in range(3) if n != axis]
    return width * points[0] * points[1] * 8


@pytest.mark.parametrize(("name", "ranks"), NAME_AND_RANKS)
def test_messages_of_stages_and_filter(alone: str, tmp_path: Path, name: str, ranks: int) -> None:
    parts = BLOCKS[ranks]
    blocks = "x".join(str(part) for part in parts)
    recording = record("s3d", library(name), ranks, {**OPTIONS, "blocks": blocks}, cwd=tmp_path)
    assert recording.line.split()[-1] == alone.split()[-1]  # the fingerprint
    cut = [axis for axis in range(3) if parts[axis] > 1]
    faces = 2 * len(cut)
    # Per rank and step: messages, how many calls of Waitall, and the width of the layers.
    expected = {
        "gradients": (STAGES * PRIMITIVES * faces, STAGES * PRIMITIVES, 4),
        "divergence": (STAGES * CONSERVED * faces, STAGES * CONSERVED * len(cut), 4),
        "filter": (CONSERVED * faces, CONSERVED * len(cut), 5),
    }
    for routine, (messages, waits, width) in expected.items():
        sends = recording.traffic("MPI_Isend", routine)
        assert sends.calls_min == sends.calls_max == messages * STEPS
        assert recording.traffic("MPI_Irecv", routine).calls == sends.calls == messages * STEPS * ranks
        assert recording.traffic("MPI_Waitall", routine).calls == waits * STEPS * ranks
        sizes: dict[int, int] = {}
        for axis in cut:
            n_bytes = _face_bytes(parts, axis, width)
            sizes[n_bytes] = sizes.get(n_bytes, 0) + sends.messages // len(cut)
        assert sends.sizes == sizes
    looks = recording.traffic("MPI_Allreduce", "monitor")
    assert (looks.calls_min, looks.calls_max, looks.n_bytes) == (LOOKS, LOOKS, LOOKS * ranks * 16)
    assert recording.calls("MPI_Allreduce") == LOOKS * ranks
    assert recording.report["totals"]["messages"] == sum(e[0] for e in expected.values()) * STEPS * ranks
