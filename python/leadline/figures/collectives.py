"""Collectives by class: which way their data goes, whatever the function and the call site."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leadline.figures.entries import COLLECTIVE, Entry
from leadline.figures.waits import Waits

# By class, functions without MPI_ and the I of nonblocking ones. Persistent ones move data when they are started, and
# are counted there.
CLASSES = {
    "one_to_all": ("bcast", "scatter", "scatterv"),
    "all_to_one": ("gather", "gatherv", "reduce"),
    "all_to_all": (
        *("allreduce", "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"),
        *("reduce_scatter", "reduce_scatter_block"),
    ),
    "prefix": ("scan", "exscan"),
    "barrier": ("barrier",),
    "neighbours": tuple(
        f"neighbor_{name}" for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
    ),
}
TITLES = {
    "one_to_all": "one to all",
    "all_to_one": "all to one",
    "all_to_all": "all to all",
    "prefix": "scans (prefix sums)",
    "barrier": "barriers",
    "neighbours": "neighbourhood collectives",
}
_CLASS_OF = {function: name for name, functions in CLASSES.items() for function in functions}


@dataclass(frozen=True)
class CollectiveClass:
    """All collectives of one class, in the whole run.

    functions: most time first.   bytes_each, received_each: mean of a call on one rank.   ranks: that called.
    time_s: in these calls, of all ranks; of nonblocking ones, what completes them is not in it.
    wait_s: waited for other ranks in these calls; None if the times of calls were not kept.
    """

    name: str
    functions: tuple[str, ...]
    calls: int
    bytes_each: float
    received_each: float
    ranks: int
    time_s: float
    share: float
    wait_s: float | None


def class_of(function: str) -> str | None:
    """The class of "MPI_Iallreduce"; None if it neither moves data nor synchronises, as MPI_Allreduce_init."""
    name = function.removeprefix("MPI_").lower()
    return _CLASS_OF.get(name) or _CLASS_OF.get(name.removeprefix("i"))


def collective_classes(functions: Iterable[Entry], waits: Waits) -> list[CollectiveClass]:
    """Most time first."""
    members: dict[str, list[Entry]] = {}
    for entry in functions:
        name = class_of(entry.name) if entry.cls in COLLECTIVE else None
        if name is not None and entry.calls:
            members.setdefault(name, []).append(entry)
    found = [_class(name, entries, waits) for name, entries in members.items()]
    return sorted(found, key=lambda one: -one.time_s)


def _class(name: str, entries: list[Entry], waits: Waits) -> CollectiveClass:
    calls = sum(entry.calls for entry in entries)
    names = [entry.name for entry in sorted(entries, key=lambda entry: -entry.time_s)]
    waited = sum(e.seconds for e in waits.entries if e.site is not None and e.site.function in names)
    return CollectiveClass(
        name=name,
        functions=tuple(names),
        calls=calls,
        bytes_each=sum(entry.n_bytes for entry in entries) / calls,
        received_each=sum(entry.bytes_received for entry in entries) / calls,
        ranks=max(entry.ranks for entry in entries),
        time_s=sum(entry.time_s for entry in entries),
        share=sum(entry.share or 0.0 for entry in entries),
        wait_s=waited if waits.found else None,
    )
