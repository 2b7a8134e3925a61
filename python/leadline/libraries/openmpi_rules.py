"""Reads a rules file of Open MPI's coll/tuned as Open MPI does, and finds the parts that silently have no effect."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator


class _Ended(Exception):
    pass


def problems(text: str, processes: int) -> list[str]:
    """The parts of the file that would silently have no effect on a job of this many processes; [] if there are
    none."""
    numbers = _numbers(text)
    found: list[str] = []
    try:
        for _ in range(next(numbers)):
            collective = next(numbers)
            counts = next(numbers)
            firsts = []
            for _ in range(counts):
                firsts.append(next(numbers))
                found += _sizes(numbers, collective, firsts[-1])
            found += _processes(collective, firsts, processes)
    except (StopIteration, _Ended):
        found.append("it ends in the middle, or holds something that is not a number: Open MPI uses none of it")
    return found


def _numbers(text: str) -> Iterator[int]:
    for line in text.splitlines():
        for word in line.partition("#")[0].split():
            if word.startswith("rule-file-version"):
                continue
            if not re.fullmatch(r"-?\d+", word):
                raise _Ended
            yield int(word)


def _sizes(numbers: Iterator[int], collective: int, processes: int) -> list[str]:
    sizes = []
    for _ in range(next(numbers)):
        sizes.append(next(numbers))
        for _ in range(3):
            next(numbers)
    where = f"collective {collective}, {processes} ranks"
    found = []
    if not sizes:
        found.append(f"{where}: no sizes")
    elif sizes[0] != 0:
        found.append(f"{where}: the first size is {sizes[0]}, not 0: shorter messages have no rule")
    for before, after in itertools.pairwise(sizes):
        if after <= before:
            found.append(f"{where}: sizes do not ascend ({after} after {before}): what follows {before} is not reached")
            break
    return found


def _processes(collective: int, firsts: list[int], processes: int) -> list[str]:
    if firsts and processes < min(firsts):
        return [f"collective {collective}: the first rule is for {min(firsts)} ranks, the job has {processes}"]
    if firsts != sorted(firsts):
        return [f"collective {collective}: numbers of ranks do not ascend: {firsts}"]
    return []
