"""Findings about patterns: their words, and what of a pattern's time could be saved."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.content import Content
from leadline.findings import findings_of
from leadline.report.sections.patterns import title_of

from .finding_runs import MakeRun, a_site, patterned


@pytest.mark.parametrize(
    ("name", "evidence", "title", "words", "help_words"),
    [
        (
            "all_to_one",
            {"one_sided": "gets"},
            "one rank gets from all",
            "all ranks' data is collected on one rank by gets",
            "MPI_Gather",
        ),
        (
            "allreduce_bound",
            {"share_of_loop": 0.9, "allreduces": 10},
            "allreduce-bound loop",
            "small allreduces dominate a loop",
            "Overlap it with computation",
        ),
        (
            "packable_messages",
            {"together": 3, "assumes": "nothing", "one_sided": "puts"},
            "puts that could be combined",
            "3 consecutive puts to the same target could be combined",
            "into one operation",
        ),
    ],
)
def test_patterns_are_named_by_what_they_are_made_of(
    name: str, evidence: dict[str, Any], title: str, words: str, help_words: str, make_run: MakeRun
) -> None:
    content = Content(patterned(make_run, name, 5.0, **evidence))
    finding = {finding.id: finding for finding in findings_of(content)}["pattern"]
    assert words in finding.text
    assert help_words in finding.help
    assert title_of(content.patterns[0]) == title


def test_messages_of_a_loop_are_a_bound_where_steps_may_go_unseen(make_run: MakeRun) -> None:
    loop = {"loop_routine": "step", "loop_file": "step.c", "loop_line": 9}
    evidence = {"together": 18, "assumes": "independent trips", **loop}
    for bound, words in ({}, "sends each partner 18 messages"), ({"together_at_most": True}, "up to 18 messages"):
        content = Content(patterned(make_run, "packable_messages", 9.0, **evidence, **bound))
        assert words in next(finding.text for finding in findings_of(content) if finding.id == "pattern")


@pytest.mark.parametrize("computes", [False, True])
def test_that_iterations_may_be_steps_is_said_where_they_compute(make_run: MakeRun, computes: bool) -> None:
    told = {"together": 4, "assumes": "independent trips", "computes": computes}
    loop = {"loop_routine": "heat", "loop_file": "heat.f90", "loop_line": 199}
    content = Content(patterned(make_run, "packable_messages", 9.0, **told, **loop))
    (finding,) = [finding for finding in findings_of(content) if finding.id == "pattern"]
    assert ("steps of a solver cannot" in finding.text) == computes


def test_what_is_lost_at_fences_is_not_gained_by_packing_puts(make_run: MakeRun) -> None:
    sites = [a_site("MPI_Put", "rma", [1.0] * 4), a_site("MPI_Win_fence", "rma_sync", [5.0] * 4)]
    evidence = {"together": 4, "assumes": "nothing", "one_sided": "puts"}
    content = Content(patterned(make_run, "packable_messages", 24.0, sites, **evidence))
    finding = {finding.id: finding for finding in findings_of(content)}["pattern"]
    assert finding.evidence["recoverable_s"] == pytest.approx(4.0 * 3 / 4)
