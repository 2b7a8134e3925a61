"""Whether a run still shows the gain that was measured."""

from pathlib import Path
from typing import Any

import pytest

from leadline.improve.step import Measured
from leadline.improve.watching import watched

COMMAND = ["mpiexec", "-n", "4", "./app"]


def evidence(**given: Any) -> dict[str, Any]:
    return {"measured": Measured.WHOLE.value, "command": COMMAND, "with_s": 1.0, "unchanged_s": 4.0, **given}


@pytest.mark.parametrize(("wall_s", "shows"), [(0.9, True), (1.9, True), (2.1, False), (5.0, False)])
def test_a_time_nearer_to_the_unchanged_one_shows_no_gain(wall_s: float, *, shows: bool) -> None:
    found = watched(evidence(), COMMAND, wall_s, Path("/nothing"))
    assert found.shows_gain is shows
    assert ("the gain is there" if shows else "the gain is gone") in found.told()
    assert "1.00 s with the settings and 4.00 s without" in found.told()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"measured": Measured.PRINTED.value}, "--time"),
        ({"command": ["mpiexec", "-n", "8", "./app"]}, "another command was measured: mpiexec -n 8 ./app"),
        ({"measured": Measured.ENERGY.value}, "--goal energy"),
        ({"with_s": None}, "no times"),
        ({"measured": Measured.ITERATION.value}, "no main loop"),
    ],
)
def test_what_cannot_be_compared_is_said(given: dict[str, Any], why: str) -> None:
    found = watched(evidence(**given), COMMAND, 1.0, Path("/nothing"))
    assert found.shows_gain is None
    assert why in found.told()
    assert found.as_dict()["seconds"] is None
