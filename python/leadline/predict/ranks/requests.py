"""Which requests a call completes, among those that are open: a rule that holds whatever their number is."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from leadline.predict.ranks.recorded_tree import Body, Call, Leaf

ANY = ("Waitany", "Waitsome", "Testany", "Testsome")


@dataclass(frozen=True)
class Completions:
    """Of a leaf's first call. open: the sites that made them, in their order.   completed: numbers among these."""

    open: tuple[Hashable, ...]
    completed: tuple[int, ...]

    def where(self, makers: frozenset[Hashable]) -> list[int]:
        return [i for i, maker in enumerate(self.open) if maker in makers]


@dataclass(frozen=True)
class Rule:
    """kind: all, of those that `makers` made; or the oldest or newest of these."""

    kind: str
    makers: frozenset[Hashable]

    def completed(self, known: Completions) -> list[int]:
        there = known.where(self.makers)
        if self.kind == "oldest":
            return there[:1]
        return there[-1:] if self.kind == "newest" else there


def rule_of(samples: Sequence[Completions], function: str) -> Rule | None:
    makers = frozenset(one.open[i] for one in samples for i in one.completed)
    rules = [Rule(kind, makers) for kind in ("oldest", "newest", "all")]
    if all(len(one.completed) == len(one.open) for one in samples) and any(len(one.open) > 1 for one in samples):
        rules.insert(0, Rule("all", makers))
    for rule in rules:
        if all(sorted(one.completed) == rule.completed(one) for one in samples):
            return rule
    return Rule("oldest", makers) if any(word in function for word in ANY) else None


def completions_of(body: Body, leaves: Sequence[Leaf]) -> dict[int, Completions]:
    """By leaf of a class, of those that complete requests."""
    found: dict[int, Completions] = {}
    walk = _Walk(leaves, found)
    walk.go(body)
    return found


class _Walk:
    def __init__(self, leaves: Sequence[Leaf], found: dict[int, Completions]) -> None:
        self.leaves, self.found = leaves, found
        self.made = 0
        self.open: list[tuple[int, Hashable]] = []
        self.seen: dict[int, int] = {}

    def go(self, body: Body) -> None:
        times_seen = self.seen.get(id(body), 0)
        if times_seen >= 2 and not self.open:
            return
        self.seen[id(body)] = times_seen + 1
        for group in body:
            for item, times in group.items:
                for _ in range(min(times, 64)):
                    if isinstance(item, Call):
                        self.call(item.leaf)
                    else:
                        for inner, count in item.runs:
                            for _ in range(min(count, 2)):
                                self.go(inner)

    def call(self, number: int) -> None:
        leaf = self.leaves[number]
        serials = {self.made - part.age for part in leaf.parts if part.request == "completes" and part.age}
        if leaf.requests == "completes" or serials:
            names = tuple(maker for _, maker in self.open)
            at = tuple(i for i, (serial, _) in enumerate(self.open) if serial in serials)
            self.found.setdefault(number, Completions(names, at))
            self.open = [one for one in self.open if one[0] not in serials]
        for _ in range(leaf.made):
            self.open.append((self.made, leaf.name))
            self.made += 1
