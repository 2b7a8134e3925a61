"""One proposal as a page in Markdown that says everything a colleague needs who has neither the run nor Leadline."""

from __future__ import annotations

import os

from leadline.advice.advise import Advice
from leadline.figures.run import Run, Site
from leadline.text import format as fmt

EXCERPT = 4  # lines of source before and after a call
MOST_SITES = 8
MOST_BYTES = 4_000_000  # of a source file


def page_of(advice: Advice, number: int, run: Run) -> str:
    """number: from 1, in the order of the advice."""
    proposal = advice.proposals[number - 1]
    told, gain = proposal.candidate, proposal.gain
    lines = [
        f"# {told.title}",
        "",
        f"Predicted gain: {fmt.percent(gain.share)} of the run's time ({fmt.percent(max(gain.low, 0))} to "
        f"{fmt.percent(gain.high)}), {fmt.seconds(proposal.seconds)} of {fmt.seconds(advice.seconds)} on "
        f"{fmt.plural(len(run.processes), 'rank')}.",
        "",
        "## What to change",
        "",
        told.text,
        "",
        "## Where",
        "",
        *(line for site in told.sites[:MOST_SITES] for line in _place(site)),
        "## What must hold",
        "",
        *(f"- {each[:1].upper()}{each[1:]}." for each in told.assumes),
        "- The results stay equal: compare the program's output before and after.",
        "",
        "## How to measure it",
        "",
        "Record the changed program as before, and compare:",
        "",
        "    leadline run -o AFTER -- COMMAND",
        f"    leadline compare {run.path.name} AFTER",
        "",
    ]
    return "\n".join(lines)


def _place(site: Site) -> list[str]:
    where = site.location
    if where is None or not where.file:
        return [f"- {site.function} in {site.routine}", ""]
    return [f"- {site.function} in {site.routine}, {where.file}:{where.line}", "", *_excerpt(where.file, where.line)]


def _excerpt(file: str, line: int) -> list[str]:
    """The source around a line, as a block; nothing if the file is not here."""
    if not line or not os.path.isfile(file):  # a pipe of that name would be waited for
        return []
    try:
        with open(file, "rb") as source:
            text = source.read(MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return []
    all_lines = text.splitlines()
    first = max(line - 1 - EXCERPT, 0)
    shown = all_lines[first : line + EXCERPT]
    return [*(f"    {first + i + 1:5} {each.rstrip()}" for i, each in enumerate(shown)), ""] if shown else []
