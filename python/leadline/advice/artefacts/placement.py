"""Where ranks should run: those that exchange most on one host, from the traffic between all pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby

from leadline.advice.artefacts.artefact import Artefact, NotMade
from leadline.figures.run import Run
from leadline.placing.traffic import between, exchanged, traffic_of
from leadline.text import format as fmt

WHAT = "rank file"
LEAST_SAVED = 0.1  # of the bytes between hosts
MOST_RANKS = 2048
RANKFILE, HYDRA, SRUN = "rankfile.openmpi", "config.hydra", "hosts.srun"


def placement(run: Run) -> list[Artefact] | NotMade:
    if len(run.worlds) != 1 or len(run.worlds[0].processes) != run.ranks:
        return NotMade(WHAT, "the job has several MPI_COMM_WORLD, or ranks that were not recorded")
    processes = run.worlds[0].processes  # by rank
    hosts = [run.processes[processes[rank]].host for rank in range(run.ranks)]
    if len(set(hosts)) < 2:
        return NotMade(WHAT, f"all ranks ran on one host ({hosts[0]}), whose sockets and caches are not recorded")
    if run.ranks > MOST_RANKS:
        return NotMade(WHAT, f"the job has more than {MOST_RANKS:,} ranks")
    traffic = traffic_of(run, {process: rank for rank, process in processes.items()})
    found = exchanged(hosts, traffic)
    before, after = between(hosts, traffic), between(found, traffic)
    if before <= 0 or before - after < LEAST_SAVED * before:
        return NotMade(WHAT, f"no exchange of ranks saves a tenth of the {fmt.size(before)} between hosts")
    what = f"{fmt.size(after)} between hosts instead of {fmt.size(before)}"
    return [
        Artefact(RANKFILE, f"for mpirun of Open MPI: {what}", _rankfile(found, what)),
        Artefact(HYDRA, f"for mpiexec of MPICH and Intel MPI: {what}", _hydra(found, what)),
        Artefact(SRUN, f"for srun: {what}", "".join(f"{host}\n" for host in found)),
    ]


CHECK = "leadline run -- COMMAND records where ranks ran: leadline report lists hosts with their ranks"


def _head(what: str, use: str) -> list[str]:
    """Bytes, not time: a record of one placement does not say what messages between hosts cost in another one."""
    return [
        f"# {what}. How much time that saves is not predicted.",
        f"# Use:    {use}",
        f"# Check:  {CHECK}",
    ]


def _rankfile(hosts: Sequence[str], what: str) -> str:
    taken: dict[str, int] = defaultdict(int)
    lines = _head(what, f"mpirun -n {len(hosts)} --map-by rankfile:file={RANKFILE} PROGRAM   (--display map shows it)")
    for rank, host in enumerate(hosts):
        lines.append(f"rank {rank}={host} slot={taken[host]}")
        taken[host] += 1
    return "\n".join(lines) + "\n"


def _hydra(hosts: Sequence[str], what: str) -> str:
    lines = _head(what, f"put the program and its arguments in place of PROGRAM, then: mpiexec -configfile {HYDRA}")
    lines += [f"-n {len(list(ranks))} -host {host} PROGRAM" for host, ranks in groupby(hosts)]
    return "\n".join(lines) + "\n"
