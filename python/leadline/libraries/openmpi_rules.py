"""Reads a rules file of Open MPI's coll/tuned as Open MPI does, and finds the parts that silently have no effect."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

OWN_CHOICE = 0  # the algorithm by which Open MPI's own decision stays


@dataclass
class RulesFile:
    """rules: of each collective and first number of ranks, the first size and the algorithm of each, in order.

    whole: the file can be read to its end; otherwise Open MPI ignores all of it.
    """

    rules: dict[int, list[tuple[int, list[tuple[int, int]]]]] = field(default_factory=dict)
    whole: bool = True

    def algorithm(self, collective: int, processes: int, size: int) -> int | None:
        """The one that it names for a call; None if it has no rule for it. The last that does not exceed it counts."""
        found = None
        for _, sizes in self._reached(collective, processes):
            reached = [algorithm for first, algorithm in itertools.takewhile(lambda rule: rule[0] <= size, sizes)]
            found = reached[-1] if reached else None
        return found

    def _reached(self, collective: int, processes: int) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        return itertools.takewhile(lambda rule: rule[0] <= processes, self.rules.get(collective, []))

    def problems(self, collective: int, processes: int) -> list[str]:
        """What keeps rules for a collective from having an effect on a job of this many processes; [] if nothing."""
        if not self.whole:
            return ["truncated or not a number: Open MPI ignores the whole file"]
        found = []
        for first, sizes in self.rules.get(collective, []):
            found += _of_sizes(f"collective {collective}, {first} ranks", [size for size, _ in sizes])
        return found + _of_processes(collective, [first for first, _ in self.rules.get(collective, [])], processes)


class _Ended(Exception):
    pass


def parse(text: str) -> RulesFile:
    found = RulesFile()
    numbers = _numbers(text)
    try:
        for _ in range(next(numbers)):
            line = found.rules.setdefault(next(numbers), [])
            for _ in range(next(numbers)):
                sizes: list[tuple[int, int]] = []
                line.append((next(numbers), sizes))
                for _ in range(next(numbers)):
                    sizes.append((next(numbers), next(numbers)))
                    next(numbers), next(numbers)  # fan-out and segment
    except (StopIteration, _Ended):
        found.whole = False
    return found


def _numbers(text: str) -> Iterator[int]:
    for line in text.splitlines():
        for word in line.partition("#")[0].split():
            if word.startswith("rule-file-version"):
                continue
            if not re.fullmatch(r"-?\d{1,18}", word):
                raise _Ended
            yield int(word)


def _of_sizes(where: str, sizes: list[int]) -> list[str]:
    found = []
    if not sizes:
        found.append(f"{where}: no sizes")
    elif sizes[0] != 0:
        found.append(f"{where}: first size is {sizes[0]}, not 0: smaller messages have no rule")
    for before, after in itertools.pairwise(sizes):
        if after <= before:
            found.append(
                f"{where}: sizes are not ascending ({after} after {before}): rules after {before} are never used"
            )
            break
    return found


def _of_processes(collective: int, firsts: list[int], processes: int) -> list[str]:
    if firsts and processes < min(firsts):
        return [f"collective {collective}: first rule is for {min(firsts)} ranks, but the job has {processes}"]
    if firsts != sorted(firsts):
        return [f"collective {collective}: numbers of ranks do not ascend: {firsts}"]
    return []
