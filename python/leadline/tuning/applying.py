"""Runs a program with a table applied to it, and reports which of its rules took effect."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from leadline.errors import LeadlineError
from leadline.launch import process
from leadline.libraries import MpiLibrary
from leadline.libraries.settings import NotSet, Settings, unable
from leadline.tuning.probing import ProbeFailed, Subject, ask, subject, words_with
from leadline.tuning.proving import Proof, prove
from leadline.tuning.remeasuring import Worth, remeasure, why_slower
from leadline.tuning.shared import shared_folder
from leadline.tuning.table import TOLD_AS, Rule, Table, read, told_as

SCHEMA = 1


@dataclass
class Outcome:
    """applied, not_applied: as --json prints them. exit_code: the program's own.
    not_measured: why rules were not measured first, if that was requested.
    warnings: why the table may not fit this job."""

    via: str
    applied: list[dict[str, Any]] = field(default_factory=list)
    not_applied: list[dict[str, Any]] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    problem: dict[str, Any] | None = None
    not_measured: str | None = None
    warnings: list[str] = field(default_factory=list)
    library: str = ""
    processes: int = 0
    exit_code: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "via": self.via,
            "library": self.library,
            "processes": self.processes,
            "applied": self.applied,
            "not_applied": self.not_applied,
            "settings": self.settings,
            "problem": self.problem,
            "not_measured": self.not_measured,
            "warnings": self.warnings,
            "exit_code": self.exit_code,
        }

    def refuse(self, rule: Rule, why: str, **more: Any) -> None:
        """more: a `range` that is less than the rule's, and what was `seen` there."""
        self.not_applied.append({**_described(rule), **more, "why": why})

    def prove(self, rule: Rule, by: str, evidence: Any, **more: Any) -> None:
        """more: a `range` that is less than the rule's."""
        self.applied.append({**_described(rule), **more, "proof": by, "evidence": evidence})

    def has_applied(self, rule: Rule) -> bool:
        return any(_is_of(entry, rule) for entry in self.applied)

    def say_worth(self, found: Mapping[Rule, Sequence[Worth]]) -> None:
        """Adds what was measured to the rules that were applied."""
        for rule, worth in found.items():
            for entry in self.applied:
                if _is_of(entry, rule):
                    entry["measured"] = [each.as_dict() for each in worth]


def _described(rule: Rule) -> dict[str, Any]:
    return {"operation": rule.operation, "range": rule.range, "algorithm": rule.name}


def _is_of(entry: dict[str, Any], rule: Rule) -> bool:
    """Whether an entry is about the rule, or about a part of its range."""
    inside = all(
        first <= low and high <= last
        for (first, last), (low, high) in ((limits, entry["range"][key]) for key, limits in rule.range.items())
    )
    return inside and (entry["operation"], entry["algorithm"]) == (rule.operation, rule.name)


def apply_natively(
    path: Path,
    command: Sequence[str],
    *,
    fill: bool = False,
    as_set: bool = False,
    run: bool = True,
    measure: bool = False,
) -> Outcome:
    """Run `command` with the table as settings of its MPI library, each proven first by asking that library.

    fill: as in libraries.settings.only_one.
    as_set: set nothing, and prove the effect of the user's own settings on the table's rules.
    run: whether to run the program.
    measure: time the rules first, and leave out slower ones.

    A setting that is not proven is not set. Raises CannotStart. A malformed table is reported in the outcome, and the
    program runs as if there were none.
    """
    outcome = Outcome("native")
    process.resolve(command[0], os.environ.get("PATH"))
    with shared_folder("apply") as folder:
        variables: dict[str, str] = {}
        with told(outcome):
            table = read(path)
            with told(outcome, table):
                variables = _set_and_prove(table, command, outcome, folder, fill=fill, as_set=as_set)
                if measure and variables:
                    variables = _faster_only(table, command, outcome, folder, variables, fill=fill)
        outcome.settings = variables
        if run:
            given = {**variables, TOLD_AS: told_as(path, table)} if variables else {}
            words, environ = _words(command, given)
            outcome.exit_code = process.run(words, environ)
    return outcome


