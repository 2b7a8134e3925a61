"""What a prediction says of what it does not know."""

from types import SimpleNamespace
from typing import Any

import pytest

from leadline.predict.notes import on_differences

NOTHING = dict.fromkeys(("lost", "varying", "unknown", "wildcards", "one_sided", "threads", "untimed"), 0)


def run_with(waited_s: float, **description: str) -> Any:
    conditions = SimpleNamespace(waited_ns=waited_s * 1e9)
    return SimpleNamespace(processes=[SimpleNamespace(conditions=conditions)], duration_s=10.0, description=description)


def test_an_archive_does_not_say_whether_ranks_shared_cores() -> None:
    (note,) = on_differences(NOTHING, run_with(-1.0, state="imported"))
    assert "whether ranks shared cores" in note
    assert on_differences(NOTHING, run_with(0.0, state="finished")) == []


@pytest.mark.parametrize(("waited_s", "share"), [(0.05, ""), (2.5, "25 %")])
def test_waits_for_a_core_are_said_from_one_per_cent_on(waited_s: float, share: str) -> None:
    notes = on_differences(NOTHING, run_with(waited_s))
    assert bool(notes) == bool(share)
    assert all(share in note for note in notes)
