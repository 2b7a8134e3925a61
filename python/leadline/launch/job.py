"""Which job a rank belongs to, told without communicating: the ranks of one job must agree, those of two must not."""

from __future__ import annotations

import os
import re
from pathlib import Path

from leadline.errors import UsageError

# Processes that start the ranks of one job on one node.
STARTERS = re.compile(r"hydra_pmi_pro.*|pmi_proxy|mpiexec.*|mpirun.*|orted|prted|prterun|prte|slurmstepd|aprun|palsd?")


def tag() -> str:
    """A name for the job this process is a rank of; one for this process alone where nothing started it as a rank.

    Raises UsageError where the ranks are on several nodes and share nothing that names their job.
    """
    if "SLURM_PROCID" in os.environ and "SLURM_JOB_ID" in os.environ:
        return _harmless(f"slurm-{os.environ['SLURM_JOB_ID']}-{os.environ.get('SLURM_STEP_ID', '0')}")
    for name in ("PALS_APID", "ALPS_APP_ID", "FLUX_JOB_ID"):
        if name in os.environ:
            return _harmless(f"{name.partition('_')[0].lower()}-{os.environ[name]}")
    starter = _starter(os.getpid())
    namespace = os.environ.get("PMIX_NAMESPACE")
    if _on_one_node() and starter:
        return _harmless(f"job-{starter}-{namespace or 1}")
    if namespace:
        return _harmless(f"job-{namespace}")
    if not is_rank():
        return f"alone-{os.uname().nodename}-{os.getpid()}-{_started(os.getpid())}"
    for name in ("PBS_JOBID", "LSB_JOBID"):
        if name in os.environ:
            return _harmless(f"job-{os.environ[name]}")
    raise UsageError("these ranks have no name of their job in common", hint="give them one directory: -o DIR")


def is_rank() -> bool:
    """Whether a launcher started this process as one of several."""
    return any(name in os.environ for name in ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"))


def _on_one_node() -> bool:
    """Whether every rank of the job is here, as far as the launcher tells."""
    sizes = (("OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"), ("MPI_LOCALNRANKS", "PMI_SIZE"))
    for here, everywhere in sizes:
        if here in os.environ and everywhere in os.environ:
            return os.environ[here] == os.environ[everywhere]
    return False


def _harmless(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", text)


def _starter(pid: int) -> str:
    """Host, process and start time of the nearest ancestor that starts ranks, "" where there is none.

    The start time keeps apart two jobs whose starters had the same process id, as in two containers.
    """
    at = _parent(pid)
    while at > 1:
        if STARTERS.fullmatch(_name(at)):
            return f"{os.uname().nodename}-{at}-{_started(at)}"
        at = _parent(at)
    return ""


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, which may itself contain spaces and brackets."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if len(fields) > 1 else 0


def _started(pid: int) -> str:
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else "0"
