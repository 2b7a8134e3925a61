"""One report: a run's figures, findings and verdict, each computed once however many forms of it are written."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.figures.content import Content
from leadline.figures.run import Run, open_run
from leadline.findings import findings_of, times_are_spoiled
from leadline.findings.finding import Finding
from leadline.report.json_report import data_of
from leadline.report.sections.iterations import print_iterations
from leadline.report.summary import print_summary
from leadline.report.terminal import print_report, print_sections

if TYPE_CHECKING:
    from rich.console import Console

    from leadline.advice import Advice


MOST_CARDS = 3
"""Proposals that the page shows with a timeline before and after."""
MOST_REPLAYED = 30_000_000
"""Calls in all replays of a run for its report: they take about three seconds. `leadline advise` has no such limit."""


class Report:
    """What a command shows of a run; it makes one of these."""

    def __init__(self, run: Run, iteration: int | None = None) -> None:
        """iteration: that its timeline shows besides those that stand for others."""
        self.run = run
        self.content = Content(run, iteration)

    @functools.cached_property
    def findings(self) -> list[Finding]:
        return findings_of(self.content)

    @property
    def says_what_changes_gain(self) -> bool:
        """Whether the run may be replayed with changes: its ranks are all there, and had cores of their own."""
        if self.run.predicted:
            return False
        return self.run.complete and len(self.run.worlds) == 1 and not times_are_spoiled(self.findings)

    @functools.cached_property
    def advice(self) -> Advice | None:
        """What changes to the program gain; None: that cannot be said, or takes longer than a report may."""
        if not self.says_what_changes_gain:
            return None
        from leadline.advice import advise_within  # what replays runs costs every report time that imports it

        return advise_within(self.content, MOST_REPLAYED)

    @functools.cached_property
    def data(self) -> dict[str, Any]:
        """The JSON object."""
        return data_of(self.content, self.findings)

    @property
    def page_data(self) -> dict[str, Any]:
        """What the page draws: the JSON object, and the advice that `leadline advise --json` prints, or null, with
        timelines of a step before and after the first proposals."""
        advice = self.advice
        if advice is None:
            return {**self.data, "advice": None}
        return {**self.data, "advice": {**advice.as_data(), "timelines": advice.timelines(self.content, MOST_CARDS)}}

    def print_summary(self, console: Console, more: str = "") -> None:
        """more: a last paragraph that says where the rest is."""
        print_summary(self.content, self.findings, console, more, self.advice)

    def print(self, console: Console, *, all_sites: bool = False) -> None:
        """The whole report. all_sites: every call site, file and finding, not only the weightiest."""
        print_report(self.content, self.findings, console, all_sites=all_sites)

    def print_sections(self, console: Console, names: Sequence[str], *, all_sites: bool = False) -> None:
        """The sections with these names: "findings", their ids, titles, or the names of their fields in JSON.

        Raises UsageError if there is no such section.
        """
        print_sections(self.content, self.findings, console, names, all_sites=all_sites)

    def print_iterations(self, console: Console) -> None:
        """Only the section on iterations, or the reason why there is none."""
        print_iterations(self.content, console)


def open_report(path: str | Path, *, step: str | None = None, iteration: int | None = None) -> Report:
    """The report of the run recorded in `path`. step and errors: as for open_run.   iteration: as for Report."""
    return Report(open_run(path, step=step), iteration)


def to_json(run: Run) -> dict[str, Any]:
    """The report of a run as data, for callers that need nothing else."""
    return Report(run).data
