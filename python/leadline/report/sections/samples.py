"""Routines in which the program computes, as samples show them."""

from __future__ import annotations

from typing import Any

from leadline.figures.content import Content
from leadline.figures.paths import short_place
from leadline.figures.samples import SampledRoutine
from leadline.report.entry_lines import clip
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen

MOST_ROUTINES = 12
LEAST_SAMPLES = 10  # fewer say little about a routine's time


def figures(content: Content) -> dict[str, Any]:
    samples = content.samples
    return {
        "samples": {
            "rate": samples.rate,
            "taken": samples.taken,
            "in_mpi": samples.in_mpi,
            "time_s": samples.time_s,
            "computation_s": samples.computation_s,
            "refused": samples.refused,
            "reason": samples.reason,
            "lost": samples.lost,
            "no_room": samples.no_room,
            "routines": [_json(one) for one in samples.routines],
        }
        if samples.rate
        else None
    }


def _json(one: SampledRoutine) -> dict[str, Any]:
    return {
        "routine": one.routine,
        "full": one.full,
        "file": one.file,
        "line": one.line,
        "samples": one.samples,
        "time_s": one.time_s,
        "share": one.share,
        "ranks": one.ranks,
        "most_s": one.most_s,
        "mean_s": one.mean_s,
        "in_main_loop": one.in_main_loop,
        "before": _before(one),
        "before_share": one.before_share,
    }


def draw(content: Content, out: Screen) -> None:
    samples = content.samples
    if not samples.routines:
        return
    out.section(
        SECTION.title,
        f"{samples.rate} samples per second, covering {fmt.seconds(samples.time_s)} of "
        f"{fmt.seconds(samples.computation_s)} of computation",
    )
    shown = [one for one in samples.routines if one.samples >= LEAST_SAMPLES][:MOST_ROUTINES] or samples.routines[:1]
    lines: list[Line] = [("  %Time      Time   Samples  Max/mean  Routine", "dim")]
    for one in shown:
        numbers = (
            f"{100 * one.share:5.1f} %  {fmt.seconds(one.time_s):>8}  {fmt.short_count(one.samples):>8}  "
            f"{one.most_s / one.mean_s:8.2f}  "
        )
        lines.append(numbers + clip(_named(one), out.width - len(numbers)))
    left = samples.routines[len(shown) :]
    if left:
        time_s = sum(one.time_s for one in left)
        lines.append(f"and {fmt.plural(len(left), 'more routine')}, {fmt.seconds(time_s)} together")
    out.lines(lines)


def _named(one: SampledRoutine) -> str:
    place = f"{one.file.rsplit('/', 1)[-1]}:{one.line}" if one.file else ""
    before = _before(one)
    return f"{one.routine}{f' ({place})' if place else ''}{f', next call: {before}' if before else ''}"


def _before(one: SampledRoutine) -> str:
    """ "MPI_Allreduce in solve cg.f90:41"; "" if it is unknown."""
    if one.before is None:
        return ""
    where = one.before.location
    place = short_place(where)
    return f"{one.before.function} in {one.before.routine}{f' {place}' if place else ''}"


SECTION = Section(
    id="samples",
    title="Computation by routine",
    order=65,
    figures=figures,
    draw=draw,
    nothing=lambda content: "none were taken",
    present=lambda report: bool(report["samples"] and report["samples"]["routines"]),
)
