"""Columns as Arrow arrays, by way of nanoarrow: buffers are referred to, not copied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import nanoarrow

from leadline import _core
from leadline.tables.column import Column, NumberColumn
from leadline.tables.declaration import ColumnDeclaration, Kind, TableDeclaration

TYPES = {
    Kind.INDEX: nanoarrow.Type.INT32,
    Kind.INTEGER: nanoarrow.Type.INT64,
    Kind.NUMBER: nanoarrow.Type.DOUBLE,
    Kind.TEXT: nanoarrow.Type.LARGE_STRING,
    Kind.FLAG: nanoarrow.Type.BOOL,
}


def schema(table: TableDeclaration) -> Any:
    return nanoarrow.struct({column.name: _field(column) for column in table.columns}, nullable=False)


def _field(column: ColumnDeclaration) -> Any:
    metadata = {"meaning": column.meaning, **({"unit": column.unit} if column.unit else {})}
    return nanoarrow.Schema(TYPES[column.kind], nullable=bool(column.null), metadata=metadata)


def stream(table: TableDeclaration, columns: Mapping[str, Column], length: int) -> Any:
    """All rows in one batch."""
    arrays = [_array(column, length) for column in columns.values()]
    batch = nanoarrow.c_array_from_buffers(schema(table), length, [None], null_count=0, children=arrays)
    return nanoarrow.ArrayStream(batch)


def _array(column: Column, length: int) -> Any:
    declaration = column.declaration
    validity: Any = None
    unknown = 0
    buffers: list[Any]
    if not isinstance(column, NumberColumn):
        if column.unknown:
            validity, unknown = _bits(at not in column.unknown for at in range(length)), len(column.unknown)
        buffers = [validity, column.offsets, column.data]
    elif declaration.kind is Kind.FLAG:
        buffers = [None, _bits(column.buffer)]
    else:
        if declaration.null:
            validity, unknown = _core.validity(column.buffer)
        buffers = [validity, column.buffer]
    return nanoarrow.c_array_from_buffers(_field(declaration), length, buffers, null_count=unknown)


def _bits(flags: Any) -> bytes:
    """One bit for each value, the first value in the lowest bit."""
    bits = "".join("1" if flag else "0" for flag in flags)
    return int(bits[::-1] or "0", 2).to_bytes((len(bits) + 7) // 8, "little")
