"""Leadline's own cost: its time, and the size of its traces."""

from __future__ import annotations

from collections import Counter
from typing import Any

from leadline.figures.content import Content
from leadline.figures.run import Run
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Screen


def figures(content: Content) -> dict[str, Any]:
    return {
        "overhead": {
            "own_s": content.own_s,
            "per_call_ns": content.own_s * 1e9 / content.calls if content.calls else 0.0,
            "fraction": content.own_share,
        },
        "trace": {
            "bytes": content.trace_bytes,
            "shared_bytes": content.run.shared_bytes,
            "bytes_per_call": content.trace_bytes / content.calls if content.calls else 0.0,
        },
        "live_memory": _live_memory(content.run),
    }


def _live_memory(run: Run) -> list[dict[str, Any]]:
    """The places of the ranks' recordings while they ran (docs/record/file-systems.md)."""
    places = Counter(
        (place.file_system, place.live_kind, place.live_reason)
        for place in (process.conditions for process in run.processes)
        if place.file_system
    )
    return [
        {"file_system_of_run": system, "place": kind, "why_not_on_the_node": reason or None, "ranks": ranks}
        for (system, kind, reason), ranks in places.most_common()
    ]


def draw(content: Content, out: Screen) -> None:
    out.section(SECTION.title)
    out.paragraph(_overhead(content))


def _overhead(content: Content) -> str:
    own = f"{fmt.seconds(content.own_s)} of the {content.time_of}' time"
    if content.own_share is not None:
        own += f" ({fmt.percent(content.own_share)})"
    if content.own_between_s and content.own_s:
        between = f"{fmt.seconds(content.own_between_s)} ({fmt.percent(content.share(content.own_between_s))})"
        own += f", with MPI_Init and MPI_Finalize; between calls {between}"
    trace = f"traces of {fmt.size(content.trace_bytes)}"
    return f"Overhead: {own}; {trace}."


SECTION = Section(id="itself", title="Leadline itself", order=140, figures=figures, draw=draw)
