"""Facts about each MPI library that only the tests need, beyond leadline.libraries: a line for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leadline.libraries.library import version_numbers
from leadline.mpi import Library


@dataclass(frozen=True)
class Facts:
    """large_counts: whether it has the MPI_x_c functions.   mpi4_since: the first version with what MPI 4 brought.

    tells_shorter_broadcasts: whether a broadcast that is shorter than a rank expects is an error there.
    srun_mpi: how srun starts its ranks.
    over_ssh: the options with which its mpiexec, of some version, starts ranks by the `ssh` and hosts in a folder.
    mpiexec_needs_environment: whether it can't start its daemons without the job's environment.
    mpiexec_passes_all_on: whether ranks on other hosts have all of mpiexec's environment.
    mpiexec_ends_the_rest: whether it hangs up on, or kills, the ranks that are left when one ends without MPI_Finalize.
    abort_may_break_pipe: whether its mpiexec may die of SIGPIPE while it ends an aborted job.
    ends_silently: whether its mpiexec says nothing when it is ended by a signal.
    another_launcher: variables of size and rank that another library's launcher sets, and this library ignores.
    """

    large_counts: bool
    mpi4_since: tuple[int, ...]
    tells_shorter_broadcasts: bool
    srun_mpi: str
    over_ssh: Callable[[str, str], str]
    mpiexec_needs_environment: bool
    mpiexec_passes_all_on: bool
    mpiexec_ends_the_rest: bool
    abort_may_break_pipe: bool
    ends_silently: bool
    another_launcher: tuple[str, str]

    def has_mpi4(self, library: Library) -> bool:
        """Partitioned messages, persistent collectives, sessions."""
        return version_numbers(library.version) >= self.mpi4_since


def _hydra_over_ssh(version: str, folder: str) -> str:
    return f"-launcher ssh -launcher-exec {folder}/ssh -f {folder}/hosts"


def _openmpi_over_ssh(version: str, folder: str) -> str:
    option = "--mca plm_rsh_agent" if version_numbers(version) < (5,) else "--prtemca plm_ssh_agent"
    return f"{option} {folder}/ssh --hostfile {folder}/hostfile"


def _hydra(*, mpi4_since: tuple[int, ...], abort_may_break_pipe: bool) -> Facts:
    return Facts(
        large_counts=True,
        mpi4_since=mpi4_since,
        tells_shorter_broadcasts=True,
        srun_mpi="pmi2",
        over_ssh=_hydra_over_ssh,
        mpiexec_needs_environment=False,
        mpiexec_passes_all_on=True,
        mpiexec_ends_the_rest=True,
        abort_may_break_pipe=abort_may_break_pipe,
        ends_silently=False,
        another_launcher=("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    )


FACTS = {
    "mpich": _hydra(
        mpi4_since=(4,),
        abort_may_break_pipe=False,
    ),
    "intel": _hydra(
        mpi4_since=(2021,),
        abort_may_break_pipe=True,
    ),
    "openmpi": Facts(
        large_counts=False,
        mpi4_since=(5,),
        tells_shorter_broadcasts=False,
        srun_mpi="pmix",
        over_ssh=_openmpi_over_ssh,
        mpiexec_needs_environment=True,
        mpiexec_passes_all_on=False,
        mpiexec_ends_the_rest=False,
        abort_may_break_pipe=False,
        ends_silently=True,
        another_launcher=("FLUX_JOB_SIZE", "FLUX_TASK_RANK"),
    ),
}


def facts(library: Library) -> Facts:
    return FACTS[library.kind.name]
