"""Why iterations have no times: the remedy is named only where it is one."""

from __future__ import annotations

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.report.sections.iterations import _why_untimed


def test_keeping_more_call_times_is_only_the_remedy_where_none_were_kept() -> None:
    assert "--series" in _why_untimed("none")
    for kept in ("full", "sampled"):
        assert "--series" not in _why_untimed(kept)
