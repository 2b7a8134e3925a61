"""Reads NetCDF files of the classic format CDF-5 without any NetCDF library, after the format's specification."""

import struct
from array import array
from dataclasses import dataclass
from pathlib import Path

ABSENT, DIMENSIONS, VARIABLES, ATTRIBUTES = 0, 10, 11, 12
# struct's letter of the types the tests meet, and their size
TYPES = {1: ("b", 1), 2: ("c", 1), 4: ("i", 4), 5: ("f", 4), 6: ("d", 8), 10: ("q", 8)}


@dataclass(frozen=True)
class Variable:
    """shape: lengths of its dimensions.   values: in the order of indices, the last one fastest."""

    shape: tuple[int, ...]
    values: array


@dataclass(frozen=True)
class File:
    dimensions: dict[str, int]
    variables: dict[str, Variable]
    attributes: dict[str, int]  # numbers only


class _Header:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 4

    def number(self, code: str) -> int:
        value = struct.unpack_from(f">{code}", self.content, self.at)[0]
        self.at += struct.calcsize(f">{code}")
        return int(value)

    def name(self) -> str:
        length = self.number("q")
        text = self.content[self.at : self.at + length].decode()
        self.at += -(-length // 4) * 4
        return text

    def list_length(self, tag: int) -> int:
        found, length = self.number("i"), self.number("q")
        assert found == tag or (found, length) == (ABSENT, 0), f"byte {self.at}: list {found}"
        return length

    def attributes(self) -> dict[str, int]:
        found = {}
        for _ in range(self.list_length(ATTRIBUTES)):
            name = self.name()
            code, size = TYPES[self.number("i")]
            count = self.number("q")
            if code == "q" and count == 1:
                found[name] = struct.unpack_from(">q", self.content, self.at)[0]
            self.at += -(-count * size // 4) * 4
        return found


def read_classic(path: Path) -> File:
    """Raises AssertionError where the file is not complete or not of this kind."""
    header = _Header(path.read_bytes())
    assert header.content[:4] == b"CDF\x05"
    assert header.number("q") == 0, "records"
    dimensions = [(header.name(), header.number("q")) for _ in range(header.list_length(DIMENSIONS))]
    attributes = header.attributes()
    variables = {}
    for _ in range(header.list_length(VARIABLES)):
        name = header.name()
        shape = tuple(dimensions[header.number("q")][1] for _ in range(header.number("q")))
        header.attributes()
        code, size = TYPES[header.number("i")]
        header.number("q")  # size with padding
        begin = header.number("q")
        count = 1
        for length in shape:
            count *= length
        piece = header.content[begin : begin + count * size]
        assert len(piece) == count * size, f"{name}: the file ends at byte {len(header.content)}"
        values = array(code, piece)
        values.byteswap()
        variables[name] = Variable(shape, values)
    return File(dict(dimensions), variables, attributes)
