"""The sections of an ELF file of 64 bits: for tests that damage them."""

from __future__ import annotations

import struct


def sections(executable: bytes) -> dict[str, tuple[int, int]]:
    """Where each section of an ELF file is: offset and bytes."""
    (table,) = struct.unpack_from("<Q", executable, 40)
    size, count, names = struct.unpack_from("<HHH", executable, 58)
    headers = [struct.unpack_from("<IIQQQQ", executable, table + i * size) for i in range(count)]
    text = headers[names][4]
    found = {}
    for name, _, _, _, offset, length in headers:
        end = executable.index(b"\0", text + name)
        found[executable[text + name : end].decode()] = (offset, length)
    return found
