"""The series of a trace: times call by call, written from docs/format.md alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isqrt

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
    seen: int = 0

    def copy(self) -> Habit:
        return Habit(self.mean, self.spread, self.seen)

    def take(self, level: int, d: int) -> None:
        shift = min(self.seen, 3)
        self.mean += (16 * level - self.mean) >> shift
        self.spread += (16 * min(d, 255) - self.spread) >> shift
        self.seen = min(self.seen + 1, 3)


@dataclass
class Bits:
    data: bytes
    at: int = 0

    def take(self, n: int) -> int:
        value = 0
        for i in range(n):
            value |= (self.data[self.at // 8] >> (self.at % 8) & 1) << i
            self.at += 1
        return value


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
        bits = Bits(self.data)
        habits: dict[int, tuple[Habit, Habit]] = {}
        common = (Habit(), Habit())
        for position in positions:
            own = habits.setdefault(position, (Habit(), Habit()))
            mark = bits.take(1) if self.marks else 0
            duration, gap = (self.number(bits, own[i], common[i]) for i in range(2))
            yield mark, duration, gap

    def number(self, bits: Bits, own: Habit, common: Habit) -> float:
        source = own if own.seen else common
        k = (source.spread // 24 if source.seen else 16).bit_length()
        high = 0
        while high < 16 and bits.take(1):
            high += 1
        d = (high << k) + bits.take(k) if high < 16 else bits.take(12)
        level = min(max((source.mean + 8 >> 4) + ((d >> 1) ^ -(d & 1)), 0), 767)
        if not own.seen:
            own.mean, own.spread, own.seen = common.mean, common.spread, common.seen
        own.take(level, d)
        common.take(level, d)
        begin = begins(level)
        width = begins(level + 1) - begin
        detail = 0
        while begin // 32 + 1 > self.tolerance and detail < 24 and width >> (detail + 1) > self.tolerance:
            detail += 1
        value = float(begin)
        if detail:
            value = begin + (bits.take(detail) + 0.5) * float(width) / (1 << detail)
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
