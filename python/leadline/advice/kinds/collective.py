"""Messages that amount to a collective of the library: to one rank or from one to all, at once or over a tree, or from
all to all."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import AnyChange, Distribute, ExchangeAll, Gather

MANAGING = ("master_worker", "wildcard_receive")
TREES = ("handmade_broadcast", "handmade_reduction")
ORDER = "nobody relies on the messages to arrive one by one, or on their tags"


@dataclass(frozen=True)
class _Shape:
    title: str  # {where}, {root}
    text: str
    change: type[Gather] | type[Distribute] | type[ExchangeAll]
    assumes: tuple[str, ...]
    sketch: str


SHAPES = {
    "all_to_one": _Shape(
        "Make one MPI_Gather of the messages to rank {root} in {where}",
        "MPI_Gather, or MPI_Gatherv for parts of different sizes; MPI_Reduce if rank {root} adds them up.",
        Gather,
        (f"rank {{root}} needs no part before it has all; {ORDER}",),
        "gather",
    ),
    "one_to_all": _Shape(
        "Make one MPI_Bcast or MPI_Scatter of the messages from rank {root} in {where}",
        "MPI_Bcast if all ranks get the same data; otherwise MPI_Scatter, or MPI_Scatterv for parts of different "
        "sizes.",
        Distribute,
        (
            "all ranks get the same data, if the messages are equally long: a scatter gains less than a broadcast",
            f"rank {{root}} computes nothing between these messages that others wait for; {ORDER}",
        ),
        "distribute",
    ),
    "handmade_broadcast": _Shape(
        "Make one MPI_Bcast of the messages that come from rank {root} in {where}",
        "MPI_Bcast, on all ranks: each passes on what it received, as the library does, which chooses by size among "
        "several ways.",
        Distribute,
        (f"what is passed on is what was received; {ORDER}",),
        "distribute",
    ),
    "handmade_reduction": _Shape(
        "Make one MPI_Reduce of the messages that end on rank {root} in {where}",
        "MPI_Reduce, on all ranks: each passes on what it combined, as the library does, which chooses by size among "
        "several ways.",
        Gather,
        (f"what is passed on is what was received, combined with one's own by a sum or another operation; {ORDER}",),
        "reduce",
    ),
    "handmade_alltoall": _Shape(
        "Make one MPI_Alltoall of the messages in {where}",
        "MPI_Alltoall, or MPI_Alltoallv for parts of different sizes; MPI_Allgather if all ranks get the same data.",
        ExchangeAll,
        (ORDER,),
        "alltoall",
    ),
}


def candidates(content: Content) -> list[Candidate]:
    """Whoever receives from any rank may hand out work: not in its routine."""
    managing = {site.routine for entry in content.patterns if entry.name in MANAGING for site in entry.sites}
    return [
        _candidate(entry, SHAPES[entry.name])
        for entry in content.patterns
        if entry.name in SHAPES
        and entry.sites
        and not entry.evidence.get("one_sided")
        and (entry.name not in TREES or _is_all(entry, content))
        and not any(site.routine in managing for site in entry.sites)
    ]


def _is_all(tree: PatternEntry, content: Content) -> bool:
    """Whether the tree has a root, and is all that its routine exchanges: a prefix sum goes up a tree and down again,
    with other values."""
    same = [entry for entry in content.patterns if entry.messages and entry.routines == tree.routines]
    return "root" in tree.evidence and {entry.name for entry in same} <= {tree.name, "packable_messages"}


def _candidate(entry: PatternEntry, shape: _Shape) -> Candidate:
    told = {"where": of_pattern(entry), "root": entry.evidence.get("root", "")}
    members = tuple(member for site in entry.sites for member in site.members)
    change: AnyChange = shape.change(told["where"], members)
    return Candidate(
        "collective",
        shape.title.format(**told),
        shape.text.format(**told),
        entry.sites,
        change,
        tuple(each.format(**told) for each in shape.assumes),
        shape=shape.sketch,
    )


KIND = Kind(id="collective", order=28, candidates=candidates, patterns=tuple(SHAPES))
