"""Phases: initialisation, the main loop and what recurs in it, finalisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.figures.content import Content
from leadline.figures.efficiency import Efficiency
from leadline.figures.loops import NamedLoop
from leadline.figures.phases import PhaseEntry
from leadline.figures.time_parts import LEAST_OWN_SHOWN
from leadline.report.entry_lines import clip
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen
from leadline.text.wrapping import wrapped
from leadline.wording.loops import place_of, restarting

LEAST_SHARE_SHOWN = 0.005
LEAST_PART_SHOWN = 0.02  # of a phase's samples, that a routine must have
CLASSES = {
    "computation": "computation",
    "communication": "communication",
    "io": "file I/O",
    "imbalanced": "imbalance",
    "empty": "",
}


def figures(content: Content) -> dict[str, Any]:
    return {"phases": [_phase(entry) for entry in content.phases]}


def _phase(entry: PhaseEntry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "kind": entry.kind,
        "parent": entry.parent,
        "loop": entry.loop or None,
        "routine": entry.routine or None,
        "file": entry.file or None,
        "line": entry.line or None,
        "iterations": entry.iterations,
        "at_least": entry.at_least,
        "about": entry.about,
        "around": [
            {
                "routine": loop.routine,
                "file": loop.file or None,
                "line": loop.line or None,
                "restarts": loop.restarts_json,
            }
            for loop in entry.around
        ],
        "driver": entry.driver or None,
        "commanding": _commanding(entry),
        "waits_for_cores": entry.waits_for_cores,
        "rival": _rival(entry.rival),
        "every": entry.every or None,
        "period_s": entry.period_s,
        "time_s": entry.time_s,
        "computation_s": entry.computation_s,
        "mpi_s": entry.mpi_s,
        "wait_s": entry.wait_s,
        "io_s": entry.io_s,
        "startup_s": entry.startup_s,
        "elapsed_s": entry.elapsed_s,
        "class": entry.cls,
        "efficiency": efficiency_json(entry.efficiency),
        "computes_in": None
        if entry.computes_in is None
        else [{"routine": name, "time_s": time_s, "part": part} for name, time_s, part in entry.computes_in],
    }


def _commanding(entry: PhaseEntry) -> dict[str, Any] | None:
    if entry.commanding is None:
        return None
    rank, loop = entry.commanding
    return {
        "rank": rank,
        "routine": loop.routine,
        "file": loop.file or None,
        "line": loop.line or None,
        "iterations": loop.iterations,
    }


def _rival(loop: NamedLoop | None) -> dict[str, Any] | None:
    if loop is None:
        return None
    return {
        "routine": loop.routine,
        "file": loop.file or None,
        "line": loop.line or None,
        "iterations": loop.iterations,
        "at_least": loop.at_least,
        "about": loop.about,
        "share": loop.share,
    }


def efficiency_json(efficiency: Efficiency | None) -> dict[str, float] | None:
    if efficiency is None:
        return None
    return {
        "parallel": efficiency.parallel,
        "load_balance": efficiency.load_balance,
        "communication": efficiency.communication,
    }


def draw(content: Content, out: Screen) -> None:
    whole = content.base_s
    shown = [e for e in content.phases if whole > 0 and e.time_s >= LEAST_SHARE_SHOWN * whole]
    if out.complete:
        shown = content.phases
    if shown:
        sampled = any(entry.computes_in is not None for entry in shown)
        unseen = "" if sampled else "; routines without MPI calls count as computation"
        out.section(SECTION.title, f"time summed over ranks{unseen}")
        out.lines(_lines(shown, whole, out.width))
        if whole > 0 and content.own_between_s >= LEAST_OWN_SHOWN * whole:
            out.paragraph(
                f"Leadline's overhead is not part of any phase: {fmt.percent(content.own_between_s / whole)}."
            )


def _lines(entries: Sequence[PhaseEntry], whole: float, width: int) -> list[Line]:
    lines: list[Line] = [("   Time   compute    MPI  wait    I/O  bound by       Phase", "dim")]
    for entry in entries:
        time = entry.time_s or 1.0
        waits = f"{100 * entry.wait_s / time:4.0f} %" if entry.wait_s is not None else "     ?"
        shares = f"{100 * entry.computation_s / time:6.0f} %{100 * entry.mpi_s / time:5.0f} %{waits}"
        shares += f"{100 * entry.io_s / time:5.0f} %"
        name = ("  " if entry.parent is not None else "") + phase_words(entry)
        text = f"{100 * entry.time_s / whole:5.1f} %  {shares}  {CLASSES[entry.cls]:13}  {name}"
        lines.append((text, "bold") if entry.kind == "loop" and entry.parent is None else text)
        for words in unseen_steps(entry):
            lines += [(f"{'':10}{line}", "dim") for line in wrapped(words, width - 10)]
        lines += _computes_in(entry, width)
    return lines


def unseen_steps(entry: PhaseEntry) -> list[str]:
    """The loops around the main one that may be the program's steps, although calls do not show how many."""
    words = []
    for loop in entry.around:
        restarts = f"; {restarting(loop)}" if loop.restarts else ""
        words.append(f"within {place_of(loop)}, number of iterations unknown{restarts}")
    if entry.driver:
        words.append(f"run by {entry.driver}, whose own loops are unknown")
    if entry.commanding is not None:
        words.append(_other_rank(entry.commanding))
    if entry.waits_for_cores:
        words.append(WAITS_FOR_CORES)
    return words + ([_rival_words(entry.rival)] if entry.rival is not None and not words else [])


