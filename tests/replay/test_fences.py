"""Fences of windows: the ranks wait for one another there, and not as long as they did in the run."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline import _core
from leadline.predict import Change, Replays

from .predicted_runs import record

LATE_S = 0.002  # of fences.c
STEPS = 30


def test_who_waits_in_a_fence_waits_for_what_the_late_rank_computes(tmp_path: Path) -> None:
    replays = Replays(record(tmp_path, "fences.c", steps=STEPS))
    outcome = replays.tree.replay(_core.ReplaySettings())
    assert not outcome["stuck"]
    assert outcome["differences"]["one_sided"] == STEPS * 2  # the puts alone
    base_s = replays.seconds(Change())
    assert base_s > STEPS * LATE_S
    assert replays.seconds(Change(compute=0.01)) < base_s - 0.9 * STEPS * LATE_S
    assert replays.seconds(Change(compute=3.0)) > base_s + 1.9 * STEPS * LATE_S
