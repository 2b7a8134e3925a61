"""A recorded run as tables: a file per table, which declares its columns and fills them.

The report's modules are imported only when a table is asked for, and nanoarrow or a frame library only when a table
is handed over.
"""

from leadline.tables import (
    calls,
    findings,
    io,
    iterations,
    losses,
    matrix,
    patterns,
    phases,
    ranks,
    sites,
    timeline,
    waits,
)

PARTS = (calls, sites, matrix, ranks, iterations, timeline, phases, waits, patterns, findings, io, losses)
TABLES = tuple(part.TABLE for part in PARTS)
