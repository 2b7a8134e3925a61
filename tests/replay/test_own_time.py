"""What calls that are not made save of the recorder's own time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.predict import own_time
from leadline.predict.changes import Made
from leadline.predict.figures import Figures


def run_of(*processes: tuple[int, int]) -> Any:
    """Calls and the recorder's ns, by process."""
    return SimpleNamespace(
        processes=[SimpleNamespace(total=SimpleNamespace(calls=calls), own_ns=ns) for calls, ns in processes]
    )


def made(change: str, before: int, after: int) -> Made:
    return Made(change, "", before, after, 0, 0)


def test_as_much_as_their_part_of_all_calls() -> None:
    run = run_of((1000, 100_000), (3000, 300_000))
    # A tenth of the calls are left out: of 400 us, 40, which is 20 on each rank.
    assert own_time.saved_s(run, [made("pack", 500, 100)]) == pytest.approx(20e-6)
    assert own_time.saved_s(run, [made("pack", 500, 100), made("merge", 400, 0)]) == pytest.approx(40e-6)


@pytest.mark.parametrize("change", [made("overlap", 100, 200), made("poll-once", 400, 10), made("balance", 0, 0)])
def test_nothing_where_no_call_goes_or_the_replay_has_it_already(change: Made) -> None:
    assert own_time.saved_s(run_of((1000, 100_000)), [change]) == 0
    assert own_time.saved_s(run_of((0, 0)), [made("pack", 2, 1)]) == 0


def test_that_of_polls_by_the_middle_of_their_power_of_two() -> None:
    changes = [made("poll-once", 2010, 10), made("pack", 900, 100)]
    # 3,000 of 10,000 calls, each of which takes 100 ns.
    assert own_time.saved_s(run_of((10_000, 1_000_000)), changes, polls=True) == pytest.approx(300e-6)


@pytest.mark.parametrize("loop", [True, False])
def test_it_is_in_the_interval_or_comes_back(loop: bool) -> None:
    phases = {"initialisation": 2.0, "loop": 8.0 if loop else None, "finalisation": 1.0}
    figures = Figures(11.0, 10.0, 12.0, (0.8, 0.7, 0.9) if loop else None, phases, 5, (11.0, 10.0, 12.0))
    steps = 10 if loop else 0
    found = own_time.at_least_without(figures, 1.0, steps)
    assert (found.seconds, found.low, found.high) == (11.0, 9.0, 12.0)
    assert found.drawn_s == figures.drawn_s
    assert found.phases_s == phases
    if loop:
        assert found.iteration == pytest.approx((0.8, 0.6, 0.9))
    found = own_time.later(figures, 1.0, steps)
    assert (found.seconds, found.low, found.high) == (12.0, 11.0, 13.0)
    assert found.drawn_s == (12.0, 11.0, 13.0)
    if loop:
        assert found.iteration == pytest.approx((0.9, 0.8, 1.0))
    assert found.phases_s == {**phases, **({"loop": 9.0} if loop else {"initialisation": 3.0})}
