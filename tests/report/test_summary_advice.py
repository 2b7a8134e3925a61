"""What the summary says of changes: proposals with their gain take the place of the findings that they answer."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
from rich.console import Console

from leadline.advice import Advice, Candidate, Gain, Proposal
from leadline.findings.finding import Finding
from leadline.predict import Balance
from leadline.report import Report, summary

PACKABLE = Finding("pattern", "notice", "Small messages.", {}, {}, "patterns", False, cost_s=3.0, help="Pack them.")
OVERLAP = Finding("pattern", "notice", "No overlap.", {}, {}, "patterns", False, cost_s=2.0, help="Wait later.")
SLOW = Finding("longest-call", "notice", "A slow file.", {}, {}, "files", False, cost_s=1.0, help="Buffer it.")
BROKEN = Finding("aborted", "warning", "Rank 3 aborted.", {}, {}, "ranks", False)


def a_proposal(title: str, share: float, low: float | None = None) -> Proposal:
    candidate = Candidate("pack", title, "Use one buffer.", (), Balance(), ("nothing needs them", "there is memory"))
    return Proposal(candidate, Gain(share, share if low is None else low, share + 0.01), share * 10)


def advice_of(proposals: list[Proposal], others: list[Proposal], answered: list[Finding]) -> Advice:
    return Advice(proposals, others, [], answered, [], None, 0.3, 0.2, 0.1, 10.0, 0.01)


def summary_of(run: Any, findings: list[Finding], advice: Advice | None, width: int = 80) -> list[str]:
    report = Report(run)
    report.findings = findings
    report.advice = advice
    out = io.StringIO()
    report.print_summary(Console(file=out, width=width), "More.")
    return out.getvalue().splitlines()


def test_a_proposal_stands_for_the_finding_that_it_answers(strip_run: Any) -> None:
    advice = advice_of([a_proposal("Pack the messages of the loop at a.c:7", 0.12)], [], [PACKABLE])
    text = "\n".join(summary_of(strip_run, [PACKABLE, OVERLAP], advice))
    assert "Small messages." in text  # the verdict states what costs most
    assert "Pack them." not in text  # general advice, when there is a proposal
    assert "1. gains 12 % (12 % to 13 %): Pack the messages of the loop at a.c:7.\n" in text
    told = " ".join(text.split())
    assert "Use one buffer. Check first that nothing needs them, and that there is memory." in told
    assert "- No overlap. Wait later." in text
    assert text.index("1. gains") < text.index("- No overlap.")


def test_without_advice_the_findings_help_stays(strip_run: Any) -> None:
    text = "\n".join(summary_of(strip_run, [PACKABLE, OVERLAP], None))
    assert "-> Pack them." in text
    assert "gains" not in text


def test_at_most_three_proposals_and_findings_in_all(strip_run: Any) -> None:
    proposals = [a_proposal(f"Change {number}", 0.2 - number / 100) for number in range(5)]
    lines = summary_of(strip_run, [PACKABLE, OVERLAP, SLOW], advice_of(proposals, [], [PACKABLE]))
    assert [line[:2] for line in lines if " gains " in line] == ["1.", "2.", "3."]
    assert not any(line.startswith("- ") for line in lines)


def test_what_went_wrong_is_said_beside_proposals(strip_run: Any) -> None:
    advice = advice_of([a_proposal("Pack", 0.12)], [], [PACKABLE])
    assert "- Rank 3 aborted." in summary_of(strip_run, [BROKEN, PACKABLE], advice)


def test_usual_remedies_that_gain_nothing_are_named(strip_run: Any) -> None:
    others = [a_proposal("Pack A", 0.03, -0.01), a_proposal("Pack B", 0.001), a_proposal("Pack B", 0.0)]
    told = " ".join(" ".join(summary_of(strip_run, [PACKABLE], advice_of([], others, [PACKABLE]))).split())
    assert "Gain not certain, from a run this short or irregular: pack A. Not worth it here: pack B." in told
    assert "Pack them." not in told


@pytest.mark.parametrize("width", [60, 80, 120])
def test_long_proposals_fit(strip_run: Any, width: int) -> None:
    long = [a_proposal("Pack the messages of a loop " * 6, 0.2) for _ in range(3)]
    findings = [replace(PACKABLE, text="Small messages. " * 20), OVERLAP]
    lines = summary_of(strip_run, findings, advice_of(long, long, []), width)
    assert max(map(len, lines)) <= width
    assert len(lines) <= summary.MOST_LINES * max(summary.FULL_WIDTH / width, 1)
    assert any(line.startswith("1. gains") for line in lines)
    assert "\n\n\n" not in "\n".join(lines)
