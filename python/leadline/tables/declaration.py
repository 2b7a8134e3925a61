"""The one declaration of a table: columns, units, meaning. Documentation and type stubs are made from it."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property


class Kind(Enum):
    """The type of a column's values."""

    INDEX = "int32"
    INTEGER = "int64"
    NUMBER = "float64"
    TEXT = "text"
    FLAG = "bool"

    @property
    def python(self) -> str:
        """The type in Python."""
        return {"int32": "int", "int64": "int", "float64": "float", "text": "str", "bool": "bool"}[self.value]


@dataclass(frozen=True)
class ColumnDeclaration:
    """unit: "" for a count or a name.   null: what null means; "" for a column without nulls."""

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    null: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError if a name does not end with its unit, as every column's of seconds does."""
        if (self.unit == "s") != self.name.endswith("_s"):
            raise ValueError(f"column {self.name}: names of columns in seconds must end in _s, and no others")


@dataclass(frozen=True)
class TableDeclaration:
    """id: the method of a recording that gives the table.   rows: a sentence that says what a row is.

    more: anything else that a reader must know, or "".
    """

    id: str
    rows: str
    columns: tuple[ColumnDeclaration, ...]
    more: str = ""
    row: type = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raises ValueError if two columns share a name, or a name can't be an attribute's."""
        object.__setattr__(self, "row", namedtuple(self.row_name, [column.name for column in self.columns]))

    @property
    def row_name(self) -> str:
        """The class of a row in Python: that of `calls` is CallsRow."""
        return f"{self.id.title().replace('_', '')}Row"

    @cached_property
    def by_name(self) -> dict[str, ColumnDeclaration]:
        return {column.name: column for column in self.columns}


def index(name: str, meaning: str, null: str = "") -> ColumnDeclaration:
    """A small integer that is never summed."""
    return ColumnDeclaration(name, Kind.INDEX, meaning, null=null)


def count(name: str, meaning: str) -> ColumnDeclaration:
    return ColumnDeclaration(name, Kind.INTEGER, meaning)


def n_bytes(name: str, meaning: str, null: str = "") -> ColumnDeclaration:
    return ColumnDeclaration(name, Kind.INTEGER, meaning, "bytes", null)


def seconds(name: str, meaning: str, null: str = "") -> ColumnDeclaration:
    return ColumnDeclaration(name, Kind.NUMBER, meaning, "s", null)


def number(name: str, meaning: str, null: str = "") -> ColumnDeclaration:
    return ColumnDeclaration(name, Kind.NUMBER, meaning, null=null)


def text(name: str, meaning: str, null: str = "") -> ColumnDeclaration:
    return ColumnDeclaration(name, Kind.TEXT, meaning, null=null)


def flag(name: str, meaning: str) -> ColumnDeclaration:
    return ColumnDeclaration(name, Kind.FLAG, meaning)
