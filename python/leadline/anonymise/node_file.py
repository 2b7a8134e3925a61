"""The file of a node (docs/reference/format.md): traces one after another, each with a header."""

from __future__ import annotations

import struct

from leadline import _core

_MAGIC, _VERSION = b"LLMEMBER", 1


def member(name: str, trace: bytes) -> bytes:
    """A trace as such a file has it."""
    encoded = name.encode("utf-8", "surrogateescape")
    head = struct.pack("<IIQI", _VERSION, len(encoded), len(trace), 0)
    return _MAGIC + head + struct.pack("<I", _core.crc32c(head + encoded)) + encoded + trace
