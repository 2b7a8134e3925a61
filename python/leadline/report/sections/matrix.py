"""Messages by sender and receiver. One-sided operations have a separate section."""

from __future__ import annotations

from typing import Any

from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.report.matrix_lines import SENT, matrix_lines
from leadline.report.section import Section
from leadline.text.screen import Screen


def figures(content: Content) -> dict[str, Any]:
    return {
        "matrix": [
            {
                "source": rank_id(entry.source),
                "target": rank_id(entry.target),
                "messages": entry.messages,
                "bytes": entry.n_bytes,
                "one_sided_operations": entry.operations,
                "bytes_put": entry.bytes_put,
                "bytes_got": entry.bytes_got,
            }
            for entry in content.matrix
        ]
    }


def draw(content: Content, out: Screen) -> None:
    if content.messages:
        out.section(SECTION.title, "bytes sent; row: source, column: destination")
        out.lines(matrix_lines(content, SENT, out.width))


SECTION = Section(
    id="matrix",
    title="Communication matrix",
    order=90,
    figures=figures,
    draw=draw,
    present=lambda report: any(pair["messages"] for pair in report["matrix"]),
)
