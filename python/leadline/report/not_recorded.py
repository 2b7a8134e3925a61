"""What a recording does not contain, and why. Every form of the report lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.figures.content import Content
from leadline.figures.control import PausedRank, paused_ranks
from leadline.figures.run import Run
from leadline.figures.samples import forbidden
from leadline.figures.without_lines import without_lines
from leadline.sampling import with_help
from leadline.text import format as fmt


@dataclass(frozen=True)
class NotRecorded:
    what: str
    why: str


def not_recorded(content: Content) -> list[NotRecorded]:
    run = content.run
    entries = []
    absent = run.ranks - len(run.processes)
    if absent > 0:
        entries.append(NotRecorded(f"{absent} of {run.ranks} ranks", "no readable trace in the run"))
    early = [index for index in run.order if not run.processes[index].finalized]
    within = [index for index in early if _in_finalize(run, index)]
    reasons = {
        "MPI_Finalize was not reached (killed, MPI_Abort, or never called)": [i for i in early if i not in within],
        "MPI_Finalize did not return": within,
    }
    for reason, indices in reasons.items():
        if indices:
            what = f"the end of {_labels([run.label(index) for index in indices])}"
            entries.append(NotRecorded(what, f"{reason}; recorded up to the last flush"))
    entries += _of_machine(run, early)
    for group in _alike(paused_ranks(run)):
        first = group[0]
        calls = sum(rank.calls for rank in group)
        when = f"{first.times} times" if first.times > 1 else _when(first)
        entries.append(
            NotRecorded(
                f"{_labels([rank.rank for rank in group])} while paused ({when}, "
                f"{max(rank.seconds for rank in group):.3g} s)",
                f"paused by the program (MPI_Pcontrol) or --start-paused; {calls} calls (local ones not counted) "
                f"were not "
                "recorded",
            )
        )
    if {"MPI_Win_allocate_shared", "MPI_Win_shared_query"} & {f.name for f in run.profile.functions}:
        entries.append(
            NotRecorded(
                "loads and stores in shared-memory windows",
                "not MPI calls; puts, gets and accumulates on these windows are included",
            )
        )
    if unplaced := sum(process.unplaced_polls for process in run.processes):
        placed = sum(process.placed_polls for process in run.processes)
        entries.append(
            NotRecorded(
                f"call sites of {unplaced:,} of {placed + unplaced:,} groups of failed polls",
                "the table of their call sites was full; every poll is still counted and timed",
            )
        )
    entries += _of_samples(content)
    if not all(process.files_recorded for process in run.processes):
        entries.append(NotRecorded("file I/O outside MPI_File_*", "recorded by an older version of Leadline"))
    others = [process.conditions.busy - max(process.threads, 1) for process in run.processes]
    if max(others, default=0) > 0:
        entries.append(
            NotRecorded(
                f"threads that call no MPI function (up to {max(others)} per rank)",
                "not included in times and shares",
            )
        )
    if name := without_lines(content):
        entries.append(
            NotRecorded(
                "file and line of call sites",
                f"{name} was compiled without debug information: add -g",
            )
        )
    entries.append(
        NotRecorded("time before MPI_Init and after MPI_Finalize", "times start at MPI_Init and end at MPI_Finalize")
    )
    return entries


def _of_machine(run: Run, early: Sequence[int]) -> list[NotRecorded]:
    """What shows whether times can be trusted, of ranks that did not reach MPI_Finalize."""
    entries = []
    counted = [run.processes[index].conditions.threads for index in early]
    if early and not any(counted):
        what = f"the number of threads of {_labels([run.label(index) for index in early])}"
        entries.append(NotRecorded(what, "counted in MPI_Finalize: whether the cores were shared is unknown"))
    unknown = [index for index in early if run.processes[index].conditions.waited_ns < 0]
    if unknown:
        what = f"how long {_labels([run.label(index) for index in unknown])} waited for a core"
        entries.append(NotRecorded(what, "not noted before the end: the machine may have been busy"))
    return entries


def _in_finalize(run: Run, index: int) -> bool:
    """Whether its process ended while it was in MPI_Finalize."""
    called = [function for _, in_call, function, _, _ in run.processes[index].ends if in_call]
    return any(run.profile.functions[function].name == "MPI_Finalize" for function in called)


def _of_samples(content: Content) -> list[NotRecorded]:
    samples = content.samples
    if not samples.rate:
        what = "routines without MPI calls"
        return [NotRecorded(what, "use --sample to see where the program computes")]
    found = []
    if samples.refused:
        why = with_help(samples.reason, forbidden=forbidden(samples))
        found.append(NotRecorded(f"samples of {fmt.plural(samples.refused, 'thread')}", why))
    if samples.lost:
        why = "the sample buffer overflowed in long computations: sample at a lower rate"
        found.append(
            NotRecorded(f"{fmt.count(samples.lost)} of {fmt.count(samples.taken + samples.lost)} samples", why)
        )
    if samples.no_room:
        why = "too many distinct instructions for the table"
        found.append(NotRecorded(f"routines of {fmt.count(samples.no_room)} samples", why))
    return found


def _alike(ranks: list[PausedRank]) -> list[list[PausedRank]]:
    """Ranks that were paused equally often, together."""
    groups: dict[int, list[PausedRank]] = {}
    for rank in ranks:
        groups.setdefault(rank.times, []).append(rank)
    return list(groups.values())


def _when(rank: PausedRank) -> str:
    if not rank.intervals:  # a damaged trace counts pauses, and keeps none
        return "at times that are unknown"
    begin, end = rank.intervals[0]
    return f"from {begin:.3g} s " + ("to the end" if end is None else f"to {end:.3g} s")


def _labels(labels: Sequence[str]) -> str:
    if len(labels) == 1:
        return f"rank {labels[0]}"
    shown = ", ".join(labels[:8])
    return f"ranks {shown}" + (f" and {len(labels) - 8} more" if len(labels) > 8 else "")
