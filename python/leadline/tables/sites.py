"""The call sites, summed over all ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from leadline.tables.calls import NOT_TIMED, TRAFFIC
from leadline.tables.column import Values
from leadline.tables.declaration import TableDeclaration, flag, index, seconds, text

if TYPE_CHECKING:
    from leadline.figures.content import Content

NO_LINES = "unknown: no debug information for this call"

TABLE = TableDeclaration(
    "sites",
    "One row per MPI call site: function and call path.",
    (
        index("site", "row number, from 0; `site` in `calls()` refers to it"),
        text("function", "MPI function"),
        text("call_class", "Leadline's category of the function, e.g. isend or coll"),
        flag("local", "the function is local"),
        text("routine", "calling routine; ? if unknown"),
        text("file", "source file of the call", NO_LINES),
        index("line", "line of the call", NO_LINES),
        flag("line_exact", "false: the nearest line, because the compiler gave none to the call"),
        text("path", "call path, outermost first: main (a.c:5) > exchange (halo.c:40)"),
        flag("path_whole", "false: the outer part of the path is unknown"),
        index("ranks", "number of ranks that called it"),
        *TRAFFIC,
        seconds("time_s", "time in these calls, summed over ranks"),
        seconds("min_s", "shortest call", NOT_TIMED),
        seconds("max_s", "longest call", NOT_TIMED),
    ),
    more="Same rows and order as `sites` in the report: most time first.",
)


def values(content: Content) -> Mapping[str, Values]:
    from leadline.figures.json_entries import described, line_json

    entries = content.sites
    sites = [entry.site for entry in entries if entry.site is not None]
    lines = [line_json(site.location) for site in sites]
    return {
        "site": range(len(sites)),
        "function": [site.function for site in sites],
        "call_class": [entry.cls for entry in entries],
        "local": [site.local for site in sites],
        "routine": [site.routine for site in sites],
        "file": [(site.location.file or None) if site.location is not None else None for site in sites],
        "line": [line["line"] for line in lines],
        "line_exact": [line["line_exact"] for line in lines],
        "path": [" > ".join(map(described, site.path)) for site in sites],
        "path_whole": [site.whole for site in sites],
        "ranks": [entry.ranks for entry in entries],
        "calls": [entry.calls for entry in entries],
        "messages": [entry.messages for entry in entries],
        "bytes": [entry.n_bytes for entry in entries],
        "bytes_received": [entry.bytes_received for entry in entries],
        "one_sided_operations": [entry.operations for entry in entries],
        "bytes_put": [entry.bytes_put for entry in entries],
        "bytes_got": [entry.bytes_got for entry in entries],
        "time_s": [entry.time_s for entry in entries],
        "min_s": [None if entry.local else entry.per_call_min_s for entry in entries],
        "max_s": [None if entry.local else entry.per_call_max_s for entry in entries],
    }
