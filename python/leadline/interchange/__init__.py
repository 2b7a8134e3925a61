"""A recorded run in the formats of other tools: a file per format, found by its name in FORMATS."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from leadline.interchange.selection import Selection, Written

__all__ = ["FORMATS", "Selection", "Written", "exporter"]

FORMATS = {
    "callgrind": "call tree with times, calls and bytes: KCachegrind, callgrind_annotate",
    "goal": "GOAL schedule (operations and dependencies): LogGOPSim",
    "otf2": "events of all ranks: Vampir, otf2-print",
    "parquet": "one row per call: pandas, Polars, DuckDB",
    "perfetto": "timeline with messages: ui.perfetto.dev, trace_processor",
    "simgrid": "time-independent traces: SimGrid's smpirun -replay",
    "tau": "profile directory: ParaProf, pprof",
}


def exporter(name: str) -> Callable[[Selection, Path], Written]:
    """What writes this format to a path that does not exist yet.   name: one of FORMATS."""
    found: Callable[[Selection, Path], Written] = importlib.import_module(f"leadline.interchange.{name}").export
    return found
