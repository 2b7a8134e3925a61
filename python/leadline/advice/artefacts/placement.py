"""Where ranks should run: those that exchange most on one host, from the traffic between all pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby

from leadline.advice.artefacts.artefact import Artefact, NotMade
from leadline.figures.run import Run
from leadline.text import format as fmt

WHAT = "rank file"
LEAST_SAVED = 0.1  # of the bytes between hosts
MOST_RANKS = 2048
RANKFILE, HYDRA, SRUN = "rankfile.openmpi", "config.hydra", "hosts.srun"

Traffic = list[dict[int, int]]  # by rank: bytes to and from each partner


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
    found = placed(hosts, traffic)
    before, after = between_hosts(hosts, traffic), between_hosts(found, traffic)
    if before <= 0 or before - after < LEAST_SAVED * before:
        return NotMade(WHAT, f"no exchange of ranks saves a tenth of the {fmt.size(before)} between hosts")
    what = f"{fmt.size(after)} between hosts instead of {fmt.size(before)}"
    return [
        Artefact(RANKFILE, f"for mpirun of Open MPI: {what}", _rankfile(found, what)),
        Artefact(HYDRA, f"for mpiexec of MPICH and Intel MPI: {what}", _hydra(found, what)),
        Artefact(SRUN, f"for srun: {what}", "".join(f"{host}\n" for host in found)),
    ]


def traffic_of(run: Run, rank_of: dict[int, int]) -> Traffic:
    traffic: Traffic = [defaultdict(int) for _ in rank_of]
    for edge in run.profile.edges():
        target = run.process_of(edge.source, edge.target)
        if target is None or target == edge.source:
            continue
        a, b = rank_of[edge.source], rank_of[target]
        moved = edge.bytes + edge.put + edge.got
        traffic[a][b] += moved
        traffic[b][a] += moved
    return traffic


def between_hosts(hosts: Sequence[str], traffic: Traffic) -> int:
    return sum(moved for a, row in enumerate(traffic) for b, moved in row.items() if hosts[a] != hosts[b]) // 2


def placed(hosts: Sequence[str], traffic: Traffic) -> list[str]:
    """The hosts by rank, with as many ranks each, after the exchanges of two ranks that save most, one after another
    (Kernighan and Lin, An efficient heuristic procedure for partitioning graphs, 1970)."""
    found = list(hosts)
    to: list[dict[str, int]] = [defaultdict(int) for _ in found]  # by rank and host
    for a, row in enumerate(traffic):
        for b, moved in row.items():
            to[a][found[b]] += moved
    for _ in range(len(found)):
        best, pair = 0, None
        # Only who has more to do with another host than with its own gains by moving there.
        for a in range(len(found)):
            for host in list(to[a]):
                wish = to[a][host] - to[a][found[a]]
                if host == found[a] or wish <= 0:
                    continue
                for b in (rank for rank, own in enumerate(found) if own == host):
                    saved = wish + to[b][found[a]] - to[b][host] - 2 * traffic[a].get(b, 0)
                    if saved > best:
                        best, pair = saved, (a, b)
        if pair is None:
            break
        a, b = pair
        for rank, other in ((a, b), (b, a)):
            for partner, moved in traffic[rank].items():
                to[partner][found[rank]] -= moved
                to[partner][found[other]] += moved
        found[a], found[b] = found[b], found[a]
    return found


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
