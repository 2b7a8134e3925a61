"""The computation on the longest path: what makes a run longer if it takes longer, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from leadline import predict as predicting
from leadline.__main__ import main
from leadline.figures.run import Run
from leadline.predict import Change, Replays


def test_shares_are_of_the_runs_time_and_grow_with_their_computation(run: Run) -> None:
    replays = Replays(run)
    found = replays.longest_path(Change())
    assert found
    assert [one.share for one in found] == sorted((one.share for one in found), reverse=True)
    assert all(one.share > 0 for one in found)
    assert sum(one.share for one in found) <= 1.001
    shorter = replays.longest_path(Change(compute=0.01))
    assert sum(one.share for one in shorter) < sum(one.share for one in found)


def test_without_messages_all_of_the_slowest_ranks_time_is_computation_and_calls(run: Run) -> None:
    found = Replays(run).longest_path(Change(ideal=True))
    assert sum(one.share for one in found) <= 1.001


def test_the_command_says_both(run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)
    assert main(["predict", str(run.path), "--longest-path", "--tolerance"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "on the longest path, of the run's time: " in said
    assert "longer" in said
    assert main(["predict", str(run.path), "--longest-path", "--ranks", "4"]) == 2
    assert main(["predict", str(run.path), "--ideal", "--tolerance"]) == 2
