"""The verdict of a run whose figures would mislead: what happened instead of how the time was spent.

The findings that the verdict begins with (findings/, `in_verdict`) say what spoils a run and what to do: each is a file
with its evidence. If they leave figures that can be read, the verdict continues with these.
"""

from __future__ import annotations

from collections.abc import Sequence

from leadline.figures.content import Content
from leadline.figures.unfinished import clock_error_s, stops
from leadline.findings.finding import Finding
from leadline.findings.rules.budget_spent import totals_are_low
from leadline.wording import endings

# The findings that say why the run ended at its start. The others are about times, and there are none.
_OF_A_START = ("separate-processes", "still-running", "interrupted", "budget-spent", "incomplete")


def spoiled_verdict(content: Content, first: Sequence[Finding]) -> list[str]:
    """The whole verdict if no share can be given, otherwise nothing. first: the findings that a verdict begins with."""
    if content.ended_at_start.all_ranks:
        causes = [finding.text for finding in first if finding.id in _OF_A_START]
        stopped = [finding.text for finding in first if finding.id == "ranks-stopped"]
        if not stopped and not content.still_running and not content.interruption and (ends := stops(content.run)):
            stopped = [endings.of_the_first_to_stop(ends, clock_error_s(content.run))]
        return [*causes, endings.of_a_start(content.ended_at_start), *(text for text in stopped if text)]
    return [finding.text for finding in first] if totals_are_low(content) else []
