"""The patterns of communication and I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, count, n_bytes, number, seconds, text

if TYPE_CHECKING:
    from leadline.figures.content import Content

OUTSIDE = "outside the main loop"

TABLE = TableDeclaration(
    "patterns",
    "One row per pattern, most time first. A call may be in several patterns.",
    (
        text("pattern", "pattern name (see the page on patterns)"),
        text("routines", "common call path, outermost first"),
        text("files", "file names (I/O patterns)"),
        count("ranks", "participating ranks"),
        count("messages", "messages in the whole run"),
        n_bytes("bytes", "bytes in the whole run"),
        number("messages_per_step", "messages per iteration of the main loop, summed over ranks", OUTSIDE),
        number("bytes_per_step", "bytes per iteration of the main loop, summed over ranks", OUTSIDE),
        seconds("time_s", "time in its calls, summed over ranks"),
        text("evidence", "evidence, as a JSON object"),
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
