"""The batch system's facts about the job, and where its ranks ran: hosts, and the processors that each could use."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from leadline.figures.run import Run, rank_list
from leadline.text import format as fmt

SYSTEMS = {"slurm": "Slurm", "pbs": "PBS", "lsf": "LSF", "flux": "Flux"}
MOST_LINES = 16


@dataclass(frozen=True)
class Place:
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


def batch_words(run: Run) -> str:
    """ "Slurm job 12 (relax), partition short, node[1-3]"; "" outside of a batch job."""
    job = batch_job(run)
    if job is None:
        return ""
    number = job["id"]
    if job.get("array_job"):
        number += f" ({job['array_job']}_{job.get('array_task', '?')})"
    words = f"{SYSTEMS.get(job.get('system', ''), 'batch')} job {number}"
    if job.get("restarts", "0") != "0":
        words += f", restarted {job['restarts']} times" if job["restarts"] != "1" else ", restarted once"
    if job.get("partition"):
        words += f", {'partition' if job.get('system') == 'slurm' else 'queue'} {job['partition']}"
    return words + (f", {job['nodes']}" if job.get("nodes") else "")


def places(run: Run) -> list[Place]:
    """By host, ranks in their order."""
    by_place: dict[tuple[str, tuple[tuple[int, int], ...]], list[int]] = defaultdict(list)
    for index in run.order:
        by_place[run.processes[index].host, cores_of(run.processes[index])].append(index)
    return [
        Place(
            host,
            tuple(run.label(index) for index in members),
            cores,
            max(run.processes[index].placement.processors for index in members),
        )
        for (host, cores), members in sorted(by_place.items(), key=lambda item: (item[0][0], item[1][0]))
    ]


def cores_of(process: Any) -> tuple[tuple[int, int], ...]:
    return tuple((first, count) for first, count in process.placement.allowed) if process.placement.known else ()


def cores_words(cores: tuple[tuple[int, int], ...]) -> str:
    """ "cores 0-3, 8"."""
    parts = [str(first) if count == 1 else f"{first}-{first + count - 1}" for first, count in cores]
    return f"{'core' if len(parts) == 1 and cores[0][1] == 1 else 'cores'} {', '.join(parts)}"


def place_lines(run: Run) -> list[str]:
    """A line for each host and binding; none if all ranks could run anywhere on one host."""
    found = places(run)
    if len({place.host for place in found}) == 1 and not any(place.is_bound for place in found):
        return []
    lines = []
    for place in found[:MOST_LINES]:
        ranks = rank_list(map(int, place.labels)) if all(map(str.isdigit, place.labels)) else _some(place.labels)
        if not place.cores:
            where = "cores unknown"
        elif place.is_bound:
            where = f"bound to {cores_words(place.cores)} of {place.host_cores}"
        else:
            where = f"not bound, {fmt.plural(place.host_cores, 'core')}"
        lines.append(f"{place.host}: {ranks}, {where}")
    if len(found) > MOST_LINES:
        lines.append(f"and {len(found) - MOST_LINES} more (report --json: ranks)")
    return lines


def _some(labels: tuple[str, ...]) -> str:
    return f"ranks {', '.join(labels[:8])}{' …' if len(labels) > 8 else ''}"
