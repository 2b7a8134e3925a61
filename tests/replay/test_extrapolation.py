"""Which steps are replayed one by one, and what the others take: on a program whose steps all take 2 s."""

from __future__ import annotations

from typing import cast

import pytest

from leadline import _core
from leadline.predict import extrapolation
from leadline.predict.extrapolation import replayed

RECORDED, STEP_S, BEFORE_S, AFTER_S, MESSAGES = 10, 2.0, 7.0, 3.0, 100


class Program:
    """Of two ranks, the second of which begins and ends each step 1 s later; it becomes periodic, or not."""

    def __init__(self, *, periodic: bool) -> None:
        self.periodic = periodic
        self.asked: list[int] = []

    def replay(self, settings: _core.ReplaySettings, traced: bool = False) -> _core.ReplayOutcome:
        steps = settings.steps or RECORDED
        self.asked.append(steps)
        end_s = BEFORE_S + steps * STEP_S
        messages = MESSAGES * steps
        return {
            "loop_begin_s": [BEFORE_S, BEFORE_S + 1],
            "loop_end_s": [end_s, end_s + 1],
            "end_s": [end_s + AFTER_S, end_s + 1 + AFTER_S],
            "messages": messages,
            "replayed": min(messages, 5 * MESSAGES) if self.periodic else messages,
            "sensitivities": (3 * steps, steps, 0, 8 * steps + 1) if traced else (0, 0, 0, 0),
            "stuck": [],
            "differences": {},
        }


def of(program: Program, steps: int) -> extrapolation.Replay:
    settings = _core.ReplaySettings()
    settings.steps = steps
    return replayed(cast(_core.ReplayTree, program), settings, RECORDED, traced=True)


@pytest.mark.parametrize("steps", [0, 5, 40, 41, 4001, 40_000, 40_001, 1_000_000])
@pytest.mark.parametrize("periodic", [True, False])
def test_steps_that_take_equally_long_are_exact(steps: int, periodic: bool) -> None:
    program = Program(periodic=periodic)
    outcome = of(program, steps).outcome
    settings = _core.ReplaySettings()
    settings.steps = steps
    assert outcome | {"replayed": 0} == Program(periodic=periodic).replay(settings, traced=True) | {"replayed": 0}


def test_only_as_many_are_replayed_as_are_affordable() -> None:
    most = extrapolation.MOST_MESSAGES // MESSAGES
    for steps, replays in ((most, 0), (most + 1, most), (1_000_000, most)):
        varying, periodic = Program(periodic=False), Program(periodic=True)
        assert of(varying, steps).steps == replays
        assert max(varying.asked) == most
        assert of(periodic, steps).steps == 0
        assert max(periodic.asked) == steps
