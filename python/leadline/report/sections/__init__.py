"""The sections of the report, a file each. Terminal, JSON and page go through SECTIONS, in this order."""

from __future__ import annotations

import sys
from typing import Any

from leadline.figures.content import Content
from leadline.registry import parts_of
from leadline.report.section import Section

SECTIONS = parts_of(sys.modules[__name__], "SECTION", Section)


def figures_of(content: Content) -> dict[str, Any]:
    """The fields of all sections. Raises ValueError where two have one of the same name."""
    figures: dict[str, Any] = {}
    for section in SECTIONS:
        own = section.figures(content) if section.figures is not None else {}
        if taken := figures.keys() & own.keys():
            raise ValueError(f"section {section.id}: {', '.join(sorted(taken))} is of another section, too")
        figures |= own
    return figures


def listed(report: dict[str, Any]) -> list[dict[str, str]]:
    """The sections that have something to show in a report object, for `sections` of that object."""
    return [
        {"id": section.id, "title": section.title, "short": section.short or section.title}
        for section in SECTIONS
        if section.present(report)
    ]
