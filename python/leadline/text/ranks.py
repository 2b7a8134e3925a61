"""Numbers of ranks as words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def rank_list(ranks: Iterable[int]) -> str:
    """[1, 2, 3, 7] -> "ranks 1-3, 7"."""
    ordered = sorted(ranks)
    parts: list[str] = []
    begin = 0
    for i in range(1, len(ordered) + 1):
        if i == len(ordered) or ordered[i] != ordered[i - 1] + 1:
            first, last = ordered[begin], ordered[i - 1]
            parts.append(str(first) if first == last else f"{first}-{last}" if last > first + 1 else f"{first}, {last}")
            begin = i
    return ("rank " if len(ordered) == 1 else "ranks ") + ", ".join(parts)


def named(labels: Sequence[str]) -> str:
    """ "ranks 1-3, 7", or the first labels where ranks have names other than numbers."""
    numbers = [int(label) for label in labels if label.isdecimal()]
    if len(numbers) == len(labels):
        return rank_list(numbers)
    shown = ", ".join(labels[:8])
    return shown + (f" and {len(labels) - 8} more" if len(labels) > 8 else "")
