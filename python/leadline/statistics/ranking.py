"""Groups of candidates that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence

MOST_GROUPS = 200  # they can grow with the power of two; beyond it, only the best group is told


def groups(n: int, differ: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The largest sets of 0..n-1 of which no two differ, those with the smallest numbers first.

    Two candidates share a group if and only if they are not in `differ`. Source: Piepho, "An Algorithm for a
    Letter-Based Representation of All-Pairwise Comparisons", 2004 (insert and absorb).
    """
    found: list[frozenset[int]] = [frozenset(range(n))] if n else []
    for a, b in differ:
        split: list[frozenset[int]] = []
        for group in found:
            split += [group - {a}, group - {b}] if a in group and b in group else [group]
        split.sort(key=len, reverse=True)
        found = []
        for group in split:
            if group and not any(group <= other for other in found):
                found.append(group)
        if len(found) > MOST_GROUPS:
            apart = {frozenset(pair) for pair in differ}
            return [[i for i in range(n) if i == 0 or frozenset((0, i)) not in apart]]
    return sorted(sorted(group) for group in found)
