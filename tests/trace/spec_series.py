"""The series of a trace: times call by call, written from docs/reference/format.md alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isqrt

from spec_packing import Coded, Model
from spec_walk import Payload


def twelfth_root_levels() -> list[int]:
    """floor(2^(i/12) * 2^32): the twelfth root of 2^(i + 384), found without fractions."""
    found = []
    for i in range(12):
        low, high = 1 << 32, 1 << 33
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if middle**12 <= 1 << (i + 384) else (low, middle)
        found.append(low)
    assert found[6] == isqrt(1 << 65)
    return found


T = twelfth_root_levels()


def begins(level: int) -> int:
    return (T[level % 12] << (level // 12)) >> 32


@dataclass
class Habit:
    mean: int = 0
    spread: int = 0
    last: int = 0
    seen: int = 0

    @property
    def usual(self) -> int:
        return (self.mean + 8) >> 4

    def take(self, level: int) -> None:
        difference = abs(level - self.usual)
        shift = min(self.seen, 3)
        self.mean += (16 * level - self.mean) >> shift
        self.spread += (32 * min(difference, 30) - self.spread) >> shift
        self.last = level
        self.seen = min(self.seen + 1, 3)


def kind_of(difference: int) -> int:
    size = abs(difference)
    kind = sum(size >= least for least in (1, 3, 7, 16))
    return -kind if difference < 0 else kind


@dataclass
class Window:
    kind: int
    loop: int
    first_call: int
    begin: int
    ticks: int
    iteration: int
    calls: int


@dataclass
class Series:
    thread: int
    generation: int
    factor: int
    tolerance: int
    lines: list[str] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    data: bytes = b""
    marks: int = 0

    def values(self, positions: Iterator[int]) -> Iterator[tuple[int, float, float]]:
        """(mark, duration, gap) in ns of each call, given the positions of the calls in the windows."""
        coded = Coded(self.data)
        self.models: dict[tuple[object, ...], Model] = defaultdict(Model)
        self.duration = 0
        habits: dict[int, tuple[Habit, Habit]] = {}
        common = (Habit(), Habit())
        for position in positions:
            own = habits.setdefault(position, (Habit(), Habit()))
            mark = coded.bit(4096) if self.marks else 0
            duration, gap = (self.number(coded, i, own[i], common[i]) for i in range(2))
            yield mark, duration, gap

    def difference(self, coded: Coded, *contexts: tuple[object, ...]) -> int:
        def bit(node: object) -> int:
            a, b = (self.models[context, node] for context in contexts)
            found = coded.bit((a.p + b.p) // 2)
            a.take(found)
            b.take(found)
            return found

        if bit("zero"):
            return 0
        negative = bit("negative")
        n = 0
        while n < 9 and not bit((negative, "length", n)):
            n += 1
        size = 1
        for i in range(n):
            size = size << 1 | (bit((negative, n, size)) if i < 2 else coded.bit(32768))
        return -size if negative else size

    def number(self, coded: Coded, gap: int, own: Habit, common: Habit) -> float:
        source = own if own.seen else common
        spread = min((source.spread // 8 + 1 if source.seen else 9).bit_length(), 7)
        last = kind_of(own.last - source.usual) if own.seen else 0
        difference = self.difference(coded, ("last", gap, spread, last), ("own", gap, spread, kind_of(self.duration)))
        level = min(max(source.usual + difference, 0), 767)
        if not gap:
            self.duration = difference
        if not own.seen:
            own.mean, own.spread = common.mean, common.spread
        own.take(level)
        common.take(level)
        begin = begins(level)
        width = begins(level + 1) - begin
        detail = 0
        while begin // 32 + 1 > self.tolerance and detail < 24 and width >> (detail + 1) > self.tolerance:
            detail += 1
        value = float(begin)
        if detail:
            value = begin + (coded.plain(detail) + 0.5) * float(width) / (1 << detail)
        elif width > 1:
            value = 2 * float(begin) * (begin + float(width) - 1) / (2 * float(begin) + width - 1)
        return (value - 1) * (self.factor / (1 << 32))


def read_series(p: Payload) -> Series:
    s = Series(p.varint(), p.varint(), p.varint(), p.varint())
    for _ in range(p.varint()):
        words = [p.varint(), p.byte(), p.varint()]
        ways = [(p.varint(), p.varint()) for _ in range(p.varint())] if words[2] else []
        words += [p.varint() for _ in range(9)]
        s.lines.append("loop " + " ".join(map(str, words)))
        for what, leaves in (("begins", 0), ("ends", 1)):
            s.lines += [f"{what} {a} {b >> 1}" for a, b in sorted(ways) if b & 1 == leaves]
        read_strip(p, s)
        for _ in range(p.varint()):
            s.lines.append(f"slow {p.varint()} {p.varint()} {p.svarint()} {p.varint()} {p.varint()}")
    call = ticks = iteration = 0
    for _ in range(p.varint()):
        w = Window(p.byte(), p.varint(), call + p.svarint(), ticks + p.svarint(), p.varint(), iteration, 0)
        w.iteration += p.svarint()
        w.calls = p.varint()
        call, ticks, iteration = w.first_call + w.calls, w.begin + w.ticks, w.iteration
        s.windows.append(w)
        s.lines.append(f"window {w.kind} {w.loop} {w.first_call} {w.begin} {w.ticks} {w.iteration} {w.calls}")
    s.data = p.block()
    s.marks = p.byte() if p.more() else 0
    return s


def read_strip(p: Payload, s: Series) -> None:
    size, shift = p.varint(), p.byte()
    mean = 0
    for i in range(p.varint()):
        count = p.varint()
        if count:
            mean += p.svarint()
            least, most, slowest = mean - p.varint(), mean + p.varint(), i * size + p.varint()
            s.lines.append(f"strip {i * size} {count} {mean << shift} {least << shift} {most << shift} {slowest}")
