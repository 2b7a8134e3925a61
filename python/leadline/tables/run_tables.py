"""leadline.open: the tables of a recorded run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.errors import MissingPrerequisite
from leadline.tables import (
    calls,
    findings,
    io,
    iterations,
    losses,
    matrix,
    patterns,
    phases,
    ranks,
    sites,
    timeline,
    waits,
)
from leadline.tables.table import Table

if TYPE_CHECKING:
    from leadline.advice import Advice
    from leadline.figures.content import Content
    from leadline.tables.rows import (
        CallsRow,
        FindingsRow,
        IoRow,
        IterationsRow,
        LossesRow,
        MatrixRow,
        PatternsRow,
        PhasesRow,
        RanksRow,
        SitesRow,
        TimelineRow,
        WaitsRow,
    )


class RunTables:
    """The contents of a run directory. Each call of a method computes its table (columns: docs/read/tables.md)."""

    def __init__(self, path: Path, content: Content) -> None:
        """path: the directory that was read, or the one trace file."""
        self.path = path
        self._content = content

    @property
    def content(self) -> Content:
        """The figures of the report, which the tables are made of."""
        return self._content

    def calls(self) -> Table[CallsRow]:
        """A row per call site and rank that called MPI there."""
        return self._table(calls)

    def sites(self) -> Table[SitesRow]:
        """A row per call site of an MPI function."""
        return self._table(sites)

    def matrix(self) -> Table[MatrixRow]:
        """A row per pair of ranks of which one sent to the other or called one-sided operations on it."""
        return self._table(matrix)

    def ranks(self) -> Table[RanksRow]:
        """A row per rank that was recorded."""
        return self._table(ranks)

    def iterations(self) -> Table[IterationsRow]:
        """A row per iteration of the main loop, or per run of them if they are many. Raises UsageError for a step that
        the run does not have.
        """
        return self._table(iterations)

    def timeline(self, iteration: timeline.Which = "typical") -> Table[TimelineRow]:
        """A row per call of an iteration of the main loop, on all ranks: its number, "typical" or "slowest";
        "all": of every iteration whose calls' times all ranks kept. Raises UsageError if those of a number were not.
        """
        return Table(timeline.TABLE, timeline.values(self._content, iteration))

    def phases(self) -> Table[PhasesRow]:
        """A row per phase of the run."""
        return self._table(phases)

    def waits(self) -> Table[WaitsRow]:
        """A row per kind of wait, call site and rank."""
        return self._table(waits)

    def patterns(self) -> Table[PatternsRow]:
        """A row per pattern of communication or I/O."""
        return self._table(patterns)

    def findings(self) -> Table[FindingsRow]:
        """A row per finding, most important first."""
        return self._table(findings)

    def io(self) -> Table[IoRow]:
        """A row per file, rank and layer of software that called."""
        return self._table(io)

    def losses(self) -> Table[LossesRow]:
        """A row per kind of recorded data that is missing."""
        return self._table(losses)

    def advice(self) -> Advice:
        """What to change first, and what that gains: docs/tune/advise.md.

        Raises UsageError if nothing can be said from this run, with the reason.
        """
        from leadline.advice import advise

        return advise(self._content.run)

    def __repr__(self) -> str:
        return (
            f"<leadline recording {self.path}: {len(self._content.run.processes)} of {self._content.run.ranks} ranks>"
        )

    def _table(self, part: Any) -> Table[Any]:
        return Table(part.TABLE, part.values(self._content))


def open(path: str | Path, *, step: str | None = None) -> RunTables:
    """Opens the directory that leadline record or run wrote, or one trace file in it, and reads every rank.

    step: whose iterations `iterations()` gives: ROUTINE, ROUTINE:LINE or a region; None for the main loop.
    Raises NoSuchRun, which is a FileNotFoundError, if there is nothing of that name, and DamagedTrace if no trace is in
    it, or no readable one. Unreadable traces beside readable ones are listed in `losses()`.
    """
    try:
        from leadline.figures.content import Content
        from leadline.figures.run import open_run
    except ImportError as error:
        raise MissingPrerequisite(
            f"Leadline's native module is missing: {error}", hint="in a source tree: ./dev build"
        ) from error
    run = open_run(path, step=step)
    return RunTables(run.path, Content(run))
