"""Ranks of one launcher that are each a world of its own: the launcher belongs to another library."""

from __future__ import annotations

from leadline.report import format as fmt
from leadline.report.content import Content
from leadline.report.finding import Evidence, Rule, at_least

# The launchers that set each variable for the number of ranks: those of one library, and those that start any.
_LAUNCHERS = {
    "OMPI_COMM_WORLD_SIZE": "the mpiexec of Open MPI",
    "PMI_SIZE": "an mpiexec for MPICH or Intel MPI",
}
_STARTS_MANY = {"FLUX_JOB_SIZE": "flux", "JSM_NAMESPACE_SIZE": "jsrun", "SLURM_STEP_NUM_TASKS": "srun"}


def evidence(content: Content) -> Evidence | None:
    processes = content.run.processes
    launched = [p.placement for p in processes if p.placement.launched > 1]
    ranks = {place.launched_rank for place in launched}
    alone = all(process.world_size == 1 for process in processes)
    if not launched or not alone or len(launched) < len(processes) or len(ranks) < len(processes):
        return None
    first = launched[0]
    return {"processes": len(processes), "launched": first.launched, "launcher_variable": first.launcher}


def sentence(content: Content, found: Evidence) -> str:
    library = fmt.library(content.run.library) or "another library"
    variable = found["launcher_variable"]
    if variable in _STARTS_MANY:
        why = f"{_STARTS_MANY[variable]} did not start them as ranks of {library}"
        hint = "see srun --mpi=list" if variable.startswith("SLURM") else f"it may need an option for {library}"
    else:
        why = f"they were started by {_LAUNCHERS.get(variable, 'a launcher')}, and the program uses {library}"
        hint = f"start it with the mpiexec of {library}"
    processes = fmt.plural(found["processes"], "process", "processes")
    return f"{processes} ran separately, each as rank 0 of 1: {why}; {hint}."


RULE = Rule(
    id="separate-processes",
    order=20,
    severity="error",
    section="placement",
    evidence=evidence,
    sentence=sentence,
    threshold={"processes": at_least(2)},
    in_verdict=True,
)
