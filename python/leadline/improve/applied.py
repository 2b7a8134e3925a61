"""A program run with what was proven to help it, each setting proven first."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.errors import LeadlineError
from leadline.improve.file import read
from leadline.improve.places import on_these_hosts
from leadline.improve.proof import why_without_effect
from leadline.improve.setting import Setting, command_with, laid_out, variables_of
from leadline.improve.step import LIGHT, recorded
from leadline.improve.watching import Watched, records, watched, why_not_watched
from leadline.launch import process
from leadline.tuning import table as tables
from leadline.tuning.applying import SCHEMA
from leadline.tuning.applying import Outcome as ShimOutcome
from leadline.tuning.probing import subject
from leadline.tuning.shared import shared_folder
from leadline.tuning.shim import judge_reports, library_of_all_nodes, words_with_shim, write_for_shim


@dataclass
class Outcome:
    """applied, not_applied: as --json prints them.   exit_code: the program's own."""

    applied: list[dict[str, Any]] = field(default_factory=list)
    not_applied: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    exit_code: int = 0
    watched: Watched | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "via": "improve",
            "applied": self.applied,
            "not_applied": self.not_applied,
            "warnings": self.warnings,
            "exit_code": self.exit_code,
            "watched": None if self.watched is None else self.watched.as_dict(),
        }

    def _add(self, setting: Setting, why: str, proof: str = "") -> None:
        told = {"name": setting.name, "what": setting.what}
        if why:
            self.not_applied.append({**told, "why": why})
        else:
            self.applied.append({**told, "proof": proof})


def apply_improvement(
    path: Path, command: Sequence[str], environ: Mapping[str, str], *, watch: bool = False
) -> Outcome:
    """Run the command with the settings of the file that take effect here.

    watch: and look whether it is as fast as it was measured; for that it is recorded lightly, if iterations were.
    Raises UsageError for a file that cannot be used, CannotStart.
    """
    settings, evidence = read(path)
    process.resolve(command[0], environ.get("PATH"))
    outcome = Outcome(warnings=_warnings(evidence, command, environ))
    with shared_folder("apply") as folder:
        chosen = []
        for setting in settings:
            placed, why = proven(setting, command, environ, int(evidence.get("ranks") or 2), folder)
            if why or not setting.by_shim:
                outcome._add(setting, why, "seen by leadline-probe, started in the same way")
            if not why:
                chosen.append(laid_out(placed, folder))
        words, left = command_with(command, environ, chosen, variables_of(chosen, folder))
        shim = next((setting for setting in chosen if setting.by_shim), None)
        if shim is not None and shim.table is not None:
            write_for_shim(folder, shim.table)
            told = tables.told_as(path, shim.table)
            words, left = words_with_shim(words, left, folder, library_of_all_nodes(command), told)
        _run(outcome, words, left, command, evidence, folder / "run", watch=watch)
        if shim is not None and shim.table is not None:
            served = ShimOutcome("shim")
            judge_reports(shim.table, folder, served)
            why = "; ".join(dict.fromkeys(each["why"] for each in served.not_applied))
            outcome._add(shim, "" if served.applied else why, "calls counted by the shim")
    return outcome


def _run(
    outcome: Outcome,
    words: Sequence[str],
    environ: Mapping[str, str],
    command: Sequence[str],
    evidence: Mapping[str, Any],
    directory: Path,
    *,
    watch: bool,
) -> None:
    if watch and records(evidence) and not why_not_watched(evidence, list(command)):
        words, environ = recorded(words, directory), {**environ, **LIGHT}
    begin = time.perf_counter()
    outcome.exit_code = process.run(words, environ)
    wall_s = time.perf_counter() - begin
    if watch and outcome.exit_code == 0:
        outcome.watched = watched(evidence, list(command), wall_s, directory)


def proven(
    setting: Setting, command: Sequence[str], environ: Mapping[str, str], ranks: int, folder: Path
) -> tuple[Setting, str]:
    """The setting, for the hosts of now, and why it has no effect; "" if it takes effect.   folder: for files that it
    names."""
    try:
        if setting.places:
            setting = on_these_hosts(setting, command, environ)
        return setting, why_without_effect(setting, command, environ, ranks, folder)
    except LeadlineError as error:
        return setting, str(error)


def _warnings(evidence: Mapping[str, Any], command: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    try:
        file = subject(command, environ).file
    except LeadlineError:
        return []
    made_for = str(evidence.get("libmpi") or "")
    if not made_for or made_for == str(file):
        return []
    return [f"the settings were measured with {made_for}, but the program uses {file}: they may not help there"]
