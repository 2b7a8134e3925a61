"""A table applied by Leadline's own algorithms: the shim, preloaded, and its report of what it did."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import MissingPrerequisite
from leadline.launch import process
from leadline.launch.launcher import find_launcher, prepared
from leadline.launch.program import program_file
from leadline.launch.sanitizers import runtime_in_front
from leadline.launch.shim import require_library
from leadline.launch.wrappers import preload_in_front
from leadline.tuning.applying import Outcome, told
from leadline.tuning.nodes_have import nodes_without
from leadline.tuning.probing import ProbeFailed, ask, subject
from leadline.tuning.remeasuring import Worth, remeasure, why_slower
from leadline.tuning.shared import shared_folder, unseen
from leadline.tuning.table import TOLD_AS, Rule, Table, lines_for_shim, read, told_as


@dataclass(frozen=True)
class Done:
    """A line of a rank's report: calls of these sizes, and what became of them.

    rule: by its number in the table, from 1; 0 for calls left to the library, and then why.
    """

    operation: str
    processes: int
    first: int
    last: int
    algorithm: str
    segment_bytes: int
    radix: int
    calls: int
    rule: int
    why: str


def apply_by_shim(path: Path, command: Sequence[str], *, measure: bool = False) -> Outcome:
    """Run `command` with the table applied by the shim. An unusable table is reported in the outcome.

    measure: time the rules first, and leave out slower ones. Raises CannotStart.
    """
    outcome = Outcome("shim")
    process.resolve(command[0], os.environ.get("PATH"))
    table, library = None, None
    with told(outcome):
        table = read(path)
        with told(outcome, table):
            library = library_of_all_nodes(command)
    if table is None or library is None:
        outcome.exit_code = process.run(list(command), os.environ)
        return outcome
    with shared_folder("apply") as folder:
        write_for_shim(folder, table)
        slower, worth = _slower(table, command, folder, library, outcome) if measure else ({}, {})
        table = Table(tuple(rule for rule in table.rules if rule not in slower))
        write_for_shim(folder, table)
        words, environ = words_with_shim(command, os.environ, folder, library, told_as(path, table))
        outcome.exit_code = process.run(words, environ)
        judge_reports(table, folder, outcome)
    outcome.settings = {"LEADLINE_TABLE": str(path)}
    for rule, why in slower.items():
        outcome.refuse(rule, why, seen=[each.as_dict() for each in worth[rule]])
    outcome.say_worth(worth)
    return outcome


def write_for_shim(folder: Path, table: Table) -> None:
    """The shim takes no table that a group can write, and does not know which groups are the user's own."""
    path = folder / "table"
    path.write_text(lines_for_shim(table))
    path.chmod(path.stat().st_mode & 0o755)


def library_of_all_nodes(command: Sequence[str]) -> Path:
    """Raises MissingPrerequisite if it is not on all nodes: ranks that have it would wait for the others."""
    library = require_library()
    without = nodes_without(library, command, os.environ)
    if without:
        raise MissingPrerequisite(
            f"{', '.join(without)} cannot read the shim: {library}",
            hint="install Leadline on a shared file system",
        )
    return library


def _slower(
    table: Table, command: Sequence[str], folder: Path, library: Path, outcome: Outcome
) -> tuple[dict[Rule, str], dict[Rule, list[Worth]]]:
    """Rules that should be left out, and why; and the gain of all rules in this job. Empty if it cannot be
    measured."""
    variables = {"LD_PRELOAD": str(library), "LEADLINE_TABLE": str(folder / "table")}
    rules = [rule for rule in table.rules if rule.algorithm != "native"]
    try:
        about = subject(command)
        worth = remeasure(about, variables, rules, ask(about, {}).size)
    except (MissingPrerequisite, ProbeFailed) as error:
        outcome.not_measured = str(error)
        return {}, {}
    return {rule: why for rule in rules if (why := why_slower(worth[rule]))}, worth


