"""Run-time libraries of sanitizers, which refuse to work behind anything that is preloaded.

A program built with gcc's -fsanitize=address needs libasan.so, and ends at once if another library comes first. It
therefore goes in front of the recorder. A run-time library that is linked statically, as clang does, needs nothing.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from leadline.launch import loading

RUNTIME = re.compile(r"(libasan|libhwasan|libtsan)\.so\.\d+$|libclang_rt\.(asan|hwasan|tsan)\b[\w.-]*\.so$")
PT_LOAD, PT_DYNAMIC = 1, 2
DT_NEEDED, DT_STRTAB = 1, 5
MOST_BYTES = 1 << 20


def runtime_in_front(program: Path | None, environ: Mapping[str, str] | None = None) -> str:
    """The path of the library that must be preloaded before all others; "" if there is none.

    environ: the program's environment, by default ours.
    """
    if program is None or not runtime_wanted(program):
        return ""
    libraries, _ = loading.loaded(program, environ)
    found = next((name for name in libraries if RUNTIME.search(Path(name).name)), "")
    return "" if any(separator in found for separator in " :") else found


def runtime_wanted(program: Path) -> str:
    """The name of the run-time library that the program is linked with; "" if it is none of those."""
    return next((name for name in needed(program) if RUNTIME.search(name)), "")


def needed(path: Path) -> list[str]:
    """The libraries that a 64-bit ELF file names (DT_NEEDED); [] for any other file."""
    try:
        with path.open("rb") as file:
            header = file.read(64)
            if len(header) < 64 or not header.startswith(loading.ELF64):
                return []
            order = "<" if header[5] == 1 else ">"
            (offset,) = struct.unpack_from(order + "Q", header, 32)
            size, count = struct.unpack_from(order + "HH", header, 54)
            file.seek(offset)
            table = file.read(size * count)
            segments = [struct.unpack_from(order + "IIQQQQ", table, i * size) for i in range(count)]
            loads = [(address, begin, length) for kind, _, begin, address, _, length in segments if kind == PT_LOAD]
            dynamic = next((segment for segment in segments if segment[0] == PT_DYNAMIC), None)
            if dynamic is None:
                return []
            file.seek(dynamic[2])
            data = file.read(min(dynamic[5], MOST_BYTES))
            entries = list(struct.iter_unpack(order + "QQ", data[: len(data) // 16 * 16]))
            strings = next((value for tag, value in entries if tag == DT_STRTAB), 0)
            start = next((begin + strings - at for at, begin, length in loads if at <= strings < at + length), None)
            if start is None:
                return []
            return [_text_at(file, start + value) for tag, value in entries if tag == DT_NEEDED]
    except (OSError, struct.error, OverflowError, ValueError):
        return []


def _text_at(file: BinaryIO, offset: int) -> str:
    file.seek(offset)
    return file.read(4096).partition(b"\0")[0].decode(errors="replace")
