"""Findings about patterns: their words, and what of a pattern's time could be saved."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.content import Content
from leadline.findings import findings_of
from leadline.findings.finding import Finding
from leadline.report.sections.patterns import title_of

from .finding_runs import MakeRun, a_site, patterned, with_patterns
from .handmade import Calls, HandmadeSite


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


PACKED = {"together": 6, "assumes": "independent trips", "computes": False}
ADVANCE = {"loop_routine": "advance", "loop_file": "model.c", "loop_line": 58}
FILTER = {"loop_routine": "filter", "loop_file": "filter.c", "loop_line": 24}


def calls_of(routine: str, *callers: str, seconds: float = 1.0) -> list[HandmadeSite]:
    """A send in a routine that each of these calls."""
    by_rank = {rank: Calls(10, seconds * 1e9, messages=10) for rank in range(4)}
    return [
        HandmadeSite(
            "MPI_Isend", "isend", [f"main {caller}.c:1", f"{caller} {caller}.c:2", f"{routine} halo.c:3"], by_rank
        )
        for caller in callers
    ]


Made = tuple[str, list[HandmadeSite], dict[str, Any]]


def found_in(make_run: MakeRun, *found: Made) -> list[Finding]:
    """Findings of patterns: of each its name, its calls, and its evidence."""
    return [finding for finding in findings_of(Content(with_patterns(make_run, *found))) if finding.id == "pattern"]


def test_one_routine_that_several_call_is_one_finding_with_the_sum(make_run: MakeRun) -> None:
    told = {"together": 3, "assumes": "nothing"}
    each = [
        ("packable_messages", calls_of("halo", caller, seconds=0.08), told) for caller in ("advect", "mix", "solve")
    ]
    (finding,) = found_in(make_run, *each)
    assert finding.evidence["recoverable_s"] == pytest.approx(3 * 0.32 * 2 / 3)
    assert "halo, called from advect, mix and solve, 3 consecutive messages" in finding.text
    assert len(finding.about.sites) == 3
    assert not found_in(make_run, each[0])  # one alone is below the threshold


def test_another_routine_or_another_remedy_is_another_finding(make_run: MakeRun) -> None:
    told = {"together": 3, "assumes": "nothing"}
    each = [("packable_messages", calls_of(routine, "step"), told) for routine in ("halo", "corners")]
    assert len(found_in(make_run, *each)) == 2
    assert len(found_in(make_run, each[0], ("handmade_alltoall", calls_of("halo", "sort"), {}))) == 2
    assert len(found_in(make_run, each[0], ("packable_messages", calls_of("halo", "sort"), {**PACKED, **FILTER}))) == 2


def test_exchanges_of_one_loop_are_counted_and_several_loops_are_named(make_run: MakeRun) -> None:
    gradients = ("packable_messages", calls_of("halo", "gradients"), {**PACKED, **ADVANCE})
    fluxes = ("packable_messages", calls_of("halo", "fluxes"), {**PACKED, **ADVANCE})
    filtering = ("packable_messages", calls_of("halo", "filter"), {**PACKED, **FILTER, "together": 7})
    (finding,) = found_in(make_run, gradients, fluxes)
    assert (
        "the loop at model.c:58 (advance) makes 2 exchanges (halo), each of 6 messages to each partner" in finding.text
    )
    assert "compute" not in finding.text
    (finding,) = found_in(make_run, gradients, fluxes, filtering)
    assert (
        "the loops at filter.c:24 (filter) and at model.c:58 (advance) make rows of 7 and 6 messages to each partner "
        "(halo), each of which could be one" in finding.text
    )
    computing = (*gradients[:2], {**gradients[2], "computes": True})
    (finding,) = found_in(make_run, computing, filtering)
    assert "Some of them also compute in between" in finding.text


def test_small_reductions_are_told_by_their_loops(make_run: MakeRun) -> None:
    """All go through one wrapper, but each loop has its own remedy."""
    told = {"share_of_loop": 0.9, "allreduces": 10}
    each = [("allreduce_bound", calls_of("global_sum", "x"), {**told, **loop}) for loop in (ADVANCE, FILTER)]
    assert len(found_in(make_run, *each)) == 2


def test_instances_of_a_template_are_one_routine(make_run: MakeRun) -> None:
    each: list[Made] = [
        ("no_overlap", calls_of(f"gather<{kind}>", f"sum<{kind}>"), {}) for kind in ("double", "Vector<int,2>")
    ]
    (finding,) = found_in(make_run, *each)
    assert "in sum > gather, nonblocking" in finding.text
    assert len(found_in(make_run, *[("no_overlap", calls_of(f"operator{sign}", "x"), {}) for sign in ("<", ">")])) == 2
