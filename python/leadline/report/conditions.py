"""What the figures of a run must be read with: it leads the verdict, because without it they would mislead."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from leadline.report import format as fmt
from leadline.report import placement, unfinished
from leadline.run import Run

WAITING_WORTH_SAYING = 0.02  # of the ranks' time, where they share cores
WAITING_FOR_OTHERS = 0.1  # where they do not
# Who sets the variable that names the number of ranks: launchers of one library, and those that start any.
_LAUNCHERS = {
    "OMPI_COMM_WORLD_SIZE": "the mpiexec of Open MPI",
    "PMI_SIZE": "an mpiexec for MPICH or Intel MPI",
}
_STARTS_MANY = {"FLUX_JOB_SIZE": "flux", "JSM_NAMESPACE_SIZE": "jsrun", "SLURM_STEP_NUM_TASKS": "srun"}
_NOT_WRITTEN = "write-failed"
_NOT_ON_THE_NODE = {
    "no-local-directory": "neither /dev/shm nor a temporary directory of the node is local",
    "too-little-room": "less than 256 MiB are left in /dev/shm and the node's temporary directories",
    "not-permitted": "no directory could be made in /dev/shm or the node's temporary directories",
}


@dataclass(frozen=True)
class Condition:
    """code: a stable word.   message: a sentence or two.   details: its numbers, for scripts."""

    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)


def conditions(run: Run) -> list[Condition]:
    """The weightiest first; empty for most runs."""
    found = (
        _stopped(run),
        _separate(run),
        _processors(run),
        _budget(run),
        _remote_memory(run),
        _others(run),
    )
    return [condition for condition in found if condition is not None]


def _stopped(run: Run) -> Condition | None:
    """Ranks that waited, or computed, for long when the run ended."""
    found = unfinished.stops(run)
    if not found:
        return None
    error = clock_error_s(run)
    message = unfinished.sentence(found, error)
    if not message:
        return None
    first = unfinished.first(found, error)
    details = {
        "ranks": sum(stop.long for stop in found),
        "longest_s": max(stop.silent_s or 0.0 for stop in found),
        "first_to_stop": (int(first[0].label) if first[0].label.isdecimal() else first[0].label) if first else None,
    }
    return Condition("ranks-stopped", f"{message} What follows is of the time before.", details)


def clock_error_s(run: Run) -> float | None:
    error_ns: float = run.profile.time().error_ns
    return None if error_ns < 0 else error_ns * 1e-9


def _separate(run: Run) -> Condition | None:
    """Ranks of one launcher that are each a world of its own: the launcher belongs to another library."""
    processes = run.processes
    launched = [p.placement for p in processes if p.placement.launched > 1]
    ranks = {place.launched_rank for place in launched}
    alone = all(process.world_size == 1 for process in processes)
    if len(processes) < 2 or not alone or len(launched) < len(processes) or len(ranks) < len(processes):
        return None
    library = fmt.library(run.library) or "another library"
    variable = launched[0].launcher
    if variable in _STARTS_MANY:
        why = f"{_STARTS_MANY[variable]} did not start them as ranks of {library}"
        hint = "see srun --mpi=list" if variable.startswith("SLURM") else f"it may need an option for {library}"
    else:
        why = f"they were started by {_LAUNCHERS.get(variable, 'a launcher')}, and the program uses {library}"
        hint = f"start it with the mpiexec of {library}"
    return Condition(
        "separate-processes",
        f"{fmt.plural(len(processes), 'process', 'processes')} ran apart, each as rank 0 of 1: {why}; {hint}.",
        {"processes": len(processes), "launched": launched[0].launched, "launcher_variable": variable},
    )


def _others(run: Run) -> Condition | None:
    if not run.others:
        return None
    names = [os.path.relpath(path, run.path if run.path in path.parents else run.path.parent) for path in run.others]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return Condition(
        "other-jobs",
        f"The same directory holds {fmt.plural(len(names), 'other job', 'other jobs')}, recorded apart: {shown}.",
        {"directories": [str(path) for path in run.others]},
    )


def _processors(run: Run) -> Condition | None:
    uses = placement.uses(run)
    crowded = [use for use in uses if use.oversubscribed and _is_felt(use.waited_share)]
    if crowded:
        return _oversubscribed(max(crowded, key=lambda use: (use.threads / use.cores, use.ranks)), len(crowded))
    waited = placement.waited_share(run.processes)
    if not uses or waited is None or waited < WAITING_FOR_OTHERS:
        return None
    return Condition(
        "cores-taken",
        f"The ranks waited {fmt.percent(waited)} of their time for a core, although there were enough: something else "
        "ran there.",
        {"waited_share": waited},
    )


def _is_felt(waited: float | None) -> bool:
    return waited is None or waited >= WAITING_WORTH_SAYING


def _oversubscribed(use: placement.HostUse, hosts: int) -> Condition:
    who = fmt.plural(use.ranks, "rank")
    if use.threads > use.ranks:
        who += f" with {use.threads} busy threads"
    verb = "shares" if use.ranks == 1 and use.threads == 1 else "share"
    one = use.cores == 1 and use.host_cores <= 1
    cores = f"{use.cores:g} of the {use.host_cores}" if use.host_cores > use.cores else f"{use.cores:g}"
    cores += " core" if one else " cores"
    where = f" of {use.host}" if use.host else ""
    others = f", and likewise on {fmt.plural(hosts - 1, 'more host')}" if hosts > 1 else ""
    if use.waited_share is None:
        so = f"{others}: waits for a core are part of every time below"
    else:
        so = (
            f" and wait {fmt.percent(use.waited_share)} of their time for one{others}: that is part of every time below"
        )
    return Condition(
        "oversubscribed",
        f"{who} {verb} {cores}{where}{so}.",
        {
            "host": use.host,
            "ranks": use.ranks,
            "threads": use.threads,
            "cores": use.cores,
            "host_cores": use.host_cores,
            "waited_share": use.waited_share,
            "hosts": hosts,
        },
    )


def _budget(run: Run) -> Condition | None:
    """Calls without order, or parts left out, because a budget was spent."""
    amounts: Counter[str] = Counter()
    ranks: dict[str, set[int]] = {}
    for index, process in enumerate(run.processes):
        for loss in process.losses:
            amounts[loss.code] += loss.amount
            ranks.setdefault(loss.code, set()).add(index)
    cut, unordered = ranks.get("over-budget", set()), ranks.get("order-lost", set())
    if not cut and not unordered:
        return None
    places = [run.processes[index].placement for index in cut | unordered]
    size = max(place.budget_files for place in places)
    given = any(place.budgets_given & 1 for place in places)
    what = f"The budget of {fmt.size(size)} a rank" if size else "The budget for files"
    if _NOT_WRITTEN in ranks and not cut:
        begin = f"The recording could not be written on {fmt.plural(len(ranks[_NOT_WRITTEN]), 'rank')}"
    else:
        begin = f"{what}{' (--budget)' if given else ''} ran out on {fmt.plural(len(cut | unordered), 'rank')}"
    results = []
    if unordered:
        results.append(
            f"{fmt.plural(amounts['order-lost'], 'call is', 'calls are')} counted and timed, but not in order"
        )
    results.append("parts are left out, so that totals are too low" if cut else "totals are exact")
    more = f" Record again with --budget {_more(size)}." if size and _NOT_WRITTEN not in ranks else ""
    return Condition(
        "budget-spent",
        f"{begin}: {'; '.join(results)}.{more}",
        {
            "ranks": len(cut | unordered),
            "calls_without_order": amounts["order-lost"],
            "parts_left_out": bool(cut),
            "budget_bytes": size or None,
        },
    )


def _remote_memory(run: Run) -> Condition | None:
    """Live memory on a network file system although nobody asked for that."""
    places = [p.placement for p in run.processes]
    remote = [p for p in places if p.remote and p.live_kind == "run" and p.live_reason in _NOT_ON_THE_NODE]
    if not remote:
        return None
    system, reason = remote[0].file_system, remote[0].live_reason
    return Condition(
        "live-memory-remote",
        f"The recording of {fmt.plural(len(remote), 'rank')} lay on {system} while the program ran, which may have "
        f"waited for it: {_NOT_ON_THE_NODE[reason]}; --live names a directory of the nodes.",
        {"ranks": len(remote), "file_system": system, "reason": reason},
    )


def _more(size: int) -> str:
    """Four times as much, as one would type it."""
    megabytes = max(4 * size // 1_000_000, 1)
    return f"{megabytes}MB"
