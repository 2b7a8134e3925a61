"""One rank writes in most iterations, and that takes more than a fiftieth of the run: what writing less often gains.

Spread over the ranks, the same writes take as long on one host (parallel_io.py)."""

from __future__ import annotations

import math
from dataclasses import replace

from leadline.advice import files
from leadline.advice.candidate import Candidate, Kind
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.text import format as fmt

LEAST = 0.02  # of the run: output that takes no more is left alone
LEFT = (0.01, 0.02, 0.05)  # of the run, that output is to take: the first with which some of it remains
OFTEN = 0.5  # calls an iteration


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in files.of(content, "write_by_one"):
        every = interval_of(content, entry)
        if every < 2:
            continue
        share = entry.time_s / content.run.duration_s
        then = share / every / (1 - share + share / every)
        found.append(
            replace(
                files.faster(
                    "less-output",
                    f"Write {files.names(entry)} in one of {every} iterations",
                    f"Rank {entry.evidence['writer']} writes for {fmt.percent(share)} of the run. Then it would be "
                    f"{fmt.percent(then)}.",
                    entry,
                    1 / every,
                    ("what is between two outputs is not needed", "each iteration's output takes about as long"),
                ),
                together=every,
            )
        )
    return found


def interval_of(content: Content, entry: PatternEntry) -> int:
    """The least number of iterations between two outputs with which these take LEFT of the run; 0: they take little
    now, or are not part of most iterations, or hardly any would be left."""
    steps = entry.steps or files.steps_of(content)
    calls = sum(each.calls for each in content.file_sites if each.site in entry.sites)
    whole_s, other_s = content.run.duration_s, content.run.duration_s - entry.time_s
    if not steps or calls < OFTEN * steps or other_s <= 0 or entry.time_s <= LEAST * whole_s:
        return 0
    shares = (share for share in LEFT if entry.time_s > share * whole_s)
    every = (math.ceil(entry.time_s / (other_s * share / (1 - share))) for share in shares)
    return next((each for each in every if 2 * each <= steps), 0)


KIND = Kind(id="less-output", order=65, candidates=candidates, patterns=("write_by_one",))
