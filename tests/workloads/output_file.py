"""Reads opatm's output file, as workloads/opatm/output.hpp describes it."""

from array import array
from dataclasses import dataclass
from pathlib import Path

PROFILES = ("inventory", "mean_inventory", "sinking", "minimum", "maximum")
MAPS = ("concentration", "mean", "transport_change", "front_strength")


@dataclass(frozen=True)
class TracerOutput:
    """profiles: by name, nz values each.   maps: by name, nx * nz * ny values each, in this order of indices."""

    profiles: dict[str, array]
    blooming: array
    histogram: array
    maps: dict[str, array]


@dataclass(frozen=True)
class OutputFile:
    nx: int
    ny: int
    nz: int
    outputs: dict[int, list[TracerOutput]]  # by step


class _Words:
    """A file of 8-byte words, read from front to back."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, typecode: str, count: int) -> array:
        piece = self._content[self._at : self._at + 8 * count]
        assert len(piece) == 8 * count, f"the file ends at byte {len(self._content)}"
        self._at += 8 * count
        return array(typecode, piece)

    @property
    def at_end(self) -> bool:
        return self._at == len(self._content)


def read_output(path: Path) -> OutputFile:
    """Raises AssertionError where the file is not complete or not of this kind."""
    words = _Words(path.read_bytes())
    assert words.take("q", 1).tobytes() == b"OPATMOUT"
    version, nx, ny, nz, tracers, maps, bins = words.take("q", 7)
    assert (version, maps) == (1, len(MAPS))
    outputs: dict[int, list[TracerOutput]] = {}
    while not words.at_end:
        step = words.take("q", 1)[0]
        outputs[step] = [
            TracerOutput(
                {name: words.take("d", nz) for name in PROFILES},
                words.take("q", nz),
                words.take("q", bins),
                {name: words.take("d", nx * nz * ny) for name in MAPS},
            )
            for _ in range(tracers)
        ]
    return OutputFile(nx, ny, nz, outputs)


MASK = 0xFFFFFFFFFFFFFFFF


def checksum(path: Path) -> str:
    """The one the program prints, computed from the file: the sum over its words, each mixed with its place."""
    total = 0
    for place, word in enumerate(array("Q", path.read_bytes())):
        z = (word + (place + 1) * 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        total += z ^ (z >> 31)
    return f"{total & MASK:016x}"
