"""The classes of rows, each a named tuple. rows.pyi describes their fields; it is made from the declarations."""

from __future__ import annotations

from leadline.tables import TABLES

globals().update({table.row_name: table.row for table in TABLES})
__all__ = [table.row_name for table in TABLES]
