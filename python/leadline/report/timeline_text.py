"""A step as text: a row per rank, a column per stretch of time, in glyphs that can be told apart without colour."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leadline import _core
from leadline.figures.timeline.marks import parts
from leadline.figures.timeline.reading import StepCalls
from leadline.text import format as fmt

COMPUTATION, SHORT, WAITING, OUTSIDE = "·", "▁", "╱", " "
GLYPHS = {
    "completion": ("█", "red"),
    "point_to_point": ("▓", "blue"),
    "collective": ("▒", "green"),
    "one_sided": ("╬", "magenta"),
    "io": ("◆", "yellow"),
    "files": ("◇", "yellow"),
    "setup": ("░", "cyan"),
    "local": ("░", "cyan"),
    "startup": ("░", "cyan"),
}
FEWEST_COLUMNS = 10
Piece = tuple[str, str]  # text, style


@dataclass(frozen=True)
class Columns:
    """What a rank did in each stretch of time: the part of it in calls, by category, and of these in waiting; and the
    part within the step.
    """

    by_category: list[dict[str, float]]
    waiting: list[dict[str, float]]
    within: list[float]

    def piece(self, at: int) -> Piece:
        """That of the kind with most time; if most of that is waiting, waiting's. Calls shorter than the computation
        around them are marked as such.
        """
        spent = self.by_category[at]
        called = sum(spent.values())
        if self.within[at] <= 0 and not spent:
            return OUTSIDE, ""
        if not spent:
            return COMPUTATION, "dim"
        most = max(spent, key=lambda category: spent[category])
        glyph, color = GLYPHS.get(most, GLYPHS["setup"])
        if called < self.within[at] - called:
            return SHORT, color
        return (WAITING if 2 * self.waiting[at].get(most, 0.0) > spent[most] else glyph), color


def columns_of(
    step: StepCalls, rows: range, width: int, category_of: Callable[[int], str], span_s: float = 0.0
) -> Columns:
    """rows: of one rank.   span_s: as for picture()."""
    stretch_s = max(step.stop_s - step.start_s, span_s, 1e-9) / width
    found = Columns([{} for _ in range(width)], [{} for _ in range(width)], [0.0] * width)

    def add(to: list[dict[str, float]], category: str, begin_s: float, end_s: float) -> None:
        for column, part in parts(begin_s, end_s, stretch_s, width):
            to[column][category] = to[column].get(category, 0.0) + part

    for row in rows:
        category, begin_s, end_s = category_of(row), step.begin_s[row] - step.start_s, step.end_s[row] - step.start_s
        add(found.by_category, category, begin_s, end_s)
        if waited_s := step.waited_s(row):
            add(found.waiting, category, begin_s, begin_s + waited_s)
        for column, part in parts(begin_s - max(0.0, step.gap_s[row]), end_s, stretch_s, width):
            found.within[column] += part
    return found


def picture(
    step: StepCalls,
    ranks: Sequence[str],
    lanes: Sequence[int],
    width: int,
    category_of: Callable[[int], str],
    span_s: float = 0.0,
) -> list[list[Piece]]:
    """An axis, a line per rank, and a legend.   ranks: labels of all lanes; lanes: those shown.   span_s: that the axis
    has at least, where two steps are compared.
    """
    label = max([4, *(len(ranks[lane]) for lane in lanes)])
    columns = max(FEWEST_COLUMNS, width - label - 2)
    lines: list[list[Piece]] = [[(" " * (label + 2) + axis(max(step.stop_s - step.start_s, span_s), columns), "dim")]]
    by_lane = step.rows_by_lane(len(ranks))
    seen: set[str] = set()
    for lane in lanes:
        filled = columns_of(step, by_lane[lane], columns, category_of, span_s)
        pieces: list[Piece] = [(f"{ranks[lane]:>{label}}  ", "")]
        for at in range(columns):
            pieces.append(filled.piece(at))
            seen.update(filled.by_category[at])
        lines.append(_joined(pieces))
    waits = any(WAITING in text for line in lines for text, _ in line[1:])
    return [*lines, *_in_lines(legend(seen, waits=waits), label + 2, width)]


def _in_lines(entries: Sequence[Piece], indent: int, width: int) -> list[list[Piece]]:
    """A legend, as many entries to a line as fit. Two pieces, glyph and name, are an entry."""
    lines: list[list[Piece]] = []
    used = width
    for glyph, name in zip(entries[::2], entries[1::2], strict=True):
        needed = len(glyph[0]) + len(name[0].rstrip())
        if used + needed > width:
            lines.append([(" " * indent, "")])
            used = indent
        lines[-1] += [glyph, name]
        used += len(glyph[0]) + len(name[0])
    for line in lines:
        line[-1] = line[-1][0].rstrip(), line[-1][1]
    return lines


def axis(span_s: float, columns: int) -> str:
    """ "0         1 ms      2 ms": round times, each beginning where it is."""
    if span_s <= 0:
        return "0"
    apart = 10.0 ** math.floor(math.log10(span_s))
    apart = next(
        a for a in (apart / 10, apart / 5, apart / 2, apart, 2 * apart, 5 * apart) if columns * a / span_s >= 12
    )
    text = "0"
    for n in range(1, int(span_s / apart) + 1):
        at, label = int(columns * n * apart / span_s), _tick(n * apart, apart, span_s)
        if len(text) < at and at + len(label) <= columns:
            text = text.ljust(at) + label
    return text


def _tick(seconds: float, apart: float, greatest: float) -> str:
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if greatest >= unit * 0.9999:
            decimals = max(0, math.ceil(-math.log10(apart / unit * 1.0001)))
            return f"{seconds / unit:.{decimals}f} {name}"
    return f"{seconds:.0e} s"


def legend(categories: set[str], *, waits: bool) -> list[Piece]:
    names = {name: _core.CATEGORY_NAMES[name].title for name in _core.CATEGORIES} | {"files": "file I/O"}
    pieces: list[Piece] = []
    for category, (glyph, color) in GLYPHS.items():
        if category in categories:
            pieces += [(glyph, color), (f" {names[category]}  ", "")]
    if waits:
        pieces += [(WAITING, ""), (" waiting for another rank  ", "")]
    return [*pieces, (COMPUTATION, "dim"), (" computation  ", ""), (SHORT, ""), (" short calls", "")]


def longest_calls(
    step: StepCalls,
    ranks: Sequence[str],
    lanes: Sequence[int],
    where_of: Callable[[int], str],
    rank_of: Callable[[int], str],
    most: int = 5,
) -> list[str]:
    """The longest calls on these lanes: rank, time, where, from when, and for whom they waited.

    rank_of: the label of a process of the run.
    """
    shown = set(lanes)
    rows = [row for row in range(len(step)) if step.lane[row] in shown]
    rows.sort(key=lambda row: step.begin_s[row] - step.end_s[row])
    return [
        f"rank {ranks[step.lane[row]]}: {fmt.seconds(step.end_s[row] - step.begin_s[row])} in {where_of(row)}, "
        f"begun at {fmt.seconds(step.begin_s[row] - step.start_s)}{_waiting(step, row, rank_of)}"
        for row in rows[:most]
    ]


def _waiting(step: StepCalls, row: int, rank_of: Callable[[int], str]) -> str:
    """ ", waiting 3.20 ms for rank 5"; "" if it is under a hundredth of the call."""
    wait = (step.waits or {}).get(row)
    if wait is None or wait.seconds < 0.01 * (step.end_s[row] - step.begin_s[row]):
        return ""
    return f", waiting {fmt.seconds(wait.seconds)} for rank {rank_of(wait.process)}"


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbours of one style as one piece."""
    joined: list[Piece] = []
    for text, style in pieces:
        if joined and joined[-1][1] == style:
            joined[-1] = joined[-1][0] + text, style
        else:
            joined.append((text, style))
    return joined
