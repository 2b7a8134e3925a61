"""A recorded run as tables: a file per table, which declares its columns and fills them.

Nothing of the report is imported before a table is asked for, and neither nanoarrow nor a frame library before one is
handed over.
"""

from leadline.tables import calls, io, iterations, losses, matrix, ranks, sites

PARTS = (calls, sites, matrix, ranks, iterations, io, losses)
TABLES = tuple(part.TABLE for part in PARTS)
