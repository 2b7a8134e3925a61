"""Whether the library's settings took effect, and if not, which of the silent failures it was."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from leadline.libraries import MpiLibrary
from leadline.libraries.answers import Answers, Point, Wrong
from leadline.tuning.probing import Subject, ask
from leadline.tuning.table import Rule, Table

MOST_PROBED = 4 << 20  # bytes
SIZES = ("last", "first", "middle")


@dataclass(frozen=True)
class Proof:
    """The proof of one rule. seen: the routine of each point tried, and whether it is the wanted one.

    why: the reason why others are not; "" if there are none.
    """

    rule: Rule
    why: str
    seen: tuple[dict[str, Any], ...]

    @property
    def effective(self) -> bool:
        """At one point or more; a library may lack it for others."""
        return any(found["as_set"] for found in self.seen)

    def ranges(self, *, as_set: bool) -> list[dict[str, list[int]]]:
        """Where it had its effect, or had none, as far as tried; the ranges of both do not overlap.

        What was tried at either end stands for the rule's end, which may be no whole number of doubles.
        """
        if all(found["as_set"] == as_set for found in self.seen):
            return [self.rule.range]
        counts = sorted({found["processes"] for found in self.seen})
        pieces = {count: self._pieces(count, as_set) for count in counts}
        if len(counts) == 1 or all(each == pieces[counts[0]] for each in pieces.values()):
            return [{"processes": self.rule.range["processes"], "bytes": piece} for piece in pieces[counts[0]]]
        return [{"processes": [count, count], "bytes": piece} for count in counts for piece in pieces[count]]

    def _pieces(self, processes: int, as_set: bool) -> list[list[int]]:
        """First and last size of neighbours that went the same way."""
        tried = sorted((found["bytes"], found["as_set"]) for found in self.seen if found["processes"] == processes)
        found = []
        for same, group in itertools.groupby(tried, key=lambda each: each[1]):
            sizes = [size for size, _ in group]
            if same == as_set:
                first = self.rule.n_bytes[0] if sizes[0] == tried[0][0] else sizes[0]
                found.append([first, self.rule.n_bytes[1] if sizes[-1] == tried[-1][0] else sizes[-1]])
        return found


def prove(
    subject: Subject,
    library: MpiLibrary,
    table: Table,
    variables: dict[str, str],
    processes: int,
    errant: Mapping[int, dict[str, str]] = MappingProxyType({}),
) -> list[Proof]:
    """Ask the library, under the settings in `variables`, about points of every rule. Raises ProbeFailed.

    library: the subject's.   table: its rules that the library can express.
    processes: of the job.   errant: as in probing.ask.
    """
    rules = [rule for rule in table.rules if rule.algorithm != "native"]
    sizes = library.sizes_asked(errant=bool(errant))
    wanted = {rule: [p for p in points(rule, processes, sizes) if _is_for(table, rule, p)] for rule in rules}
    everything = list(dict.fromkeys(point for chosen in wanted.values() for point in chosen))
    answers = ask(
        subject,
        variables,
        points=everything,
        named=library.variables(list(dict.fromkeys(rule.operation for rule in rules))),
        controls=library.controls,
        errant=errant,
    )
    return [_judge(library, rule, chosen, answers) for rule, chosen in wanted.items()]


def _is_for(table: Table, rule: Rule, point: Point) -> bool:
    """Whether the rule applies there, which it does not if an earlier rule does."""
    return next((r for r in table.rules if r.fits(point.operation, point.n_bytes, point.processes)), None) == rule


def points(rule: Rule, processes: int, sizes: int = len(SIZES)) -> list[Point]:
    """The last size of the rule's range, its first, and the middle, as far as the job has processes.

    sizes: how many of these; where fewer, with the most processes only.
    """
    most = min(rule.processes[1], processes)
    if most < max(rule.processes[0], 2):
        return []
    counts = [most] if sizes < len(SIZES) else list(dict.fromkeys([max(rule.processes[0], 2), most]))
    first, last = max(rule.n_bytes[0], 1), rule.n_bytes[1]
    last = min(last, max(first, MOST_PROBED))
    first, last = min(-(-first // 8) * 8, last), max(last // 8 * 8, first)  # whole doubles where there are some
    middle = int((first * last) ** 0.5) // 8 * 8
    chosen = (last, first, middle if first <= middle <= last else first)[:sizes]
    return [Point(rule.operation, size, count) for count in counts for size in sorted(set(chosen))]


def _judge(library: MpiLibrary, rule: Rule, chosen: list[Point], answers: Answers) -> Proof:
    if not chosen:
        least, most = rule.processes
        why = "earlier rules take precedence at the tested sizes"
        if answers.size < max(least, 2):
            why = f"the rule is for {least} to {most} ranks, but the job has {answers.size}"
        return Proof(rule, why, ())
    own = library.algorithms[rule.operation][rule.algorithm]
    seen = []
    for point in chosen:
        answer = answers.points.get(point)
        routine = "" if answer is None else library.routine_of(point, answer, own.function)
        seen.append(
            {
                "bytes": point.n_bytes,
                "processes": point.processes,
                "routine": routine,
                "as_set": routine == own.function,
            }
        )
    wrong = [found for found in seen if not found["as_set"]]
    why = library.why_not_obeyed(rule, _wrong(library, own.function, wrong), answers) if wrong else ""
    return Proof(rule, why, tuple(seen))


def _wrong(library: MpiLibrary, function: str, seen: Sequence[dict[str, Any]]) -> Wrong:
    routines = tuple(found["routine"] for found in seen)
    did = " and ".join(sorted({routine or library.unseen for routine in routines}))
    where = "; ".join(f"{found['bytes']} bytes on {found['processes']} ranks" for found in seen[:3])
    tried = tuple((found["bytes"], found["processes"]) for found in seen)
    return Wrong(routines, tried, where, f"{where}: expected {function}, got {did}")
