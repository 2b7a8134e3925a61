"""Findings about uneven computation and waiting: their words, and when they are not made."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.content import Content
from leadline.figures.iterations import Iterations
from leadline.figures.run import Loss
from leadline.findings import findings_of
from leadline.findings.finding import Finding
from leadline.findings.rules import imbalance

from .finding_runs import MakeRun, uneven_in_steps, waiting


def test_a_few_slow_steps_are_told_from_chance(make_run: MakeRun) -> None:
    def text(**rare: int) -> str:
        found = findings_of(Content(uneven_in_steps(make_run, 0.21, rare_ns=2e5, **rare)))
        return next(finding.text for finding in found if finding.id == "imbalance")

    lost = "2.1 % of each iteration (210 µs): "
    far = "one rank computes far longer than the others."
    assert text(rare_steps=5, rare_period=20) == f"{lost}every 20 iterations, {far}"
    assert text(rare_steps=5, rare_period=0) == f"{lost}in 5 of 100 iterations, {far}"


@pytest.mark.parametrize(("period", "advised"), [(20, "Look at what the program does only in"), (0, "Record again")])
def test_what_does_not_recur_may_be_the_machine(make_run: MakeRun, period: int, advised: str) -> None:
    found = findings_of(Content(uneven_in_steps(make_run, 0.21, rare_ns=2e5, rare_steps=5, rare_period=period)))
    assert next(finding.help for finding in found if finding.id == "imbalance").startswith(advised)


def test_slow_iterations_lose_no_more_than_all_iterations_take(make_run: MakeRun) -> None:
    """The mean of 10 ms is without them."""
    run = uneven_in_steps(make_run, 25.0, rare_ns=2.5e7, rare_steps=5)
    fact = imbalance.facts(Content(run))
    assert fact is not None
    assert fact.evidence["share"] == pytest.approx(25 / 35)


def test_unevenness_that_waits_for_cores_explain_is_not_held_against_the_program(make_run: MakeRun) -> None:
    """0.084 s are lost: half of it is 14 ms of each of three ranks."""

    def look(waited_ms: float, lost_ms: float = 0.21, **parts: float) -> Finding:
        run = uneven_in_steps(make_run, lost_ms, **parts)
        for process in run.processes:
            process.conditions.waited_ns = waited_ms * 1e6
        run.processes[3].conditions.waited_ns /= 2
        return next(finding for finding in findings_of(Content(run)) if finding.id == "imbalance")

    assert look(3.9, noise_ns=2e5).cost_s == pytest.approx(0.084)
    machine = look(4.1, noise_ns=2e5)
    assert machine.cost_s is None
    assert "Waits for a core, which cost up to 43.0 ms, may explain it." in machine.text
    # It is the same rank every time: what others waited does not make it slow.
    assert look(20.0, fixed_ns=2e5).cost_s == pytest.approx(0.084)
    assert look(29.0, fixed_ns=2e5).cost_s is None
    assert look(50.0, 1.1, noise_ns=1.1e6).cost_s == pytest.approx(0.44)  # 11 % of a step


def test_of_iterations_that_may_be_several_steps_no_imbalance_is_told_per_step(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Iterations, "lumped", True)
    for noise in ({"rare_ns": 2e5, "rare_steps": 5, "rare_period": 20}, {"noise_ns": 2e5}):
        found = findings_of(Content(uneven_in_steps(make_run, 0.21, **noise)))
        finding = next(finding for finding in found if finding.id == "imbalance")
        assert finding.text.startswith("2.1 % of the main loop: ")
        assert not re.search(r"\d+ iterations|each iteration|\ds\)", finding.text)
        assert finding.evidence["rare_period"] is None


def test_steps_that_compute_more_than_the_others_count_in_proportion(make_run: MakeRun) -> None:
    # The steps that were kept compute 5 s, 100 of them on 4 ranks 2000 s; all ranks together computed 40 s.
    content = Content(uneven_in_steps(make_run, 260.0, computation_ns=5e9, noise_ns=2.6e8))
    finding = next(finding for finding in findings_of(content) if finding.id == "imbalance")
    computed_s = sum(rank.computation_s for rank in content.ranks)
    assert finding.evidence["lost_s"] == pytest.approx(computed_s * 0.26 / 5)
    assert finding.evidence["lost_per_step_s"] == pytest.approx(computed_s * 0.26 / 5 / 400)


@pytest.mark.parametrize(
    ("causes", "said"),
    [
        ([(2, "computation", 0.3), (2, "mpi", 0.3), (3, "computation", 0.4)], "mostly for rank 2."),
        (
            [(3, "computation", 0.4), (2, "mpi", 0.3), (0, "mpi", 0.3)],
            "for no rank in particular (most for rank 3, 40 %).",
        ),
        ([(2, "computation", 0.3)], ": 1 rank waits for rank 2 in MPI_Wait (exchange)."),
    ],
)
def test_a_wait_without_one_cause_says_whom_it_was_for(
    make_run: MakeRun, causes: list[tuple[int, str, float]], said: str
) -> None:
    found = next(f for f in findings_of(Content(waiting(make_run, 1.0, causes))) if f.id == "waiting")
    assert found.text.endswith(said)


@pytest.mark.parametrize(("lasted", "told"), [(0.95, True), (0.5, False)], ids=["ends with them", "ends long before"])
def test_waiting_is_unknown_where_a_trace_ends_long_before_the_others(
    lasted: float, told: bool, make_run: MakeRun
) -> None:
    run = uneven_in_steps(make_run, 0.21, fixed_ns=2e6)
    run.processes[0].complete = False
    run.processes[0].duration_ns *= lasted
    found = {finding.id for finding in findings_of(Content(run))}
    assert "incomplete" in found
    assert ("imbalance" in found) == told
    assert (Content(run).waits.ends_apart) != told
    if not told:
        assert Content(run).waiting_s is None


def test_waiting_is_unknown_where_a_trace_is_damaged(make_run: MakeRun) -> None:
    """Its sums may be whole, and its duration, but not its calls."""
    run = uneven_in_steps(make_run, 0.21, fixed_ns=2e6)
    run.processes[0].complete = False
    run.losses.append(Loss("trace-damaged", 1, "truncated at byte 2,205", "0"))
    content = Content(run)
    found = findings_of(content)
    assert content.waiting_s is None
    assert "imbalance" not in {finding.id for finding in found}
    assert not any(finding.help for finding in found)
    incomplete = next(finding for finding in found if finding.id == "incomplete")
    assert incomplete.text.endswith("copy the whole run directory again, or record again.")
