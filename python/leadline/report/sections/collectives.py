"""Collectives by the way their data goes."""

from __future__ import annotations

from typing import Any

from leadline.figures.collectives import TITLES, CollectiveClass, collective_classes
from leadline.figures.content import Content
from leadline.report.entry_lines import clip
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen


def figures(content: Content) -> dict[str, Any]:
    return {"collective_classes": [_json(one) for one in collective_classes(content.functions, content.waits)]}


def _json(one: CollectiveClass) -> dict[str, Any]:
    return {
        "class": one.name,
        "title": TITLES[one.name],
        "functions": list(one.functions),
        "calls": one.calls,
        "bytes_each": one.bytes_each,
        "bytes_received_each": one.received_each,
        "ranks": one.ranks,
        "time_s": one.time_s,
        "share": one.share,
        "wait_s": one.wait_s,
    }


def draw(content: Content, out: Screen) -> None:
    found = collective_classes(content.functions, content.waits)
    if not found:
        return
    out.section(SECTION.title, "summed over ranks; bytes contributed per rank and call")
    lines: list[Line] = [("  %Time      Time    Waited     Calls     Bytes  Class", "dim")]
    for one in found:
        waited = "-" if one.wait_s is None else fmt.seconds(one.wait_s)
        numbers = (
            f"{100 * one.share:5.1f} %  {fmt.seconds(one.time_s):>8}  {waited:>8}  {fmt.short_count(one.calls):>8}  "
            f"{fmt.size(round(one.bytes_each)):>8}  "
        )
        lines.append(numbers + clip(f"{TITLES[one.name]}: {', '.join(one.functions)}", out.width - len(numbers)))
    out.lines(lines)


SECTION = Section(
    id="collectives",
    title="Collectives by class",
    order=45,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report["collective_classes"]),
)