def words_with_shim(
    command: Sequence[str], environ: Mapping[str, str], folder: Path, library: Path, told: str
) -> tuple[list[str], dict[str, str]]:
    """The command with the shim in its ranks, and its environment.

    folder: with the table (write_for_shim); the ranks' reports go there.   told: of told_as.
    """
    launcher = find_launcher(command, environ.get("PATH"))
    given = preload_in_front(command)
    theirs = environ.get("LD_PRELOAD") if given is None else given
    runtime = runtime_in_front(program_file(command, launcher, environ), environ)
    variables = {
        "LD_PRELOAD": ":".join(word for word in (runtime, theirs or "", str(library)) if word),
        "LEADLINE_TABLE": str(folder / "table"),
        "LEADLINE_SHIM_REPORT": str(folder),
        TOLD_AS: told,
    }
    return prepared(command, launcher, environ, variables, f"{runtime}:{library}" if runtime else str(library))


def judge_reports(table: Table, folder: Path, outcome: Outcome) -> None:
    """What became of each rule, as the ranks' reports in the folder say."""
    texts = [report.read_text(errors="replace") for report in sorted(folder.glob("shim-*"))]
    outcome.library, outcome.processes = _ranks(texts)
    judge(table, texts, outcome, unseen(folder))


def _ranks(texts: Sequence[str]) -> tuple[str, int]:
    """The library's ABI family and the job's processes, of "# rank 0 of 4, openmpi"."""
    for text in texts:
        for line in text.splitlines():
            if line.startswith("# rank "):
                ranks, _, family = line.removeprefix("# rank ").partition(", ")
                with contextlib.suppress(ValueError):
                    return family, int(ranks.split(" of ")[1])
    return "", 0


def lines_of(text: str) -> list[Done]:
    """The lines of one rank's report; what cannot be understood is left out."""
    found = []
    for line in text.splitlines():
        words = line.split(" ", 8)
        if line.startswith("#") or len(words) < 9:
            continue
        with contextlib.suppress(ValueError):
            numbers = [int(word) for word in (*words[1:4], *words[5:8])]
            processes, first, last, segment, radix, calls = numbers
            rule = int(words[8].removeprefix("rule ")) if words[4] != "native" else 0
            why = words[8] if words[4] == "native" else ""
            found.append(Done(words[0], processes, first, last, words[4], segment, radix, calls, rule, why))
    return found


def judge(table: Table, texts: Sequence[str], outcome: Outcome, why_no_report: str = "") -> None:
    """The ranks' reports about each rule. They count calls left to the library by powers of two of bytes.

    why_no_report: the reason for ranks that had the shim, as far as it is known.
    """
    done = [line for text in texts for line in lines_of(text)]
    unfinished = sum("# end" not in text.splitlines() for text in texts)
    missing = max(outcome.processes - len(texts), 0) if texts else 0
    problems = [line.removeprefix("# problem ") for text in texts for line in text.splitlines() if "# problem " in line]
    for number, rule in enumerate(table.rules, start=1):
        if rule.algorithm == "native":
            continue
        calls = sum(line.calls for line in done if line.rule == number)
        left = Counter[str]()
        for line in done:
            if not line.rule and rule.fits(line.operation, line.first, line.processes) and line.last <= rule.n_bytes[1]:
                left[line.why] += line.calls
        if calls:
            by = "counted by the shim" + (f" on {len(texts)} of {outcome.processes} ranks" if missing else "")
            outcome.prove(rule, by, {"calls": calls, "left_native": dict(left)})
        elif not texts:
            outcome.refuse(rule, _no_report(why_no_report))
        elif problems:
            outcome.refuse(rule, problems[0])
        elif left:
            outcome.refuse(rule, "; ".join(f"{why} ({calls} calls)" for why, calls in left.most_common()))
        elif missing:
            why = why_no_report or "no rank reached MPI_Init"
            outcome.refuse(rule, f"{missing} of {outcome.processes} ranks left no report: {why}")
        elif unfinished:
            why = f"{unfinished} of {len(texts)} ranks did not reach MPI_Finalize, so their calls are unknown"
            outcome.refuse(rule, why)
        else:
            outcome.refuse(rule, "no such call in the program")


def _no_report(why: str) -> str:
    return "no rank left a report: the shim was not loaded" + (f", or {why}" if why else "")
