"""Whether the library's settings took effect, and if not, which of the silent failures it was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from leadline.tuning import intel, mpich, mpich_file, openmpi
from leadline.tuning.native import Own
from leadline.tuning.probing import Answer, Answers, Point, Subject, ask
from leadline.tuning.rules_file import problems
from leadline.tuning.table import Rule, Table

FAMILIES: dict[str, dict[str, dict[str, Own]]] = {
    "openmpi": openmpi.ALGORITHMS,
    "mpich": mpich.ALGORITHMS,
    "intel": intel.ALGORITHMS,
}
INTEL_NETWORK = "MPIDI_OFI_coll_select"  # allreduce with I_MPI_ADJUST_ALLREDUCE=1, for one
MOST_PROBED = 4 << 20  # bytes
SIZES = ("last", "first", "middle")


@dataclass(frozen=True)
class Proof:
    """Of one rule. seen: the routine of each point tried, and whether it is the one it was to be.

    why: what is wrong with those that are not, "" where there are none.
    """

    rule: Rule
    why: str
    seen: tuple[dict[str, Any], ...]

    @property
    def effective(self) -> bool:
        """At one point or more; a library may lack it for others."""
        return any(found["as_set"] for found in self.seen)

    @property
    def without(self) -> dict[str, list[int]]:
        """The range in which it had no effect, as far as tried."""
        wrong = [found for found in self.seen if not found["as_set"]]
        if not wrong or not self.effective:
            return self.rule.range
        ends = {key: sorted(found[key] for found in wrong) for key in ("processes", "bytes")}
        return {key: [values[0], values[-1]] for key, values in ends.items()}


def prove(
    subject: Subject,
    table: Table,
    variables: dict[str, str],
    processes: int,
    errant: Mapping[int, dict[str, str]] = MappingProxyType({}),
) -> list[Proof]:
    """Ask the library, under the settings in `variables`, for points of every rule. Raises ProbeFailed.

    table: of rules that the library can be told. processes: of the job. errant: as in probing.ask.
    """
    rules = [rule for rule in table.rules if rule.algorithm != "native"]
    most = len(SIZES) if subject.family != "mpich" else 2 if errant else 1
    wanted = {rule: [p for p in points(rule, processes, most) if _is_for(table, rule, p)] for rule in rules}
    everything = list(dict.fromkeys(point for chosen in wanted.values() for point in chosen))
    answers = ask(
        subject,
        variables,
        points=everything,
        named=_variables(subject.family, rules),
        controls=openmpi.CONTROLS if subject.family == "openmpi" else (),
        errant=errant,
    )
    return [_judge(subject.family, rule, chosen, answers) for rule, chosen in wanted.items()]


def _is_for(table: Table, rule: Rule, point: Point) -> bool:
    """Not where a rule before it holds."""
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


def _variables(family: str, rules: Sequence[Rule]) -> list[str]:
    if family == "openmpi":
        return [openmpi.SWITCH, openmpi.FILE]
    operations = dict.fromkeys(rule.operation.upper() for rule in rules)
    if family == "intel":
        return [intel.VARIABLE.format(name) for name in operations]
    files = [mpich_file.GENERAL, mpich_file.DEVICE]
    return files + [form.format(name) for name in operations for form in (mpich.CHOICE, mpich.NODE)]


def _judge(family: str, rule: Rule, chosen: list[Point], answers: Answers) -> Proof:
    if not chosen:
        least, most = rule.processes
        why = "rules before it hold where it was tried"
        if answers.size < max(least, 2):
            why = f"the job has {answers.size} processes; the rule is for {least} to {most}"
        return Proof(rule, why, ())
    own = FAMILIES[family][rule.operation][rule.algorithm]
    seen = []
    for point in chosen:
        answer = answers.points.get(point)
        routine = "" if answer is None else routine_of(family, point, answer, own.function)
        seen.append(
            {
                "bytes": point.n_bytes,
                "processes": point.processes,
                "routine": routine,
                "as_set": routine == own.function,
            }
        )
    wrong = [found for found in seen if not found["as_set"]]
    why = _why(family, rule, own, wrong, answers) if wrong else ""
    return Proof(rule, why, tuple(seen))


def routine_of(family: str, point: Point, answer: Answer, wanted: str) -> str:
    """The library's routine that did it: the wanted one, or the one that did instead; "" if that can't be told."""
    if family == "openmpi":  # a routine that can't do it calls another of the same operation
        mine = [name for name in answer.entered if name.startswith(f"ompi_coll_base_{point.operation}_intra_")]
        return mine[-1] if mine else ""
    name = point.operation.capitalize()
    if family == "intel":
        mine = [entered for entered in answer.entered if f"_{name}_intra_" in entered]
        return wanted if wanted in mine else mine[0] if mine else next(reversed(answer.entered), "")
    elements = point.n_bytes if point.n_bytes % 8 else point.n_bytes // 8
    # One element more is another choice where there are fewer than processes.
    errors = answer.errors or (answer.errors_of_errant if elements >= point.processes else [])
    text = "\n".join(errors)
    layer = re.search(r"MPIDI_POSIX_mpi_\w*(?:release_gather|ipc_read)\w*", text)
    if layer:  # it stands aside for the first few calls, then no longer
        return layer[0]
    found = re.findall(rf"MPI[RI]\w*_{name}_intra_(?!composition)\w+", text)
    return found[-1] if found else ""


def _why(family: str, rule: Rule, own: Own, wrong: list[dict[str, Any]], answers: Answers) -> str:
    unknown = "what the library did not tell" if family == "mpich" else "nothing that is known"
    did = ", ".join(sorted({found["routine"] or unknown for found in wrong}))
    where = "; ".join(f"{found['bytes']} bytes on {found['processes']}" for found in wrong[:3])
    general = f"{where} went through {did}, not {own.function}"
    if family == "openmpi":
        return _why_openmpi(answers) or general
    if family == "mpich" and answers.variables.get(mpich_file.GENERAL) is not None:
        return _why_mpich_file(rule, wrong, answers, general)
    variable = (intel.VARIABLE if family == "intel" else mpich.CHOICE).format(rule.operation.upper())
    value = answers.variables.get(variable)
    if value is None:
        return f"{variable} is not set in the ranks: {general}"
    if family == "intel" and any(found["routine"] == INTEL_NETWORK for found in wrong):
        return (
            f"{where}: Intel MPI's network layer carries out short messages itself, in code without a name (seen: "
            f"{INTEL_NETWORK}, and no routine after it), so which algorithm that is can't be told"
        )
    if family == "intel" and value.strip() == "0":
        return f"{variable} is 0, which is not the default but an algorithm of its own: {general}"
    node = mpich.NODE.format(rule.operation.upper())
    if family == "mpich" and any("POSIX" in found["routine"] for found in wrong):
        given = answers.variables.get(node)
        return (
            f"{node} is {given or 'not set'}, not mpir: within a node MPICH's shared-memory layer decides, and "
            f"{variable}={value} does nothing ({general})"
        )
    return general


def _why_mpich_file(rule: Rule, wrong: list[dict[str, Any]], answers: Answers, general: str) -> str:
    if any("POSIX" in found["routine"] for found in wrong) and answers.variables.get(mpich_file.DEVICE) is None:
        return (
            f"{mpich_file.DEVICE} is not set in the ranks: within a node MPICH's shared-memory layer decides, and the "
            f"file of {mpich_file.GENERAL} does nothing ({general})"
        )
    hidden = answers.variables.get(mpich.CHOICE.format(rule.operation.upper()))
    if hidden not in {None, "auto"}:
        return f"{mpich.CHOICE.format(rule.operation.upper())}={hidden} is looked at before the file: {general}"
    if not any(found["routine"] for found in wrong):
        return f"{general}: in the error provoked there this release names no algorithm, so it can't be told"
    needs = mpich_file.needs(rule.operation, rule.algorithm)
    return f"{general}; MPICH's is for {needs} only" if needs else general


def _why_openmpi(answers: Answers) -> str:
    switch = answers.controls.get("coll_tuned_use_dynamic_rules")
    file = answers.controls.get("coll_tuned_dynamic_rules_filename")
    if switch is None:
        return "the component coll/tuned is not there in the ranks: its rules can't be used"
    if switch == "0":
        return "coll_tuned_use_dynamic_rules is 0 in the ranks: the rules file is not looked at"
    if not file:
        return "coll_tuned_dynamic_rules_filename is empty in the ranks: there is no rules file"
    try:
        text = Path(file).read_text()
    except OSError as error:
        return f"the rules file {file} can't be read ({error.strerror}): Open MPI says nothing and decides by itself"
    found = problems(text, answers.size)
    return f"{file}: {'; '.join(found)}" if found else ""
