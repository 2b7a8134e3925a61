"""The ranks' file I/O: by file and rank, by function and call site, and MPI-IO with the file calls made for it."""

from __future__ import annotations

from typing import Any

from leadline.figures.content import Content
from leadline.report.files_json import files_json
from leadline.report.files_text import file_lines, summary
from leadline.report.section import Section
from leadline.text.screen import Screen


def figures(content: Content) -> dict[str, Any]:
    return {"io": files_json(content)}


def _present(report: dict[str, Any]) -> bool:
    io = report["io"]
    return bool(io and (io["files"] or io["mpi_io"] or io["calls"]))


def draw(content: Content, out: Screen) -> None:
    if content.files.files:
        out.section(SECTION.title, "libc's file calls and MPI_File_*, summed over ranks")
        out.paragraph(summary(content))
        out.lines(file_lines(content, out.width, all_files=out.complete))


SECTION = Section(
    id="files",
    title="File I/O",
    order=110,
    figures=figures,
    draw=draw,
    present=_present,
)
