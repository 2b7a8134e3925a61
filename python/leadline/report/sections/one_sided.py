"""One-sided communication: puts, gets and accumulates by target and by size."""

from __future__ import annotations

from typing import Any

from leadline.figures.content import Content
from leadline.figures.json_entries import distinct_json
from leadline.figures.size_classes import histogram
from leadline.report.matrix_lines import GOT, PUT, matrix_lines
from leadline.report.one_sided import summary
from leadline.report.section import Section
from leadline.report.size_lines import size_lines
from leadline.text.screen import Screen


def figures(content: Content) -> dict[str, Any]:
    return {
        "one_sided_size_histogram": histogram(content.operation_sizes, "operations"),
        "one_sided_sizes": distinct_json(content.operation_sizes, "operations"),
    }


def draw(content: Content, out: Screen) -> None:
    if not content.operations:
        return
    out.section(SECTION.title, "by size per direction")
    out.paragraph(f"{summary(content)} (MPI_PROC_NULL targets excluded).")
    out.lines(size_lines(content.operation_sizes, "operations", out.width))
    if content.bytes_put:
        out.section("Put matrix", "bytes; row: origin, column: target")
        out.lines(matrix_lines(content, PUT, out.width))
    if content.bytes_got:
        out.section("Get matrix", "bytes; row: origin, column: target")
        out.lines(matrix_lines(content, GOT, out.width))


SECTION = Section(
    id="one-sided",
    title="One-sided communication",
    order=100,
    figures=figures,
    draw=draw,
    present=lambda report: report["totals"].get("one_sided_operations", 0) > 0,
)
