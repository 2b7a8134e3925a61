"""A trace file with other names in it: its chunks one by one, those without names as they are."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from leadline import _core
from leadline.anonymise import payloads
from leadline.anonymise.payloads import Context, Malformed, Payload
from leadline.anonymise.pseudonyms import Pseudonyms

_MAGIC, _CHUNK = b"LEADLINE", b"LLCK"
_HEADER_BYTES, _CHUNK_BYTES = 16, 16
_VERSIONS = (2, 3)
_DEFLATED, _MODELLED = 1 << 30, 1 << 31
_GENERATION, _SERIES = 8, 15


def rewritten(data: bytes, names: Pseudonyms) -> bytes:
    """The file with pseudonyms, up to where it is damaged. Raises Malformed if it has no such part, or if a chunk with
    names is packed as only version 2 did."""
    if len(data) < _HEADER_BYTES or data[:8] != _MAGIC or struct.unpack_from("<I", data, 8)[0] not in _VERSIONS:
        raise Malformed("not a trace of version 2 or 3")
    context = Context(names, _binaries(data))
    out = [data[:12], bytes(4)]
    for kind, payload, chunk in _chunks(data):
        if kind in payloads.COPIED:
            out.append(chunk)
        elif kind in payloads.REWRITTEN:
            out.append(_chunk(kind, payloads.REWRITTEN[kind](Payload(payload), context)))
    return b"".join(out)


@dataclass(frozen=True)
class Identity:
    """Of a process, as its trace says. rank: -1 if it was never known."""

    pid: int
    rank: int
    host: str


def identity_of(data: bytes) -> Identity:
    """Raises Malformed if the trace does not say which process it is of."""
    for kind, payload, _ in _chunks(data):
        if kind == payloads.PROCESS:
            p = Payload(payload)
            pid, rank = p.svarint(), p.svarint()
            p.varints(2)
            return Identity(pid, rank, p.text())
    raise Malformed("the process that wrote it is missing")


def of_killed(part: bytes, chunks: bytes) -> bytes:
    """A trace of what a killed process had written in parts, and of the chunks that its live memory makes."""
    head = _MAGIC + struct.pack("<II", _VERSIONS[-1], 0)
    written = []
    if part[:8] == _MAGIC:
        for kind, _, chunk in _chunks(part):
            if struct.unpack_from("<I", chunk, 12)[0] != _core.crc32c(chunk[4:12] + chunk[_CHUNK_BYTES:]):
                break  # as the reader does
            if kind in (_GENERATION, _SERIES):
                written.append(chunk)
    return head + b"".join(written) + chunks


def _binaries(data: bytes) -> list[str]:
    for kind, payload, _ in _chunks(data):
        if kind == payloads.MODULES:
            return payloads.module_words(Payload(payload))[::2]
    return []


def _chunks(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """(type, unpacked payload of those with names, whole chunk) up to the end, or to the first that is no chunk."""
    at = _HEADER_BYTES
    while at + _CHUNK_BYTES <= len(data):
        magic, kind, size, _ = struct.unpack_from("<4sIII", data, at)
        end = at + _CHUNK_BYTES + size
        if magic != _CHUNK or end > len(data):
            return
        plain = kind & ~(_DEFLATED | _MODELLED)
        payload = data[at + _CHUNK_BYTES : end]
        yield plain, _unpacked(kind, payload) if plain in payloads.REWRITTEN else b"", data[at:end]
        if plain == payloads.END:
            return
        at = end


def _unpacked(kind: int, payload: bytes) -> bytes:
    if kind & _MODELLED:
        raise Malformed("packed by an earlier version of Leadline")
    if not kind & _DEFLATED:
        return payload
    p = Payload(payload)
    size = p.varint()
    try:
        first = zlib.decompressobj(-zlib.MAX_WBITS).decompress(p.block(), size)
    except zlib.error as error:
        raise Malformed("damaged") from error
    if len(first) != size:
        raise Malformed("damaged")
    return first + p.rest()


def _chunk(kind: int, payload: bytes) -> bytes:
    head = struct.pack("<II", kind, len(payload))
    return _CHUNK + head + struct.pack("<I", _core.crc32c(head + payload)) + payload
