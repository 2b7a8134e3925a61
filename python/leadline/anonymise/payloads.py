"""Payloads of a trace's chunks with other names in them (docs/reference/format.md).

Only fields that are listed there are written: what a later version may have put behind them is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leadline.anonymise.pseudonyms import Pseudonyms
from leadline.figures.programs import split_line

_STRETCH_FIELDS_OF_ONE = 3  # start, length, count; a count above 1 is followed by the stride


class Malformed(Exception):
    """A payload that ends too early, or holds a number that does not fit."""


class Payload:
    """Reads a payload; raises Malformed at its end."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def more(self) -> bool:
        return self.at < len(self.data)

    def raw(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            raise Malformed
        self.at += size
        return self.data[self.at - size : self.at]

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.raw(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise Malformed

    def svarint(self) -> int:
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def block(self) -> bytes:
        return self.raw(self.varint())

    def text(self) -> str:
        return self.block().decode("utf-8", "surrogateescape")

    def varints(self, count: int) -> bytes:
        """The bytes of so many, signed or not."""
        begin = self.at
        for _ in range(count):
            self.varint()
        return self.data[begin : self.at]

    def rest(self) -> bytes:
        return self.raw(len(self.data) - self.at)


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def string(text: str) -> bytes:
    content = text.encode("utf-8", "surrogateescape")
    return varint(len(content)) + content


@dataclass
class Context:
    """What rewriting a trace needs besides the payload. binaries: paths of the trace's modules."""

    names: Pseudonyms
    binaries: list[str]


def process(p: Payload, context: Context) -> bytes:
    names = context.names
    out = p.varints(4)
    host, program, library, family = (p.text() for _ in range(4))
    path, _ = split_line(program, context.binaries)
    out += string(names.of("host", host)) + string(names.of("program", path)) + string(names.library(library))
    out += string(family) + p.varints(7)
    return out + (p.varints(1) if p.more() else b"")


def modules(p: Payload, context: Context) -> bytes:
    words = module_words(p)
    named = []
    for path, build_id in zip(words[::2], words[1::2], strict=True):
        named += [context.names.module(path), context.names.build_id(path, build_id) if path else ""]
    return string("".join(f"{word}\0" for word in named))


def module_words(p: Payload) -> list[str]:
    """Path, build id, path, build id, …"""
    words = p.text().split("\0")[:-1]
    if len(words) % 2:
        raise Malformed
    return words


def datatypes(p: Payload, context: Context) -> bytes:
    count = p.varint()
    out = [varint(count)]
    for _ in range(count):
        out += [string(context.names.named_by_user("type", p.text())), p.varints(5), p.raw(1)]
    if p.more():
        arrays = p.varint()
        out.append(varint(arrays))
        for _ in range(arrays):
            number, sides = p.varint(), p.varint()
            out += [varint(number), varint(sides), p.varints(2 * sides)]
    return b"".join(out)


def ops(p: Payload, context: Context) -> bytes:
    return string("".join(f"{context.names.named_by_user('op', word)}\0" for word in p.text().split("\0")[:-1]))


def regions(p: Payload, context: Context) -> bytes:
    count = p.varint()
    out = [varint(count)]
    for _ in range(count):
        out += [p.varints(1), string(context.names.of("region", p.text()))]
    return b"".join(out)


def clock(p: Payload, context: Context) -> bytes:
    """The identity of a clock is made from the machine's: only which processes share one stays."""
    identity = p.varint()
    named = int(context.names.of("clock", str(identity)).removeprefix("clock")) if identity else 0
    out = varint(named) + p.varints(1) + p.raw(1)
    comparisons = p.varint()
    return out + varint(comparisons) + p.varints(3 * comparisons)


def conditions(p: Payload, _: Context) -> bytes:
    out = p.varints(2)
    runs = p.varint()
    out += varint(runs) + p.varints(2 * runs + 6)
    out += string(p.text())  # the variable by which the recorder knew the launcher: one of a list
    return out + p.varints(3) + (p.varints(3) if p.more() else b"")


def files(p: Payload, context: Context) -> bytes:
    count = p.varint()
    out = [varint(count)]
    for _ in range(count):
        out += [string(context.names.opened(p.text())), p.varints(2)]
        layers = p.raw(1)
        out += [layers, p.varints(11 * (layers[0] & 0xF).bit_count()), _stretches(p), _stretches(p)]
    return b"".join(out)


def _stretches(p: Payload) -> bytes:
    begin = p.at
    count = p.varint()
    p.raw(1)
    for _ in range(count):
        p.varints(_STRETCH_FIELDS_OF_ONE - 1)
        if p.varint() > 1:
            p.varint()
    return p.data[begin : p.at]


def whole(p: Payload, _: Context) -> bytes:
    """Of chunks without a name in them."""
    return p.rest()


Rewriting = Callable[[Payload, Context], bytes]
MODULES = 3
PROCESS = 1
# By type. What is not listed is left out: settings (24) are the environment's.
REWRITTEN: dict[int, Rewriting] = {
    PROCESS: process,
    MODULES: modules,
    5: datatypes,
    6: ops,
    16: clock,
    17: conditions,
    21: regions,
    30: files,
}
# Functions, communicators, sites, generations, locals, losses, end, structure, times, shared, series, loops, pauses,
# region times, the library's variables, samples: numbers, and names that the standard or the library gives.
COPIED = frozenset({2, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 20, 22, 23, 25})
END = 11
