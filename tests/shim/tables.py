"""Tables for the shim, and the reports it writes."""

import itertools
from dataclasses import dataclass
from pathlib import Path

import pytest

from leadline.bench import asking

OPERATIONS = ("bcast", "reduce", "allreduce")  # those of tests/programs/shim*.c
SEGMENT_BYTES = 512
LARGEST = 1 << 40


class Algorithm(asking.Algorithm):
    """An algorithm as the core lists it, with the settings that the tests use."""

    @property
    def settings(self) -> tuple[int, int]:
        """Bytes of a segment, and radix."""
        return SEGMENT_BYTES if self.takes_segments else 0, 3 if self.takes_radix else 0

    def rule(self, first: int = 1, last: int = LARGEST) -> str:
        segment, radix = self.settings
        return f"{self.operation} 2 64 {first} {last} {self.name} {segment} {radix}\n"


def algorithms(operation: str) -> list[Algorithm]:
    core = pytest.importorskip("leadline._core", reason="the core is not built: ./dev setup")
    found = [Algorithm(*words) for words in core.collective_algorithms()]
    return [algorithm for algorithm in found if algorithm.operation == operation]


def mixed_table(turn: int) -> str:
    """All operations, another algorithm for each size, other ones in each turn."""
    lines = []
    for operation in OPERATIONS:
        found = algorithms(operation)
        bounds = [1, 9, 64, 129, 1100, 10_000, 40_000, LARGEST]
        for place, (first, last) in enumerate(itertools.pairwise(bounds)):
            lines.append(found[(place + turn * (len(bounds) - 1)) % len(found)].rule(first, last - 1))
    return "".join(lines)


@dataclass(frozen=True)
class Line:
    """A line of a report."""

    operation: str
    processes: int
    first: int
    last: int
    algorithm: str
    calls: int
    why: str


def report(directory: Path, rank: int) -> tuple[list[Line], list[str]]:
    """The lines of a rank's report, and what stands in its comments."""
    lines, comments = [], []
    for text in (directory / f"shim-{rank}").read_text().splitlines():
        if text.startswith("#"):
            comments.append(text.removeprefix("# "))
            continue
        words = text.split(" ", 8)
        native = words[4] == "native"
        assert native or words[8].startswith("rule ")
        lines.append(Line(words[0], *map(int, words[1:4]), words[4], int(words[7]), words[8] if native else ""))
    assert comments[0] == "leadline shim 1"
    assert comments[-1] == "end"
    return lines, comments


def tuned_calls(lines: list[Line]) -> int:
    return sum(line.calls for line in lines if line.algorithm != "native")
