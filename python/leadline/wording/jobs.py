"""The batch job of a run, and where its ranks ran."""

from __future__ import annotations

from leadline.figures.job import batch_job, bindings
from leadline.figures.run import Run
from leadline.text import format as fmt
from leadline.text.ranks import rank_list

SYSTEMS = {"slurm": "Slurm", "pbs": "PBS", "lsf": "LSF", "flux": "Flux"}
MOST_LINES = 16


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


def cores_words(cores: tuple[tuple[int, int], ...]) -> str:
    """ "cores 0-3, 8"."""
    parts = [str(first) if count == 1 else f"{first}-{first + count - 1}" for first, count in cores]
    return f"{'core' if len(parts) == 1 and cores[0][1] == 1 else 'cores'} {', '.join(parts)}"


def binding_lines(run: Run) -> list[str]:
    """A line for each host and binding; none if all ranks could run anywhere on one host."""
    found = bindings(run)
    if len({binding.host for binding in found}) == 1 and not any(binding.is_bound for binding in found):
        return []
    lines = []
    for binding in found[:MOST_LINES]:
        ranks = rank_list(map(int, binding.labels)) if all(map(str.isdigit, binding.labels)) else _some(binding.labels)
        if not binding.cores:
            where = "cores unknown"
        elif binding.is_bound:
            where = f"bound to {cores_words(binding.cores)} of {binding.host_cores}"
        else:
            where = f"not bound, {fmt.plural(binding.host_cores, 'core')}"
        lines.append(f"{binding.host}: {ranks}, {where}")
    if len(found) > MOST_LINES:
        lines.append(f"and {len(found) - MOST_LINES} more (report --json: ranks)")
    return lines


def _some(labels: tuple[str, ...]) -> str:
    return f"ranks {', '.join(labels[:8])}{' …' if len(labels) > 8 else ''}"
