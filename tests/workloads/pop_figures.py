"""The output of a run of pop, and the messages its page promises, computed from the grid alone."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

LINE = re.compile(
    r"^(?P<name>pop\S*): grid .* in (?P<columns>\d+) x (?P<rows>\d+) blocks, (?P<steps>\d+) steps?, "
    r"(?P<iterations>\d+) iterations? with (?P<solver>\w+): .*, volume error (?P<volume>\S+), tracer error "
    r"(?P<tracer>\S+), residual (?P<residual>\S+), sea level (?P<level>\S+) m, speed (?P<speed>\S+) m/s, "
    r"tracers (?P<tracers>[^,]+)(?:, last member sea level (?P<last_level>\S+) m, speed (?P<last_speed>\S+) m/s, "
    r"tracers (?P<last_tracers>[^,]+))?(?:, seiche at (?P<seiche>\S+) for (?P<expected>\S+))?$"
)
HALO = 2
DOUBLE = 8


@dataclass(frozen=True)
class Figures:
    """values: what the result is compared by: sea level, speed and every tracer, root mean square.

    last: the same of the last of several members.
    """

    columns: int
    rows: int
    iterations: int
    volume_error: float
    tracer_error: float
    residual: float
    values: list[float]
    last: list[float]
    seiche: float
    expected_seiche: float


def figures_of(line: str) -> Figures:
    found = LINE.match(line)
    assert found, line
    values = [float(found["level"]), float(found["speed"]), *map(float, found["tracers"].split())]
    last = [found["last_level"], found["last_speed"], *(found["last_tracers"] or "").split()]
    return Figures(
        int(found["columns"]),
        int(found["rows"]),
        int(found["iterations"]),
        float(found["volume"]),
        float(found["tracer"]),
        float(found["residual"]),
        values,
        [float(value) for value in last if value],
        float(found["seiche"] or "nan"),
        float(found["expected"] or "nan"),
    )


@dataclass(frozen=True)
class Ocean:
    """The grid as it is cut. `points`: how many points of one rank's block lie in the halo of another."""

    nx: int
    ny: int
    columns: int
    rows: int

    def points(self) -> Counter[tuple[int, int]]:
        counted: Counter[tuple[int, int]] = Counter()
        xs, ys = _starts(self.nx, self.columns), _starts(self.ny, self.rows)
        for to in range(self.columns * self.rows):
            column, row = to % self.columns, to // self.columns
            inside = (range(xs[column], xs[column + 1]), range(ys[row], ys[row + 1]))
            for x, y in _ring(inside[0], inside[1]):
                if 0 <= y < self.ny:
                    counted[_which(ys, y) * self.columns + _which(xs, x % self.nx), to] += 1
        return Counter({pair: number for pair, number in counted.items() if pair[0] != pair[1]})

    def sizes(self, values_per_point: int) -> Counter[int]:
        """The messages of one update, by bytes, all ranks together."""
        return Counter(number * values_per_point * DOUBLE for number in self.points().values())

    def neighbours(self) -> list[int]:
        """The neighbours of each rank."""
        return [sum(1 for sender, _ in self.points() if sender == rank) for rank in range(self.columns * self.rows)]


def _starts(points: int, parts: int) -> list[int]:
    return [n * (points // parts) + min(n, points % parts) for n in range(parts + 1)]


def _which(starts: list[int], point: int) -> int:
    return max(n for n, start in enumerate(starts[:-1]) if start <= point)


def _ring(x: range, y: range) -> Iterator[tuple[int, int]]:
    for b in range(y.start - HALO, y.stop + HALO):
        for a in range(x.start - HALO, x.stop + HALO):
            if a not in x or b not in y:
                yield a, b
