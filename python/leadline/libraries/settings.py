"""A table as settings of the MPI library itself: the part of it that each library can express, and in which words.

A library's settings are environment variables, so that every launcher can carry them. Those of Open MPI also name a
file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from leadline.libraries.rule import Rule, Table

MOST_BYTES = 2**31 - 1  # libraries read the sizes in their settings as C's int


@dataclass(frozen=True)
class Own:
    """A library's own algorithm that is the same as one of ours.

    setting: its name or number in the library's settings.   function: the library's routine that implements it.
    needs: conditions under which it may be used, as the library writes them.
    """

    setting: str
    function: str
    takes_segments: bool = False
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class NotSet:
    """A rule, or a part of it, that the library's settings cannot express. n_bytes, processes: the range concerned."""

    rule: Rule
    why: str
    processes: tuple[int, int]
    n_bytes: tuple[int, int]

    @classmethod
    def whole(cls, rule: Rule, why: str) -> NotSet:
        return cls(rule, why, rule.processes, rule.n_bytes)


@dataclass
class Settings:
    """variables: for every rank. files: contents of files, by the variable that is to name each.

    files_for_more: the same with every size greater by this many bytes, for ranks that send more than they should
    (src/probe/plan.hpp), so that they choose the same as the others.
    set: the rules among these; kept: rules for "native" that stand between them.
    """

    variables: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    files_for_more: dict[int, dict[str, str]] = field(default_factory=dict)
    set: list[Rule] = field(default_factory=list)
    not_set: list[NotSet] = field(default_factory=list)
    kept: list[Rule] = field(default_factory=list)

    @property
    def told(self) -> Table:
        """The settings in order."""
        return Table(tuple(self.kept or self.set))


def pieces(table: Table, operation: str, processes: int) -> Iterator[tuple[int, int | None, Rule | None]]:
    """The table's choice for an operation on this many processes, by size: first, last, rule (None: the library's own).

    They cover all sizes from 0; last is None in the last piece. Neighbours differ.
    """
    edges = {0}
    for rule in table.rules:
        if rule.operation == operation and rule.processes[0] <= processes <= rule.processes[1]:
            edges |= {rule.n_bytes[0], rule.n_bytes[1] + 1}
    starts = sorted(edges)
    found: list[tuple[int, Rule | None]] = []
    for start in starts:
        choice = table.choice(operation, start, processes)
        if not found or not _same(found[-1][1], choice):
            found.append((start, choice))
    for index, (start, choice) in enumerate(found):
        last = found[index + 1][0] - 1 if index + 1 < len(found) else None
        yield start, last, choice


def _same(one: Rule | None, other: Rule | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.name == other.name


def unable(rule: Rule, known: Mapping[str, Own], library: str) -> str:
    """The reason why the library lacks what the rule needs; "" if it has it."""
    own = known.get(rule.algorithm)
    if own is None:
        return f"{library} has no algorithm {rule.algorithm}"
    if rule.segment_bytes and not own.takes_segments:
        return f"{library}'s {own.setting} does not support segments of {rule.segment_bytes} bytes"
    if rule.radix:
        return f"{library}'s {own.setting} does not support radix {rule.radix}"
    return ""


def only_one(
    table: Table, operation: str, processes: int, fill: bool
) -> tuple[list[tuple[int, int | None, Rule]], list[NotSet]]:
    """For libraries whose settings hold for all sizes: the pieces, none of which is the library's own.

    fill: sizes without a rule take the neighbour's (the one above if there are two); otherwise the whole operation is
    left alone if there are any. Rules for other numbers of processes than the job's are ignored.
    """
    line = [
        (first, None if last is None or last >= MOST_BYTES else last, rule)
        for first, last, rule in pieces(table, operation, processes)
        if first <= MOST_BYTES
    ]
    rules = [rule for _, _, rule in line if rule is not None]
    if not rules:
        return [], []
    empty = [(first, last) for first, last, rule in line if rule is None]
    if empty and not fill:
        which = ", ".join(
            f"{first} to {last} bytes" if last is not None else f"≥ {first} bytes" for first, last in empty
        )
        why = (
            f"the table has no rule for {which}, and the library cannot keep its default for only some sizes; "
            "--fill uses the rule of the neighbouring size there"
        )
        return [], [NotSet.whole(rule, why) for rule in dict.fromkeys(rules)]
    out: list[tuple[int, int | None, Rule]] = []
    for index, (first, last, rule) in enumerate(line):
        taken = rule or next((after for _, _, after in line[index + 1 :] if after), None) or out[-1][2]
        if out and out[-1][2].name == taken.name:
            out[-1] = (out[-1][0], last, out[-1][2])
        else:
            out.append((first, last, taken))
    return out, []


def mention_all(found: Settings, table: Table, processes: int) -> Settings:
    """Adds a reason for each rule that is neither set nor mentioned yet."""
    mentioned = {*found.set, *(refused.rule for refused in found.not_set)}
    for rule in table.rules:
        if rule not in mentioned and rule.algorithm != "native":
            first, last = rule.processes
            why = (
                f"the job has {processes} ranks; the rule is for {first} to {last}"
                if not first <= processes <= last
                else "never used: earlier rules cover its range"
            )
            found.not_set.append(NotSet.whole(rule, why))
    return found
