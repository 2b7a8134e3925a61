"""Damaged inputs made from good ones, the same for the same random numbers."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "trace"))

from spec_reader import crc32c, plain

INTERESTING = (
    0,
    1,
    2,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    2**63 - 1,
    2**63,
    2**64 - 1,
)
PIECES = (
    b"\x00", b"\xff", b"\x1b[31m", b"\xe2\x80\xae", b"\n", b'"', b"'", b"=", b"[", b"]", b"{", b"}", b"-1", b"0",
    b"1e999", b"nan", b"9" * 400, b"9" * 5000, b"[" * 3000, b"{" * 3000, b"null", b"true", b"[]", b"{}", b'"x"',
    b"\\ud800", b"1.5",
)  # fmt: skip


def damaged(data: bytes, random: Random) -> bytes:
    """One to four changes: bits, numbers, pieces that move, that go, that come twice."""
    found = bytearray(data)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(found) + 1)
        match random.randrange(7):
            case 0 if found:
                found[min(at, len(found) - 1)] ^= 1 << random.randrange(8)
            case 1:
                width = random.choice("BHIQ")
                value = random.choice(INTERESTING) & (1 << 8 * struct.calcsize(width)) - 1
                piece = struct.pack(f"<{width}", value)
                found[at : at + len(piece)] = piece
            case 2:
                del found[at : at + random.choice((1, 2, 4, 16, 256))]
            case 3:
                other = random.randrange(len(found) + 1)
                found[at:at] = found[other : other + random.choice((1, 4, 16, 64))]
            case 4:
                found[at : at + random.choice((0, 0, 1, 4))] = random.choice(PIECES)
            case 5:
                found[at : at + 8] = random.randbytes(8)
            case _:
                if random.random() < 0.3:
                    del found[at:]
    return bytes(found)


def damaged_words(data: bytes, random: Random) -> bytes:
    """A text of which values were replaced, so that it is often still of its form."""
    lines = data.split(b"\n")
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(lines))
        words = lines[at].split(b" ")
        words[random.randrange(len(words))] = random.choice((*PIECES, *random.choice(lines).split(b" ")))
        lines[at] = b" ".join(words)
    return b"\n".join(lines)


def damaged_chunks(data: bytes, random: Random) -> bytes:
    """A trace or a file of shared chunks with changes below its checksums, which are right again."""
    if data not in _split:
        _split[data] = [*_chunks(data)]
    found = [*_split[data]]
    if not found:
        return damaged(data, random)
    for _ in range(random.randint(1, 2)):
        at = random.randrange(len(found))
        kind, payload, _ = found[at]
        match random.randrange(10):
            case 0:
                del found[at]
            case 1:
                found.insert(random.randrange(len(found) + 1), found[at])
            case 2:
                found[at] = (random.randrange(40), payload, b"")
            case _:
                found[at] = (kind, damaged(payload, random), b"")
        if not found:
            break
    return data[:16] + b"".join(whole or _chunk(kind, payload) for kind, payload, whole in found)


_split: dict[bytes, list[tuple[int, bytes, bytes]]] = {}


def _chunks(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """(kind, payload, the chunk as it was)"""
    at = 16
    while at + 16 <= len(data):
        _, kind, size, _ = struct.unpack_from("<4sIII", data, at)
        payload = data[at + 16 : at + 16 + size]
        kind, payload = plain(kind, payload)
        yield kind, payload, data[at : at + 16 + size]
        at += 16 + size


def _chunk(kind: int, payload: bytes) -> bytes:
    head = struct.pack("<II", kind, len(payload))
    return b"LLCK" + head + struct.pack("<I", crc32c(head + payload)) + payload
