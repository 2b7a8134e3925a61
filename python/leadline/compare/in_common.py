"""Runs and profiles of different kinds, reduced to what is known of all of them, and what that leaves out.

Recordings of ours are left as they are if nothing else is compared with them, unless an iteration that is seen in one
may be several: nothing is per iteration then. Otherwise:

* Nothing is per iteration, as profiles do not tell the main loop from the rest: all is of the whole run.
* Call sites are compared by as many routines, counted from the call, as the source that knows fewest has. If one has
  none, or their names have nothing in common, functions are compared.
* What tools count in different ways (messages, bytes) is compared within one kind only. So is what is missing: a
  function that one tool does not wrap was not dropped by the program.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from leadline.compare.subject import Group, Part, Subject

MOST_NAMED = 4
KINDS = {
    "TAU directory": "a TAU profile directory",
    "TAU columns": "a CSV file in TAU's column format",
    "pprof text": "a text output of pprof",
    "mpiP report": "an mpiP report",
}


def in_common(groups: Sequence[Group]) -> tuple[list[Group], list[str]]:
    """The groups, reduced; and a sentence for each thing that they leave open."""
    runs = [run for group in groups for run in group.runs]
    if all(run.has_structure for run in runs):
        return _per_run(groups, [run for run in runs if run.lumped])
    kinds = {run.kind for run in runs}
    said = [_without_loops(runs)]
    uncounted = sorted({name for run in runs for name in run.uncounted})
    if uncounted:
        said.append(f"Omitted: {_listed(uncounted)}, because TAU stops timing a function after 100,000 calls.")
    depth, why = _depth(runs)
    if depth != 0:
        reduced = [_at_depth(run, depth, len(kinds) > 1) for run in runs]
        share = _alike(reduced)
        if len(kinds) > 1 and share == 0:
            depth, why = 0, "Compared by function: no call-site names match."
        elif len(kinds) > 1 and share < 1:
            why += f" {share * 100:.0f} % of the call sites exist in every run; only those are compared."
    if why:
        said.append(why.strip())
    if len(kinds) > 1:
        said.append(
            "Tools wrap different functions and count messages and bytes differently: only calls and times common to "
            "all "
            "are compared."
        )
    elif not all(run.all_sites for run in runs):
        said.append("Call sites are incomplete: none is reported as added or removed.")
    found = iter([_reduced(run, depth, len(kinds) > 1, set(uncounted)) for run in runs])
    return [replace(group, runs=[next(found) for _ in group.runs]) for group in groups], said


def _named(runs: Iterable[Subject]) -> str:
    """ "an mpiP report and a TAU profile directory"."""
    names = list(dict.fromkeys(KINDS.get(run.kind or "", run.kind or "a run") for run in runs))
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _without_loops(runs: Sequence[Subject]) -> str:
    named = _named(run for run in runs if not run.has_structure)
    return f"{named[0].upper()}{named[1:]}: whole-run times and counts only (no iterations, loops, phases or partners)."


def _depth(runs: Sequence[Subject]) -> tuple[int | None, str]:
    """How many routines of call sites are compared, None for all; and the sentence about that."""
    without = [run for run in runs if not run.sites]
    if without:
        return 0, f"Compared by function: {_named(without)} has no call sites."
    known = [run.depth for run in runs if run.depth is not None]
    if not known:
        return None, ""
    least = min(known)
    innermost = "routine that calls MPI" if least == 1 else f"innermost {least} routines"
    return least, f"Call sites are compared by the {innermost}, because some call paths are known only that far."


def _alike(runs: Sequence[Subject]) -> float:
    """The share of the call sites that all have, among those of the run with the fewest."""
    keys = [{part.key for part in run.sites if not part.local} for run in runs]
    common = set.intersection(*keys)
    return len(common) / max(min(map(len, keys)), 1)


def _at_depth(run: Subject, depth: int | None, mixed: bool) -> Subject:
    """mixed: lines are not comparable between kinds, so that calls in one routine are one site."""

    def key(part: Part) -> tuple[str, ...]:
        function, *path, number = part.key
        path = path if depth is None else path[max(len(path) - depth, 0) :]
        return (function, *path, "" if mixed or depth is not None else number)

    sites = _merged(run.sites, key)
    return replace(run, sites=[replace(part, name=_innermost(part.name)) for part in sites] if depth == 1 else sites)


def _innermost(name: str) -> str:
    """ "MPI_Send in step > exchange" -> "MPI_Send in exchange"."""
    function, _, path = name.partition(" in ")
    return f"{function} in {path.rpartition(' > ')[2]}" if path else function


def _reduced(run: Subject, depth: int | None, mixed: bool, uncounted: set[str]) -> Subject:
    def counted(parts: Iterable[Part]) -> list[Part]:
        kept = [part for part in parts if part.key[0] not in uncounted]
        return [replace(part, messages=0, n_bytes=0, bytes_error=0.0) for part in kept] if mixed else kept

    functions = _merged(run.functions, lambda part: (part.key[0], ""))
    sites = [] if depth == 0 else _at_depth(run, depth, mixed).sites
    return replace(
        run,
        iterations=0,
        main_loop="",
        iteration_s=(),
        phases=(),
        loops=(),
        partners=None,
        functions=counted(replace(part, name=part.key[0]) for part in functions),
        sites=counted(sites),
        rank_computation={rank: [seconds] for rank, seconds in run.rank_totals.items()},
        all_sites=run.all_sites and not mixed,
        has_structure=False,
    )


def _merged(parts: Sequence[Part], key_of: Callable[[Part], tuple[str, ...]]) -> list[Part]:
    """Those of a key as one part, per run."""
    groups: dict[tuple[str, ...], list[Part]] = defaultdict(list)
    for part in parts:
        groups[key_of(part)].append(part)
    return [
        replace(
            members[0],
            key=key,
            calls=sum(part.calls for part in members),
            messages=sum(part.messages for part in members),
            n_bytes=sum(part.n_bytes for part in members),
            time_s=sum(part.time_s for part in members),
            in_loop=False,
            sizes=None,
            series=(),
            local=all(part.local for part in members),
            calls_error=sum(part.calls_error for part in members),
            bytes_error=sum(part.bytes_error for part in members),
            time_error_s=sum(part.time_error_s for part in members),
        )
        for key, members in groups.items()
    ]


def _per_run(groups: Sequence[Group], lumped: Sequence[Subject]) -> tuple[list[Group], list[str]]:
    if not lumped:
        return list(groups), []

    def outside(parts: Iterable[Part]) -> list[Part]:
        return [replace(part, in_loop=False, series=()) for part in parts]

    def reduced(run: Subject) -> Subject:
        return replace(
            run,
            iterations=0,
            main_loop="",
            iteration_s=(),
            sites=outside(run.sites),
            functions=outside(run.functions),
            phases=outside(run.phases),
            loops=outside(run.loops),
            rank_computation={rank: [seconds] for rank, seconds in run.rank_totals.items()},
        )

    said = (
        f"Everything is per run: an iteration that is seen of {lumped[0].main_loop} in {lumped[0].name} may be "
        "several. --step FILE:LINE takes another loop."
    )
    return [replace(group, runs=[reduced(run) for run in group.runs]) for group in groups], [said]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
