"""Messages by size, in classes of powers of two."""

from __future__ import annotations

from typing import Any

from leadline.figures.content import Content
from leadline.figures.json_entries import distinct_json
from leadline.figures.size_classes import histogram
from leadline.report.section import Section
from leadline.report.size_lines import size_lines
from leadline.text.screen import Screen


def figures(content: Content) -> dict[str, Any]:
    return {"size_histogram": histogram(content.sizes), "sizes": distinct_json(content.sizes)}


def draw(content: Content, out: Screen) -> None:
    if content.messages:
        out.section(SECTION.title)
        out.lines(size_lines(content.sizes, "messages", out.width))


SECTION = Section(
    id="sizes",
    title="Message sizes",
    order=80,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report["size_histogram"]),
)
