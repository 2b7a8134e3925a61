"""The loops of the program's source that its calls are made in, each beneath the one it lies in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from leadline import _core
from leadline.figures.content import Content
from leadline.figures.loops import NamedLoop, named_loop
from leadline.figures.run import Run
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen
from leadline.wording.loops import place_of, why_no_loops

# Of the ranks' time; loops that take less are left out, unless they make ten times as large a share of the calls.
LEAST_SHARE = 0.0005
LEAST_SHARE_SHOWN = 0.02
MOST_SHOWN = 15


@dataclass(frozen=True)
class LoopEntry:
    """depth: loops of the list around it.   parent: number of the innermost of these, 0 for none.

    iterations: of all ranks.   shape: None if the order of calls was lost, or an earlier version recorded the run.
    """

    loop: NamedLoop
    parent: int
    depth: int
    iterations: int
    shape: _core.LoopShape | None
    calls: int
    main: bool


def loop_entries(run: Run, least_share: float) -> list[LoopEntry]:
    """Those that take such a share of the ranks' time, and the main loop.

    Outer ones come before those within them, otherwise the one that takes most time first.
    """
    loops = run.profile.loops
    all_loops = loops.all
    whole_ns = 1e9 * run.loop_base_s or 1.0
    calls = [sum(cell.calls for cell in loop.cells) for loop in all_loops]
    all_calls = sum(n for loop, n in zip(all_loops, calls, strict=True) if not loop.outer) or 1
    times = [0.0, *(loops.time_ns(number) for number in range(1, len(all_loops)))]
    within: dict[int, list[int]] = {}
    main = run.profile.iterations().loop
    for number in range(1, len(all_loops)):
        if not loops.iterations(number):  # it only polled, in vain: the program waited there
            continue
        weighty = times[number] >= least_share * whole_ns or calls[number] >= 10 * least_share * all_calls
        if weighty or loops.within(main, number):
            within.setdefault(all_loops[number].outer, []).append(number)

    def beneath(parent: int, depth: int) -> Iterator[LoopEntry]:
        for number in sorted(within.get(parent, ()), key=lambda n: -times[n]):
            iterations = sum(cell.repeats + cell.entries for cell in all_loops[number].cells)
            shape = loops.shape(number)
            known = shape if shape.iterations == iterations else None
            named = named_loop(run, number)
            yield LoopEntry(named, parent, depth, iterations, known, calls[number], number == main)
            yield from beneath(number, depth + 1)

    return list(beneath(0, 0))


def figures(content: Content) -> dict[str, Any]:
    entries = loop_entries(content.run, LEAST_SHARE)
    left_out = len(content.run.profile.loops.all) - 1 - len(entries)
    return {
        "loops": [_loop(entry) for entry in entries],
        "loops_left_out": left_out,
        "loops_lost_calls": content.run.profile.loops.lost_calls,
    }


def _loop(entry: LoopEntry) -> dict[str, Any]:
    loop, shape = entry.loop, entry.shape
    return {
        "id": loop.number,
        "parent": entry.parent or None,
        "routine": loop.routine,
        "file": loop.file or None,
        "line": loop.line or None,
        "trips": loop.iterations,
        "trips_of_all_ranks": entry.iterations,
        "trips_per_parent": {"min": shape.fewest, "median": shape.usual, "max": shape.most} if shape else None,
        "trips_per_parent_at_least": _at_least_per_parent(entry),
        "variants": shape.variants if shape else None,
        "varying_sites": shape.varying if shape else None,
        "at_least": loop.at_least,
        "about": loop.about,
        "restarts": loop.restarts_json,
        "calls": entry.calls,
        "time_s": loop.time_s,
        "share": loop.share,
        "main": entry.main,
    }


def _at_least_per_parent(entry: LoopEntry) -> bool:
    """Of a run that was cut short, only if no visit of the loop ended."""
    return entry.loop.lumps or (entry.loop.cut and entry.shape is not None and entry.shape.cut_within)


def draw(content: Content, out: Screen) -> None:
    entries = loop_entries(content.run, LEAST_SHARE if out.complete else LEAST_SHARE_SHOWN)
    shown = entries if out.complete else entries[:MOST_SHOWN]
    if shown:
        out.section(SECTION.title, "iterations per iteration of the enclosing loop; time summed over ranks")
        out.lines(_lines(shown, out.width))
        left = len(content.run.profile.loops.all) - 1 - len(shown)
        if left:
            out.lines([(f"and {fmt.plural(left, 'more loop')}: --json", "dim")])
        lost = content.run.profile.loops.lost_calls
        if lost:
            out.lines([(f"?: order lost for {fmt.plural(lost, 'call')}", "dim")])


def _lines(entries: Sequence[LoopEntry], width: int) -> list[Line]:
    lines: list[Line] = [("   Time  Iterations  Loop", "dim")]
    for alike in _by_place(entries):
        entry, loop = alike[0], alike[0].loop
        share = sum(each.loop.share for each in alike)
        text = f"{100 * share:5.1f} %  {_iterations(alike):>10}  {'  ' * entry.depth}{place_of(loop)}"
        if len(alike) > 1:
            text += f", on {len(alike)} call paths"
        elif loop.restarts:
            text += f", call sequence restarts {fmt.short_count(loop.restarts)} ×"
        lines.append((text, "bold") if entry.main else text)
    return lines


def _by_place(entries: Sequence[LoopEntry]) -> list[list[LoopEntry]]:
    """Innermost loops of the same enclosing loop and the same line of the source, which the program reaches on several
    call paths, are together. Any other loop is by itself."""
    enclosing = {entry.parent for entry in entries}
    found: dict[tuple[int, str, int], list[LoopEntry]] = {}
    for entry in entries:
        apart = entry.main or entry.loop.number in enclosing
        key = (entry.parent, place_of(entry.loop), entry.loop.number if apart else 0)
        found.setdefault(key, []).append(entry)
    return list(found.values())


def _iterations(alike: Sequence[LoopEntry]) -> str:
    """ "5", or "2 to 7" if iterations of the loop around it, or call paths, differ."""
    shapes = [entry.shape for entry in alike if entry.shape is not None]
    if len(shapes) < len(alike):
        return "?"
    least, most = min(shape.fewest for shape in shapes), max(shape.most for shape in shapes)
    at_least = any(_at_least_per_parent(entry) for entry in alike)
    bound = "≥ " if at_least else "about " if any(entry.loop.about for entry in alike) else ""
    return bound + (fmt.short_count(least) if least == most else f"{fmt.short_count(least)} to {fmt.short_count(most)}")


SECTION = Section(
    id="loops",
    title="Loops",
    order=35,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report.get("loops")),
    nothing=lambda content: why_no_loops(content.run) or "none",
)
