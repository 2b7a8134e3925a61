"""Perfetto's trace: a track for each rank, a slice for each call, an arrow for each message."""

from __future__ import annotations

from pathlib import Path

from leadline import _core
from leadline.interchange.calls import site_texts, write_calls
from leadline.interchange.selection import Selection, Written


def export(selection: Selection, path: Path) -> Written:
    sites = site_texts(selection)
    run = selection.run
    return write_calls(
        selection, _core.PerfettoExport(str(path), run.profile, selection.loop, selection.iterations, sites)
    )
