"""Whether the ranks had processors of their own: who shared how many with whom, and how long they waited for one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leadline.figures.run import Run


@dataclass(frozen=True)
class HostUse:
    """Ranks that ran at the same time on processors of one host: those with the fewest processors for their threads.

    threads: those that ran; a rank that did not report them counts as one.   cores: those that these ranks may use
    together, as the system counts them; a part of one if a control group limits their time.
    waited_share: the part of their time in which they could run but had no core; None if the system does not report it.
    """

    host: str
    ranks: int
    threads: int
    cores: float
    host_cores: int
    waited_share: float | None

    @property
    def oversubscribed(self) -> bool:
        return self.threads > self.cores


def uses(run: Run) -> list[HostUse]:
    """An entry for each host whose processors are known, by name."""
    by_host: dict[str, list[Any]] = defaultdict(list)
    for process in run.processes:
        if process.conditions.known and process.conditions.allowed:
            by_host[process.host].append(process)
    return [_tightest(host, _at_once(processes)) for host, processes in sorted(by_host.items())]


def demand(process: Any) -> int:
    """Threads of a process that want a core."""
    return max(int(process.conditions.busy), 1)


def waited_share(processes: Sequence[Any]) -> float | None:
    told = [p for p in processes if p.conditions.waited_ns >= 0 and p.duration_ns > 0]
    time_ns = sum(p.duration_ns for p in told)
    return min(sum(p.conditions.waited_ns for p in told) / time_ns, 1.0) if time_ns > 0 else None


def _at_once(processes: Sequence[Any]) -> list[Any]:
    """The ranks that ran at the moment when most threads did, because jobs may have followed one another."""
    # Times of day in nanoseconds are too many digits for a float, which durations are.
    times = [(p.start_unix_ns, p.duration_ns, demand(p)) for p in processes]
    best, most = times[0][0], 0
    for moment in dict.fromkeys(start for start, _, _ in times):
        threads = sum([n for start, duration, n in times if 0 <= moment - start <= duration])
        if threads > most:
            best, most = moment, threads
    return [p for p, (start, duration, _) in zip(processes, times, strict=True) if 0 <= best - start <= duration]


def _tightest(host: str, processes: Sequence[Any]) -> HostUse:
    """Ranks may be bound: those limited to a part of the processors are examined separately."""
    masks = {process.pid: _processors(process) for process in processes}
    together = frozenset().union(*masks.values())
    found = []
    for allowed in {together, *masks.values()}:
        members = [process for process in processes if masks[process.pid] <= allowed]
        quotas = [p.conditions.quota for p in members if p.conditions.quota > 0]
        cores = min([float(len(allowed)), *quotas])
        found.append(
            HostUse(
                host,
                len(members),
                sum(map(demand, members)),
                cores,
                max(p.conditions.processors for p in members),
                waited_share(members),
            )
        )
    return max(found, key=lambda use: (use.threads / use.cores, use.ranks))


def _processors(process: Any) -> frozenset[int]:
    return frozenset(n for first, count in process.conditions.allowed for n in range(first, first + count))
