"""The wait states of a run: which calls waited, on which rank, for whom, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from leadline import _core
from leadline.figures.entries import STARTUP
from leadline.figures.run import Run, Site

MOST_UNSEEN = 0.1  # of the ranks' time


class WaitCause(NamedTuple):
    """What another rank did meanwhile. doing: "computation" before a call at `site`, or "io" or "mpi" in it.

    share: of the wait.
    """

    rank: str
    doing: str
    site: Site | None
    share: float


class WaitEntry(NamedTuple):
    """Waiting of one kind at one call site on one rank, in the whole run.

    member: the site's number in the profile.
    error_s: half of the interval that holds the seconds with a probability of 95 %; 0 if they are exact.
    """

    kind: str
    site: Site | None
    rank: str
    process: int
    member: int
    seconds: float
    error_s: float
    causes: tuple[WaitCause, ...]


@dataclass(frozen=True)
class PathEntry:
    """A part of the critical path of a step: what a rank did, and at which call site."""

    rank: str
    doing: str
    site: Site | None
    share: float


@dataclass(frozen=True)
class Waits:
    """found: whether times of calls were kept that waits could be read from.   estimated: from `iterations` of them.

    unseen_s: in MPI calls none of which were in these iterations; too much: it is more than a tenth of the time, so
    that the waits that were found say little of the whole run's.
    ends_apart: nothing is said of waits and imbalance, because a rank's trace is missing or ends before the others'.
    """

    found: bool
    estimated: bool
    iterations: int
    entries: tuple[WaitEntry, ...]
    path: tuple[PathEntry, ...]
    path_steps: int
    imbalance: _core.Imbalance
    ends_apart: bool = False
    unseen_s: float = 0.0
    too_much_unseen: bool = False

    @property
    def total_s(self) -> float | None:
        """Of all ranks; None if it is unknown."""
        return sum(entry.seconds for entry in self.entries) if self.found and not self.too_much_unseen else None


def waits_of(run: Run, found: _core.RunWaits) -> Waits:
    if run.ends_apart:
        return Waits(False, False, 0, (), (), 0, found.imbalance, ends_apart=True)
    by_member = {member: site for site in run.sites + run.file_sites for member in site.members}
    labels = run.labels
    entries = tuple(
        WaitEntry(
            row.kind,
            by_member.get(row.site),
            labels[row.process],
            row.process,
            row.site,
            row.ns * 1e-9,
            row.error_ns * 1e-9,
            tuple(
                [
                    WaitCause(labels[cause.process], cause.doing, by_member.get(cause.site), cause.share)
                    for cause in row.causes
                ]
            ),
        )
        for row in found.rows
    )
    path = tuple(PathEntry(run.label(row.process), row.doing, by_member.get(row.site), row.share) for row in found.path)
    unseen = dict(found.unseen)
    startup = {function.name for function in run.profile.functions if function.cls in STARTUP}
    of_mpi = [member for site in run.sites if site.function not in startup for member in site.members]
    unseen_s = sum(unseen.get(member, 0.0) for member in of_mpi) * 1e-9 if found.found else 0.0
    return Waits(
        found.found,
        found.estimated,
        found.iterations,
        entries,
        path,
        found.path_steps,
        found.imbalance,
        unseen_s=unseen_s,
        too_much_unseen=unseen_s > MOST_UNSEEN * run.base_s,
    )
