"""The batch system's facts about the job, and where its ranks ran: hosts, and the processors that each could use."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from leadline.figures.run import Run


@dataclass(frozen=True)
class Binding:
    """Ranks of one host with the same processors. cores: (first, count), as the system numbers them; empty: unknown."""

    host: str
    labels: tuple[str, ...]
    cores: tuple[tuple[int, int], ...]
    host_cores: int

    @property
    def is_bound(self) -> bool:
        return bool(self.cores) and sum(count for _, count in self.cores) < self.host_cores


def batch_job(run: Run) -> dict[str, Any] | None:
    """The first rank's facts about its batch job (job.json); None outside a batch job."""
    found = run.description.get("job", {}).get("batch") or run.description.get("batch")
    return found if isinstance(found, dict) and found.get("id") else None


def bindings(run: Run) -> list[Binding]:
    """By host, ranks in their order."""
    by_binding: dict[tuple[str, tuple[tuple[int, int], ...]], list[int]] = defaultdict(list)
    for index in run.order:
        by_binding[run.processes[index].host, cores_of(run.processes[index])].append(index)
    return [
        Binding(
            host,
            tuple(run.label(index) for index in members),
            cores,
            max(run.processes[index].conditions.processors for index in members),
        )
        for (host, cores), members in sorted(by_binding.items(), key=lambda item: (item[0][0], item[1][0]))
    ]


def cores_of(process: Any) -> tuple[tuple[int, int], ...]:
    return tuple((first, count) for first, count in process.conditions.allowed) if process.conditions.known else ()