def _faster_only(
    table: Table, command: Sequence[str], outcome: Outcome, folder: Path, variables: dict[str, str], *, fill: bool
) -> dict[str, str]:
    """The variables without the rules that were slower in this job; those that stay are measured."""
    used = [rule for rule in table.rules if outcome.has_applied(rule)]
    try:
        worth = remeasure(subject(command), variables, used, outcome.processes)
    except ProbeFailed as error:
        outcome.not_measured = str(error)
        return variables
    slower = {rule: why for rule in used if (why := why_slower(worth[rule]))}
    if slower:
        outcome.applied.clear()
        outcome.not_applied.clear()
        rest = Table(tuple(rule for rule in table.rules if rule not in slower))
        variables = _set_and_prove(rest, command, outcome, folder, fill=fill, as_set=False)
        for rule, why in slower.items():
            outcome.refuse(rule, why, seen=[each.as_dict() for each in worth[rule]])
    outcome.say_worth(worth)
    return variables


@contextlib.contextmanager
def told(outcome: Outcome, table: Table | None = None) -> Iterator[None]:
    """Failures of ours before the program runs are part of the outcome; the program runs nevertheless.

    table: what is then not applied, each rule for this reason.
    """
    try:
        yield
    except LeadlineError as error:
        outcome.problem = {"message": str(error), "hint": error.hint, "line": getattr(error, "line", None)}
        outcome.applied.clear()
        outcome.not_applied.clear()
        for rule in table.rules if table is not None else ():
            if rule.algorithm != "native":
                outcome.refuse(rule, str(error))


def _words(command: Sequence[str], variables: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    from leadline.launch.launcher import find_launcher

    environ = dict(os.environ)
    if not variables:
        return list(command), environ
    launcher = find_launcher(command, environ.get("PATH"))
    return words_with(Subject(tuple(command), launcher, Path(), None, environ), variables)


def _set_and_prove(
    table: Table, command: Sequence[str], outcome: Outcome, folder: Path, *, fill: bool, as_set: bool
) -> dict[str, str]:
    """The variables that were proven."""
    about = subject(command)
    library = about.library
    if library is None:
        for rule in table.rules:
            outcome.refuse(rule, f"unsupported MPI library: {about.file}")
        return {}
    outcome.library = library.title
    outcome.processes = ask(about, {}).size
    if as_set:
        settings = _any_that_could_be_set(table, library)
        _told_of(outcome, library, settings, _proofs(about, library, settings, {}, outcome))
        return {}
    settings = library.settings(table, outcome.processes, fill=fill, file=about.file)
    while settings.set:
        variables = {**settings.variables, **_written(settings.files, folder / "rules")}
        errant = {more: _written(files, folder / f"more-{more}") for more, files in settings.files_for_more.items()}
        proofs = _proofs(about, library, settings, variables, outcome, errant)
        keep = [proof.rule for proof in proofs if proof.effective]
        if len(keep) == len(proofs) or (keep and library.rules_stand_alone):
            _told_of(outcome, library, settings, proofs)
            return variables
        for proof in proofs:
            if not proof.effective:
                outcome.refuse(proof.rule, proof.why, seen=list(proof.seen))
        left = library.settings(Table(tuple(keep)), outcome.processes, fill=fill, file=about.file)
        left.not_set += settings.not_set
        settings = left
    _told_of(outcome, library, settings, [])
    return {}


def _any_that_could_be_set(table: Table, library: MpiLibrary) -> Settings:
    """Rules for which the library has an algorithm of its own, whatever can be said of sizes in its settings."""
    found = Settings()
    for rule in table.rules:
        why = "" if rule.algorithm == "native" else unable(rule, library.algorithms[rule.operation], library.title)
        if why:
            found.not_set.append(NotSet.whole(rule, why))
        else:
            found.set.append(rule)
    return found


def _written(files: dict[str, str], folder: Path) -> dict[str, str]:
    """The files' names, by variable."""
    folder.mkdir(exist_ok=True)
    for variable, text in files.items():
        (folder / variable).write_text(text)
    return {variable: str(folder / variable) for variable in files}


def _proofs(
    about: Subject,
    library: MpiLibrary,
    settings: Settings,
    variables: dict[str, str],
    outcome: Outcome,
    errant: Mapping[int, dict[str, str]] = MappingProxyType({}),
) -> list[Proof]:
    try:
        return prove(about, library, settings.told, variables, outcome.processes, errant)
    except ProbeFailed as error:
        return [Proof(rule, str(error), ()) for rule in settings.set]


def _told_of(outcome: Outcome, library: MpiLibrary, settings: Settings, proofs: Sequence[Proof]) -> None:
    for refused in settings.not_set:
        outcome.refuse(refused.rule, refused.why)
    for proof in proofs:
        for within in proof.ranges(as_set=True) if proof.effective else ():
            outcome.prove(proof.rule, library.proof, list(proof.seen), range=within)
        for without in proof.ranges(as_set=False) if proof.why else ():
            outcome.refuse(proof.rule, proof.why, range=without, seen=list(proof.seen))
