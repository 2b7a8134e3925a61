"""Ranks of one launcher that are each a world of its own: the launcher belongs to another library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.report import format as fmt
from leadline.report.content import Content
from leadline.report.finding import Evidence, Rule, at_least

# The launchers that set each variable for the number of ranks: those of one library, and those that start any.
_LAUNCHERS = {
    "OMPI_COMM_WORLD_SIZE": "the mpiexec of Open MPI",
    "PMI_SIZE": "an mpiexec for MPICH or Intel MPI",
}
_FAMILIES = {"OMPI_COMM_WORLD_SIZE": "openmpi", "PMI_SIZE": "mpich"}
_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH or Intel MPI"}  # of a library that did not come to say its own
_STARTS_MANY = {"FLUX_JOB_SIZE": "flux", "JSM_NAMESPACE_SIZE": "jsrun", "SLURM_STEP_NUM_TASKS": "srun"}


def evidence(content: Content) -> Evidence | None:
    processes = content.run.processes
    launched = [p.placement for p in processes if p.placement.launched > 1]
    ranks = {place.launched_rank for place in launched}
    if not launched or len(launched) < len(processes) or len(ranks) < len(processes):
        return None
    if not all(process.world_size == 1 for process in processes) and not _failed_under_another(processes):
        return None
    first = launched[0]
    return {"processes": len(processes), "launched": first.launched, "launcher_variable": first.launcher}


def _failed_under_another(processes: Sequence[Any]) -> bool:
    """Whether no MPI_Init came back, and each was that of another library than the launcher's."""
    return all(
        not process.initialized and process.family in _NAMES and _FAMILIES.get(process.placement.launcher, process.family) != process.family
        for process in processes
    )


def sentence(content: Content, found: Evidence) -> str:
    family = content.run.processes[0].family
    library = fmt.library(content.run.library) or _NAMES.get(family, "another library")
    variable = found["launcher_variable"]
    if variable in _STARTS_MANY:
        why = f"{_STARTS_MANY[variable]} did not start them as ranks of {library}"
        hint = "see srun --mpi=list" if variable.startswith("SLURM") else f"it may need an option for {library}"
    else:
        why = f"they were started by {_LAUNCHERS.get(variable, 'a launcher')}{_version(content)}, and the program uses {library}"
        hint = f"start it with the mpiexec of {library}"
    processes = fmt.plural(found["processes"], "process", "processes")
    if not any(process.initialized for process in content.run.processes):
        return f"No MPI job came about: {fmt.plural(found['processes'], 'rank')} {why.replace('they ', '', 1)}; {hint}."
    return f"{processes} ran separately, each as rank 0 of 1: {why}; {hint}."


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
    evidence=evidence,
    sentence=sentence,
    threshold={"processes": at_least(2)},
    in_verdict=True,
)
