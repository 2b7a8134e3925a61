"""Sequences of calls and loops that several ranks go through, merged into one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from leadline.predict.ranks.program import Sample
from leadline.predict.ranks.recorded_tree import Call

MOST_NEIGHBOURS = 64  # calls in a row, or iterations of a loop


def without_loops(samples: list[Sample]) -> list[tuple[Hashable, list[Sample]]] | None:
    """Of loops whose iterations all make the same few calls: the name of each of these, and the calls."""
    names = {tuple(g.name for g in body) for _, _, items in samples for loop, _ in items for body, _ in loop.runs}
    if len(names) != 1:
        return None
    order = names.pop()
    columns: list[list[Sample]] = [[] for _ in order]
    for point, run, items in samples:
        if any(times > 1 or len(loop.runs) > MOST_NEIGHBOURS for loop, times in items):
            return None
        bodies = [(body, count) for loop, _ in items for body, count in loop.runs]
        if any(g.count != 1 or not isinstance(g.items[0][0], Call) for body, _ in bodies for g in body):
            return None
        for place, column in enumerate(columns):
            column.append((point, run, tuple((body[place].items[0][0], count) for body, count in bodies)))
    return list(zip(order, columns, strict=True))


def with_indices(samples: list[Sample]) -> list[Sample]:
    """The first two and the last of each row of equal iterations."""
    found = []
    for point, run, items in samples:
        trips, at = sum(times for _, times in items), 0
        for item, times in items:
            for index in sorted({at, at + min(1, times - 1), at + times - 1}):
                found.append((point.inside(index, trips), run, item))
            at += times
    return found


def merged(sequences: Sequence[tuple[Hashable, ...]]) -> tuple[Hashable, ...]:
    """A sequence that all are part of."""
    distinct = sorted(dict.fromkeys(sequences), key=len, reverse=True)
    merged = distinct[0]
    for other in distinct[1:]:
        merged = _both(merged, other)
    return merged


def _both(a: tuple[Hashable, ...], b: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    """The shortest sequence that both are part of."""
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            longest[i][j] = longest[i + 1][j + 1] + 1 if a[i] == b[j] else max(longest[i + 1][j], longest[i][j + 1])
    found: list[Hashable] = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            found.append(a[i])
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            found.append(a[i])
            i += 1
        else:
            found.append(b[j])
            j += 1
    return (*found, *a[i:], *b[j:])


def places(names: tuple[Hashable, ...], order: tuple[Hashable, ...]) -> list[int]:
    found, at = [], 0
    for name in names:
        at = order.index(name, at)
        found.append(at)
        at += 1
    return found
