"""The patterns of communication and I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, n_bytes, number, seconds, text

if TYPE_CHECKING:
    from leadline.figures.content import Content

OUTSIDE = "it lies outside the main loop"

TABLE = TableDeclaration(
    "patterns",
    "One row per pattern, most time first. A call may be in several patterns.",
    (
        text("pattern", "its name, see the page on patterns"),
        text("routines", "what its call sites' paths have in common, outermost first"),
        text("files", "names, of patterns of I/O"),
        count("ranks", "that take part"),
        count("messages", "of the whole run"),
        n_bytes("bytes", "of the whole run"),
        number("messages_per_step", "of all ranks in a step of the main loop", OUTSIDE),
        number("bytes_per_step", "of all ranks in a step of the main loop", OUTSIDE),
        seconds("time_s", "in its calls, all ranks"),
        text("evidence", "what it was recognised by, as a JSON object"),
    ),
)


def values(content: Content) -> Mapping[str, Values]:
    patterns = content.patterns
    return {
        "pattern": [pattern.name for pattern in patterns],
        "routines": [" > ".join(pattern.routines) for pattern in patterns],
        "files": [", ".join(pattern.files) for pattern in patterns],
        "ranks": [pattern.ranks for pattern in patterns],
        "messages": [pattern.messages for pattern in patterns],
        "bytes": [pattern.n_bytes for pattern in patterns],
        "messages_per_step": [pattern.messages_per_step for pattern in patterns],
        "bytes_per_step": [pattern.bytes_per_step for pattern in patterns],
        "time_s": [pattern.time_s for pattern in patterns],
        "evidence": [json.dumps(pattern.evidence) for pattern in patterns],
    }
