"""The call paths that reach MPI, as a tree with inclusive and exclusive times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from leadline.figures.call_tree import CallNode, call_tree
from leadline.figures.content import Content
from leadline.report.entry_lines import clip_front
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen

# Of the ranks' time. A routine with less is left out, unless it makes ten times as large a share of the calls.
LEAST_SHARE = 0.0005
LEAST_SHARE_SHOWN = 0.01
MOST_SHOWN = 25
DEEPEST_SHOWN = 12  # steps of indentation
LEAST_ROOM = 12


def _weighty(content: Content, least: float) -> tuple[list[CallNode], int]:
    """The routines of such a share, callers first, and how many are left out."""
    nodes = [node for top in call_tree(content.sites) for node in top.walk()]
    calls = content.calls or 1
    kept = [n for n in nodes if n.time_s >= least * content.base_s or n.calls >= 10 * least * calls]
    return kept, len(nodes) - len(kept)


def figures(content: Content) -> dict[str, Any]:
    kept, left_out = _weighty(content, LEAST_SHARE)
    numbers = {id(node): number for number, node in enumerate(kept, 1)}
    return {
        "call_tree": [
            {
                "id": numbers[id(node)],
                "parent": numbers.get(id(node.parent)),
                "routine": node.routine,
                "full": node.full,
                "time_s": node.time_s,
                "share": content.share(node.time_s),
                "own_s": node.own_s,
                "own_share": content.share(node.own_s),
                "function": node.function or None,
                "calls": node.calls,
                "messages": node.messages,
                "bytes": node.n_bytes,
            }
            for node in kept
        ],
        "call_tree_left_out": left_out,
    }


def draw(content: Content, out: Screen) -> None:
    if content.base_s <= 0:
        return
    kept, _ = _weighty(content, LEAST_SHARE)
    if not out.complete:
        kept = [node for node in kept if node.time_s >= LEAST_SHARE_SHOWN * content.base_s]
    lines = list(_lines(kept, content.base_s, out.width))
    if not lines:
        return
    out.section(SECTION.title, "MPI time summed over ranks: inclusive and exclusive")
    shown = lines if out.complete else lines[:MOST_SHOWN]
    out.lines([("Inclusive  Exclusive    Calls  Routine", "dim"), *shown])
    if len(shown) < len(lines):
        out.lines([(f"and {fmt.plural(len(lines) - len(shown), 'more line')}: --all", "dim")])


def _lines(nodes: list[CallNode], whole_s: float, width: int) -> Iterator[Line]:
    """A routine that only calls the one below it shares that one's line: "main > run > step"."""
    depths: dict[int, int] = {}
    passed: list[str] = []
    for node in nodes:
        if not passed:
            depth = depths.get(id(node.parent), -1) + 1
        depths[id(node)] = depth
        passed.append(node.routine)
        only = next(iter(node.children.values())) if len(node.children) == 1 else None
        if only is not None and only.calls == node.calls:
            continue
        function = f" ({node.function})" if node.own_s >= 0.5 * node.time_s and node.function else ""
        figures = f"{100 * node.time_s / whole_s:7.1f} %  {100 * node.own_s / whole_s:7.1f} %  "
        figures += f"{fmt.short_count(node.calls):>7}  {'  ' * min(depth, DEEPEST_SHOWN)}"
        yield figures + _fitted(passed, function, max(width - len(figures), LEAST_ROOM))
        passed = []


def _fitted(routines: list[str], function: str, room: int) -> str:
    """The first and the last routine matter most, then the function: "trcadv > … > pass_along (MPI_Wait)"."""
    ends = [routines[0], "…", routines[-1]] if len(routines) > 2 else routines
    for shown, what in ((routines, function), (ends, function), (ends, "")):
        text = " > ".join(shown) + what
        if len(text) <= room:
            return text
    return clip_front(" > ".join(ends), room)


SECTION = Section(
    id="call-tree",
    title="Call paths",
    order=55,
    figures=figures,
    draw=draw,
    present=lambda report: len(report.get("call_tree", ())) > 1,
)
