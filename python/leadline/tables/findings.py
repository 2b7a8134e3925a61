"""What is worth looking at in a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, flag, seconds, text

if TYPE_CHECKING:
    from leadline.figures.content import Content

TABLE = TableDeclaration(
    "findings",
    "One row per finding, most important first.",
    (
        text("finding", "rule id"),
        text("severity", "error, warning or notice"),
        text("text", "the finding, with its numbers"),
        seconds("cost_s", "cost, summed over ranks", "the finding has no cost in time"),
        text("help", "general advice", "no general advice"),
        text("section", "report section with details"),
        flag("in_verdict", "whether it leads the verdict"),
        text("evidence", "evidence, as a JSON object"),
    ),
)


def values(content: Content) -> Mapping[str, Values]:
    from leadline.findings import findings_of

    data = [finding.as_data() for finding in findings_of(content)]
    return {
        "finding": [each["id"] for each in data],
        "severity": [each["severity"] for each in data],
        "text": [each["text"] for each in data],
        "cost_s": [each["cost_s"] for each in data],
        "help": [each["help"] for each in data],
        "section": [each["section"] for each in data],
        "in_verdict": [each["in_verdict"] for each in data],
        "evidence": [json.dumps(each["evidence"]) for each in data],
    }
