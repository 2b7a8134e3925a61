"""Ranks of one launcher that each became a separate world: the launcher belongs to another library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.figures.content import Content
from leadline.findings.finding import Evidence, Fact, Rule, at_least
from leadline.launchers import LAUNCHERS, LauncherKind
from leadline.launchers.variables import launcher_variables
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    processes = content.run.processes
    launched = [p.conditions for p in processes if p.conditions.launcher_ranks > 1]
    ranks = {place.launcher_rank for place in launched}
    if not launched or len(launched) < len(processes) or len(ranks) < len(processes):
        return None
    if not all(process.world_size == 1 for process in processes) and not _failed_under_another(processes):
        return None
    first = launched[0]
    return Fact({"processes": len(processes), "launched": first.launcher_ranks, "launcher_variable": first.launcher})


def _failed_under_another(processes: Sequence[Any]) -> bool:
    """Whether no MPI_Init came back, and each was that of another library than the launcher's."""
    return all(
        not process.initialized
        and _title_of(process.family)
        and (kind := _by_variable(process.conditions.launcher)) is not None
        and kind.starts != process.family
        for process in processes
    )


def _by_variable(variable: str) -> LauncherKind | None:
    """The launcher that gives the number of ranks in this variable, if it is one library's."""
    names = {name for name, launcher in launcher_variables().items() if launcher.size == variable}
    return next((kind for kind in LAUNCHERS if kind.starts and kind.variables in names), None)


def _of_any_library(variable: str) -> str:
    """The program by which the launcher with this variable starts the ranks of any library; "" if it does not."""
    commands = (of.command for of in launcher_variables().values() if of.any_library and of.size == variable)
    return next(commands, "").partition(" ")[0]


def _title_of(family: str) -> str:
    """The libraries of an ABI family, for a program that did not get to say its own; "" if that is unknown."""
    return next((kind.title for kind in LAUNCHERS if kind.starts and kind.starts == family), "")


def sentence(content: Content, found: Evidence) -> str:
    processes = content.run.processes
    library = fmt.library(content.run.library) or _title_of(processes[0].family) or "another library"
    variable = found["launcher_variable"]
    if program := _of_any_library(variable):
        why = f"{program} did not launch them as ranks of {library}"
        hint = "see srun --mpi=list" if variable.startswith("SLURM") else f"it may need an option for {library}"
    else:
        kind = _by_variable(variable)
        launcher = f"the mpiexec of {kind.title}{_version(content)}" if kind is not None else "a launcher"
        why = f"they were launched by {launcher}, but the program uses {library}"
        hint = f"use the mpiexec of {library}"
    if not any(process.initialized for process in processes):
        return f"{fmt.plural(len(processes), 'rank')} could not connect as one job: {why}; {hint}."
    return f"{fmt.plural(len(processes), 'process', 'processes')} ran separately, each as rank 0 of 1: {why}; {hint}."


def _version(content: Content) -> str:
    """Of the launcher, if the command began with it."""
    launcher = content.run.description.get("launcher")
    version = launcher.get("version") if isinstance(launcher, dict) else ""
    return f" {version}" if version else ""


RULE = Rule(
    id="separate-processes",
    order=2,
    severity="error",
    section="placement",
    facts=facts,
    sentence=sentence,
    threshold={"processes": at_least(2)},
    in_verdict=True,
)
