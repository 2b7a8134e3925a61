"""The most that settings of messages and collectives could save, from what a replay says."""

import json
from pathlib import Path

import pytest

from leadline.improve.replayed import most_saved
from leadline.runs.launch import Launch
from leadline.runs.outcome import Ending, Outcome


def said(base: float, ideal: float, error: float | None) -> str:
    replayed = {"base": {"seconds": base}, "predicted": {"seconds": ideal}, "error_of_base": {"whole": error}}
    return json.dumps(replayed)


@pytest.mark.parametrize(
    ("output", "ending", "found"),
    [
        (said(2.0, 1.8, -0.02), Ending.DONE, 0.12),
        (said(2.0, 2.1, 0.01), Ending.DONE, 0.01),
        (said(2.0, 1.8, 0.11), Ending.DONE, None),
        (said(2.0, 1.8, None), Ending.DONE, None),
        (said(0.0, 0.0, 0.0), Ending.DONE, None),
        (said(2.0, 1.8, 0.0), Ending.TIMED_OUT, None),
        ("", Ending.FAILED, None),
        ("[]", Ending.DONE, None),
    ],
)
def test_it_is_what_the_replay_gains_and_is_off_by(
    output: str, ending: Ending, found: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[Launch] = []

    def execute(launch: Launch) -> Outcome:
        launched.append(launch)
        return Outcome(launch, ending, output=output)

    monkeypatch.setattr("leadline.improve.replayed.execute", execute)
    environ = {"LEADLINE_NETWORK": "gigabit", "HOME": "/"}
    assert most_saved(Path("run"), environ, 5.0) == (None if found is None else pytest.approx(found))
    assert (launched[0].env, launched[0].limit_s) == ({"HOME": "/"}, 5.0)
