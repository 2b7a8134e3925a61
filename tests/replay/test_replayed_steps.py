"""Iterations as they are replayed, call by call, and what is drawn of them."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.advice.timelines import before_and_after
from leadline.cli.predicted_steps import replayed_steps_data, replayed_steps_lines
from leadline.figures.content import Content
from leadline.figures.run import Run
from leadline.predict import Change, Computation, Merge, Pack, Replays
from leadline.predict.replayed_steps import ReplayedStep, ReplayedSteps

from .predicted_runs import FIELDS


def step_of(run: Run, change: Change) -> ReplayedStep:
    found = ReplayedSteps(Replays(run), run.order).of(change)
    assert found is not None
    return found


def functions(step: ReplayedStep, lane: int) -> list[str]:
    return [step.calls.function(row) for row in step.calls.rows_by_lane(2)[lane]]


def test_an_iteration_has_the_calls_of_the_program_in_order(run: Run) -> None:
    """predicted.c makes the same calls in each of its steps."""
    step = step_of(run, Change())
    calls = step.calls
    assert step.step.kinds == ("replayed",)
    recorded = [process.total.calls for process in run.processes]
    for lane, rows in enumerate(calls.rows_by_lane(2)):
        assert 2 <= len(rows) <= recorded[lane]
        for row in rows:
            assert calls.begin_s[row] <= calls.end_s[row]
            assert -1e-12 <= calls.waited_s(row) <= calls.end_s[row] - calls.begin_s[row] + 1e-12
            assert calls.gap_s[row] >= -1e-12
            assert row == rows[0] or calls.end_s[row - 1] <= calls.begin_s[row]
    assert step_of(run, Change()).calls.begin_s == calls.begin_s  # tracing changes nothing
    faster = step_of(run, Change(compute=0.5))
    assert faster.step.kinds == ("predicted",)
    assert functions(faster, 0) == functions(step, 0)
    assert sum(faster.calls.gap_s) == pytest.approx(sum(calls.gap_s) / 2, rel=0.05)


def test_the_calls_of_a_change_are_those_that_it_makes(fields: Run) -> None:
    """Of fields.c, which exchanges one field after another."""
    before, after = (step_of(fields, change) for change in (Change(), Change(program=(Pack("exchange_fields"),))))
    calls = ("MPI_Irecv", "MPI_Isend", "MPI_Waitall")
    for lane in (0, 1):
        assert Counter(functions(before, lane)) == {"MPI_Allreduce": 1, **dict.fromkeys(calls, FIELDS)}
        assert Counter(functions(after, lane)) == {"MPI_Allreduce": 1, **dict.fromkeys(calls, 1)}


def test_what_the_cards_draw(run: Run) -> None:
    replays = Replays(run)
    impossible = Change(program=(Merge("nowhere"),))
    slower = Change(program=(Computation("main", 2.0),))
    found = before_and_after(Content(run), replays, Change(), [slower, impossible])
    assert found is not None
    assert found["ranks"] == [0, 1]
    before, (after, none) = found["before"], found["after"]
    assert none is None  # it cannot be made
    assert after is None or after["kinds"] == ["predicted"]
    assert (before["kinds"], before["iteration"]) == (["replayed"], None)
    assert before["calls"] == len(before["marks"]["site"]) > 0
    assert {found["sites"][site]["function"][:4] for site in before["marks"]["site"]} == {"MPI_"}
    assert set(before["waits"]["rank"]) <= {None}
    assert all(
        waited <= before["marks"]["duration"][mark] + 1
        for mark, waited in zip(before["waits"]["mark"], before["waits"]["waited"], strict=True)
    )


def test_predict_draws_both_on_one_axis(run: Run) -> None:
    replays, change = Replays(run), Change(compute=0.5)
    lines = ["".join(text for text, _ in line) for line in replayed_steps_lines(replays, change, 100)]
    titles = [line for line in lines if line.startswith("an iteration ")]
    assert titles[0].startswith("an iteration as recorded, replayed: ")
    assert titles[1].startswith("an iteration with the change, predicted: ")
    axes = [lines[lines.index(title) + 1] for title in titles]
    assert axes[0] == axes[1]
    timeline = replayed_steps_data(replays, change)
    assert len(timeline["after"]) == 1
    assert timeline["before"]["marks"]["by_rank"] == timeline["after"][0]["marks"]["by_rank"]
