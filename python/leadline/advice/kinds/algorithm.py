"""Another algorithm of a collective operation, in the network that was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from leadline import _core
from leadline.advice.candidate import Candidate, Gains, Kind
from leadline.figures.content import Content
from leadline.figures.run import Site
from leadline.operations import Operation, operations
from leadline.predict import Algorithm

LEAST_SHARE = 0.001  # of the time as recorded, in calls of the operation


def in_network(content: Content, gains: Gains) -> list[Candidate]:
    """Of each operation, the algorithm with which the run takes least time, if that is less than with the one that
    MPICH would choose."""
    found = []
    for operation in operations().values():
        sites = _sites_of(content, operation)
        if not sites:
            continue
        gained = {each: gains(Algorithm(operation.name, each)) for each in _algorithms_of(operation)}
        best = max(gained, key=lambda each: gained[each] or 0.0)
        if (gained[best] or 0.0) > 0:
            found.append(_candidate(operation, best, sites))
    return found


def _sites_of(content: Content, operation: Operation) -> tuple[Site, ...]:
    """Of blocking calls; none if these take next to no time."""
    names = (f"MPI_{operation.function}", f"MPI_{operation.function}_c")
    entries = [entry for entry in content.sites if entry.site is not None and entry.site.function in names]
    if content.share(sum(entry.time_s for entry in entries)) < LEAST_SHARE:
        return ()
    return tuple(entry.site for entry in entries if entry.site is not None)


def _algorithms_of(operation: Operation) -> Sequence[str]:
    return [name for of, name, *_ in _core.collective_algorithms() if of == operation.name]


def _candidate(operation: Operation, algorithm: str, sites: tuple[Site, ...]) -> Candidate:
    return Candidate(
        "algorithm",
        f"Let MPI_{operation.function} use the algorithm {algorithm}",
        f"Measure it there: leadline bench {operation.name} --algorithms {algorithm}. leadline tune writes "
        "a table, and leadline apply uses it without a change of the program.",
        sites,
        Algorithm(operation.name, algorithm),
        (
            "the library would choose as MPICH does",
            *(("the order in which values are reduced does not matter",) if operation.reduces else ()),
        ),
    )


KIND = Kind(id="algorithm", order=38, candidates=lambda content: [], in_network=in_network)