WAITS_FOR_CORES = "hardly computes: other loops may be the steps, if ranks had cores of their own"


def _rival_words(loop: NamedLoop) -> str:
    trips, share = f"{loop.bound}{loop.iterations:,} ×", fmt.percent(loop.share)
    return f"perhaps not the steps: {place_of(loop)}, {trips}, makes more calls in {share} of the time"


def _other_rank(commanding: tuple[str, NamedLoop]) -> str:
    rank, loop = commanding
    return f"rank {rank} is in {place_of(loop)} instead, {loop.iterations:,} ×"


def perhaps_parts(entry: PhaseEntry) -> str:
    """The same in a sentence: the nearest of these loops and the outermost one; "" without any."""
    if entry.commanding is not None and not entry.around and not entry.driver:
        return f"perhaps parts of a step: {_other_rank(entry.commanding)}"
    if entry.waits_for_cores:
        return WAITS_FOR_CORES
    around = list(dict.fromkeys(entry.around[:1] + entry.around[-1:]))
    places = [place_of(loop) + (f" ({restarting(loop)})" if loop.restarts else "") for loop in around]
    if not places and entry.driver:
        return f"perhaps parts of a step: which loops {entry.driver} runs around them is unknown"
    if not places:
        return _rival_words(entry.rival) if entry.rival is not None else ""
    repeats = "repeats" if len(places) == 1 else "repeat"
    return f"perhaps parts of a step: how often {' and '.join(places)} {repeats} is unknown"


def _computes_in(entry: PhaseEntry, width: int) -> list[Line]:
    found = entry.computes_in or ()
    named = [f"{routine} {fmt.percent(part)}" for routine, _, part in found if part >= LEAST_PART_SHOWN]
    return [(clip(f"{'':10}computation in {', '.join(named)}", width), "dim")] if named else []


def phase_words(entry: PhaseEntry, *, period: bool = True) -> str:
    place = f"{entry.file.rsplit('/', 1)[-1]}:{entry.line} in " if entry.file and entry.line else ""
    if entry.kind in ("init", "final"):
        return entry.name
    if entry.every:
        return f"{place}{entry.name}, every {entry.every} iterations"
    each = f" {fmt.seconds(entry.period_s)}" if period and entry.period_s else ""
    least = "≥ " if entry.at_least else "about " if entry.about else ""
    times = f", {least}{fmt.short_count(entry.iterations)} ×{each}" if entry.iterations else ""
    name = entry.name.removesuffix(f":{entry.line}") if place else entry.name
    return f"{place}{name}{times}"


SECTION = Section(
    id="phases",
    title="Phases",
    order=33,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report.get("phases")),
)
