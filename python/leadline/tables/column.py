"""A column of a table: buffers as Arrow has them, and values as Python has them.

Unknown values are null. In the buffer of a column that may have nulls, an unknown integer is -1, and an unknown number
is NaN.
"""

from __future__ import annotations

import array
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, overload

from leadline.tables.declaration import ColumnDeclaration, Kind
from leadline.text.visible import without_surrogates

# Formats of the buffers that a kind may have: those of 64 bits differ by platform.
FORMATS = {Kind.INDEX: "i", Kind.INTEGER: "ql", Kind.NUMBER: "d", Kind.FLAG: "?"}
ARRAYS = {Kind.INDEX: "i", Kind.INTEGER: "q", Kind.NUMBER: "d"}
UNKNOWN = {Kind.INDEX: -1, Kind.INTEGER: -1, Kind.NUMBER: float("nan")}

# A buffer; a text's offsets and data; or values, None for null.
Values: TypeAlias = "memoryview[Any] | tuple[memoryview[Any], memoryview[Any]] | Sequence[Any]"


class NumberColumn(Sequence[Any]):
    """Integers, numbers or flags. buffer: a value each, with UNKNOWN for null."""

    def __init__(self, declaration: ColumnDeclaration, buffer: memoryview[Any]) -> None:
        """Raises TypeError if the buffer's kind differs from the declared one."""
        if buffer.ndim != 1 or not buffer.c_contiguous or buffer.format not in [*FORMATS[declaration.kind]]:
            raise TypeError(
                f"column {declaration.name}: expected {declaration.kind.value}, got a buffer of format {buffer.format}"
            )
        self.declaration = declaration
        self.buffer = buffer.toreadonly()

    def __len__(self) -> int:
        return len(self.buffer)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._value(value) for value in self.buffer[index]]
        return self._value(self.buffer[index])

    def __iter__(self) -> Iterator[Any]:
        return map(self._value, self.buffer) if self.declaration.null else iter(self.buffer)

    def _value(self, value: Any) -> Any:
        if not self.declaration.null:
            return value
        # NaN is the number that does not equal itself.
        return None if value != value or (value == -1 and self.declaration.kind is not Kind.NUMBER) else value


class TextColumn(Sequence[Any]):
    """Value i is data[offsets[i]:offsets[i + 1]], in UTF-8, or null if `unknown` holds i."""

    def __init__(
        self,
        declaration: ColumnDeclaration,
        offsets: memoryview[Any],
        data: memoryview[Any],
        unknown: frozenset[int] = frozenset(),
    ) -> None:
        if unknown and not declaration.null:
            raise TypeError(f"column {declaration.name}: unexpected null")
        self.declaration = declaration
        self.offsets = offsets.toreadonly()
        self.data = data.toreadonly()
        self.unknown = unknown

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = range(len(self))[index]  # from the end, and an IndexError, as of any sequence
        return None if at in self.unknown else _text(self.data[self.offsets[at] : self.offsets[at + 1]])

    def __iter__(self) -> Iterator[Any]:
        data = bytes(self.data)
        pairs = itertools.pairwise(self.offsets)
        texts = (_text(data[begin:end]) for begin, end in pairs)
        return (None if at in self.unknown else text for at, text in enumerate(texts)) if self.unknown else texts


def _text(data: bytes | memoryview[Any]) -> str:
    return str(data, "utf-8", "backslashreplace")  # a damaged trace may hold a name that is no text


Column = NumberColumn | TextColumn


def column(declaration: ColumnDeclaration, values: Values) -> Column:
    """Raises TypeError if the values do not match the declaration."""
    if isinstance(values, tuple):
        return TextColumn(declaration, *values)
    if isinstance(values, memoryview):
        return NumberColumn(declaration, values)
    if declaration.kind is Kind.TEXT:
        return _text_of(declaration, [*values])
    if declaration.kind is Kind.FLAG:
        return NumberColumn(declaration, memoryview(bytes(bool(value) for value in values)).cast("?"))
    unknown = UNKNOWN[declaration.kind] if declaration.null else None
    known: list[Any] = [unknown if value is None else value for value in values]
    try:
        buffer = array.array(ARRAYS[declaration.kind], known)
    except OverflowError:  # damaged traces may contain any value
        most = 2**31 - 1 if declaration.kind is Kind.INDEX else 2**63 - 1
        buffer = array.array(ARRAYS[declaration.kind], (max(-most, min(value, most)) for value in known))
    return NumberColumn(declaration, memoryview(buffer))


def _text_of(declaration: ColumnDeclaration, values: Sequence[str | None]) -> TextColumn:
    unknown = set()
    data = bytearray()
    offsets = array.array("q", [0])
    for at, value in enumerate(values):
        if value is None:
            unknown.add(at)
        else:  # a path may hold bytes that are no text
            data += without_surrogates(value).encode()
        offsets.append(len(data))
    return TextColumn(declaration, memoryview(offsets), memoryview(bytes(data)), frozenset(unknown))
