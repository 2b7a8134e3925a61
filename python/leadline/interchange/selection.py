"""The part of a run that is exported: some ranks, and all of it or some iterations of its step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from leadline import _core
from leadline.errors import DamagedTrace
from leadline.figures.run import Run, Site


@dataclass(frozen=True)
class Selection:
    """processes: indices into run.processes, in display order.

    iterations: the first one, and the one after the last; None: everything, also what lies outside of the step.
    loop: number of the step's loop in the profile, 0: the main one.
    """

    run: Run
    processes: tuple[int, ...]
    iterations: tuple[int, int] | None = None
    loop: int = 0

    def traces(self) -> Iterator[tuple[int, _core.Process]]:
        """Each process with its trace. Raises DamagedTrace."""
        for index in self.processes:
            try:
                trace = self.run.trace(index)
            except _core.TraceError as error:
                raise DamagedTrace(f"cannot re-read a trace: {error}") from error
            yield index, trace

    @property
    def mark(self) -> str:
        """What every exported file of a predicted run says somewhere; "" for a recorded one."""
        return "predicted, not measured" if self.run.predicted else ""

    def label(self, process: int) -> str:
        """Its rank, marked if the run is predicted: for the tracks and locations of other tools."""
        return self.run.label(process) + (f" ({self.mark})" if self.mark else "")

    def sites(self) -> dict[int, Site]:
        """By number in the profile, the call site as people see it."""
        everything = (*self.run.sites, *self.run.file_sites)
        return {member: site for site in everything for member in site.members}

    def threads(self) -> int:
        return sum(self.run.processes[index].threads for index in self.processes)


@dataclass
class Written:
    """The result of an export.

    amounts: what was written, for people.   notes: what it lacks, or does not have from a measurement; sentences.
    """

    amounts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
