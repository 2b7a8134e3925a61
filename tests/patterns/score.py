"""Holds the patterns of a report against what is true of a random program.

A pattern belongs to the routine that most of its call sites are in or beneath. Required patterns that are not reported
are missed; reported ones that are neither required nor allowed are wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .pieces import BY_CHANCE
from .programs import Program, Routine


@dataclass
class Score:
    found: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        self.found += other.found
        self.missed += other.missed
        self.wrong += other.wrong
        self.faults += other.faults

    def without(self, patterns: frozenset[str]) -> Score:
        """The score of the other patterns."""
        return Score(
            *(Counter({name: n for name, n in each.items() if name not in patterns}) for each in self._counters),
            [fault for fault in self.faults if not any(name in fault for name in patterns)],
        )

    @property
    def _counters(self) -> tuple[Counter[str], Counter[str], Counter[str]]:
        return self.found, self.missed, self.wrong

    def precision(self, pattern: str) -> float:
        all_of = self.found[pattern] + self.wrong[pattern]
        return self.found[pattern] / all_of if all_of else 1.0

    def recall(self, pattern: str) -> float:
        all_of = self.found[pattern] + self.missed[pattern]
        return self.found[pattern] / all_of if all_of else 1.0

    @property
    def patterns(self) -> list[str]:
        return sorted(self.found.keys() | self.missed.keys() | self.wrong.keys())

    def table(self) -> str:
        lines = [f"{'pattern':20} {'found':>6} {'missed':>6} {'wrong':>6} {'precision':>9} {'recall':>7}"]
        lines += [
            f"{name:20} {self.found[name]:6} {self.missed[name]:6} {self.wrong[name]:6} "
            f"{self.precision(name):9.3f} {self.recall(name):7.3f}"
            for name in self.patterns
        ]
        return "\n".join(lines)


def score(program: Program, report: dict[str, Any]) -> Score:
    result = Score()
    by_routine: dict[str, list[dict[str, Any]]] = {routine.name: [] for routine in program.routines}
    for entry in report["patterns"]:
        name = routine_of(entry, by_routine)
        if name is not None:
            by_routine[name].append(entry)
        elif entry["routines"] != ["main"] or not _is_of_main(entry["pattern"], program):
            result.wrong[entry["pattern"]] += 1
            result.faults.append(f"{program.seed}: {entry['pattern']} in no routine: {entry['sites'][:3]}")
    for routine in program.routines:
        _score_routine(program, routine, by_routine[routine.name], result)
    if program.driven:
        _score_steps(program, report, result)
    return result


def _is_of_main(pattern: str, program: Program) -> bool:
    """Several routines together may have it by chance, or because one follows the other."""
    allowed = any(pattern in program.allowed(r) for r in program.routines)
    in_turn = sum("consecutive_exchanges" in r.piece.allowed for r in program.routines) > 1
    return (
        pattern in BY_CHANCE
        or (pattern == "allreduce_bound" and allowed)
        or (pattern == "consecutive_exchanges" and in_turn)
    )


STEPS = "steps"


def _score_steps(program: Program, report: dict[str, Any], result: Score) -> None:
    """The main loop is that of the steps, of which there are so many, or "at least"."""
    told = report["iterations"] or {}
    loop, count = told.get("loop"), told.get("count")
    loop = loop if isinstance(loop, dict) else {}  # a number: that of repeated calls
    if count == program.steps or (loop.get("at_least") and 0 < (count or 0) < program.steps):
        result.found[STEPS] += 1
    else:
        (result.missed if count is None else result.wrong)[STEPS] += 1
        result.faults.append(f"{program.seed} ({program.ranks} ranks): {count} {STEPS}, not {program.steps}: {loop}")


def routine_of(entry: dict[str, Any], names: Iterable[str]) -> str | None:
    votes: Counter[str] = Counter()
    for site in entry["sites"]:
        votes[site["routine"]] += 1
    for routine in entry["routines"]:
        votes[routine] += len(entry["sites"])
    best = [(votes[name], name) for name in names if votes[name]]
    return max(best)[1] if best else None


def _score_routine(program: Program, routine: Routine, entries: list[dict[str, Any]], result: Score) -> None:
    where = f"{program.seed} ({program.ranks} ranks, {program.level}): {routine.name}, {routine.piece.kind}"
    required = program.required(routine)
    reported = {entry["pattern"]: entry for entry in entries}
    for name in required:
        if name not in reported:
            result.missed[name] += 1
            result.faults.append(f"{where}: {name} was missed; {sorted(reported)}")
            continue
        result.found[name] += 1
        problem = _figures(program, routine, reported[name])
        if problem:
            result.faults.append(f"{where}: {problem}")
    for entry in entries:
        name = entry["pattern"]
        if name not in program.allowed(routine) | BY_CHANCE:
            result.wrong[name] += 1
            result.faults.append(f"{where}: it is no {name}: {entry['evidence']}")
        elif name not in required and (problem := _evidence(routine, entry)):
            result.wrong[name] += 1
            result.faults.append(f"{where}: {problem}")


def _figures(program: Program, routine: Routine, entry: dict[str, Any]) -> str:
    """A difference between the pattern's figures and the true ones; "" if there is none."""
    if problem := _evidence(routine, entry):
        return problem
    messages = routine.piece.messages
    if messages is None or entry["pattern"] in ("wildcard_receive", "polling"):
        return ""
    calls = routine.calls(program.steps)
    if entry["messages"] != messages * calls:
        return f"{entry['pattern']}: {entry['messages']} messages, expected {messages * calls}"
    return ""


def _evidence(routine: Routine, entry: dict[str, Any]) -> str:
    """A difference between what is told of the pattern and what is true; "" if there is none. A number that is told as
    "at most" may be greater than the true one: perhaps no call shows that a loop began again."""
    told = entry["evidence"]
    for name, value in routine.piece.evidence.get(entry["pattern"], {}).items():
        if name == "together" and told.get("together_at_most") and told.get(name, 0) >= value:
            continue
        if told.get(name) != value:
            return f"{entry['pattern']}: {name} is {told.get(name)}, expected {value}"
    return ""
