"""One proposal as a page in Markdown that says everything a colleague needs who has neither the run nor Leadline."""

from __future__ import annotations

from leadline.advice.advise import Advice
from leadline.advice.proposal import Proposal
from leadline.advice.sketches import why_none
from leadline.advice.sources import source_text
from leadline.figures.run import Run, Site
from leadline.text import format as fmt

EXCERPT = 4  # lines of source before and after a call
MOST_SITES = 8


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
        *_sketch(proposal),
        "## Pitfalls",
        "",
        *(f"- {each}" for each in proposal.pitfalls),
        "",
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


def _sketch(proposal: Proposal) -> list[str]:
    sketch = proposal.sketch
    if sketch is None:
        why = why_none(proposal.candidate.kind)
        return ["## A sketch", "", f"There is no code to show: {why}.", ""] if why else []
    return ["## A sketch", "", f"```{sketch.language.fence}", *sketch.text.splitlines(), "```", ""]


def _place(site: Site) -> list[str]:
    where = site.location
    if where is None or not where.file:
        return [f"- {site.function} in {site.routine}", ""]
    return [f"- {site.function} in {site.routine}, {where.file}:{where.line}", "", *_excerpt(where.file, where.line)]


def _excerpt(file: str, line: int) -> list[str]:
    """The source around a line, as a block; nothing if the file is not here."""
    all_lines = source_text(file).splitlines() if line else []
    first = max(line - 1 - EXCERPT, 0)
    shown = all_lines[first : line + EXCERPT]
    return [*(f"    {first + i + 1:5} {each.rstrip()}" for i, each in enumerate(shown)), ""] if shown else []
