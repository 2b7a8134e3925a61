"""Fails if a library has code that runs when a process begins, except the constructor functions it may have.

    python tools/initialisers.py LIBRARY [FUNCTION ...]

A preloaded library is used before its own constructors have run, by those of other libraries and of the program. All
its state is therefore initialised by the compiler (src/host/immortal.hpp), and the build runs this to make sure.
FUNCTION: a function with __attribute__((constructor)) that is allowed. It must not construct anything.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

SHT_SYMTAB, SHT_RELA, SHT_INIT_ARRAY = 2, 4, 14
STT_FUNC = 2
# Symbols of the compiler's own start-up files.
START_UP = {"frame_dummy"}


class Library:
    """The parts of a 64-bit ELF file that determine what runs when it is loaded. Raises ValueError for any other
    file."""

    def __init__(self, data: bytes) -> None:
        if data[:5] != b"\x7fELF\x02":
            raise ValueError("it is not a 64-bit ELF file")
        self._data = data
        self._order = "<" if data[5] == 1 else ">"
        (offset,) = self._unpack("Q", 0x28)
        size, count, _ = self._unpack("HHH", 0x3A)
        # name, type, flags, address, offset, size, link, info, align, entry size
        self._sections = [self._unpack("IIQQQQIIQQ", offset + i * size) for i in range(count)]

    def _unpack(self, form: str, at: int) -> tuple[int, ...]:
        return struct.unpack_from(self._order + form, self._data, at)

    def _of_type(self, kind: int) -> Iterator[tuple[int, ...]]:
        return (section for section in self._sections if section[1] == kind)

    def initialisers(self) -> list[int]:
        """Addresses of the functions that are called when the library is loaded, in their order."""
        relocated = self._relocated()
        found = []
        for _, _, _, address, offset, size, *_ in self._of_type(SHT_INIT_ARRAY):
            for at in range(0, size, 8):
                (there,) = self._unpack("Q", offset + at)  # where relocations are packed (RELR)
                found.append(relocated.get(address + at, there))
        return found

    def _relocated(self) -> dict[int, int]:
        """The value that the dynamic linker puts at a place, before the library's own address is added."""
        found = {}
        for _, _, _, _, offset, size, link, *_ in self._of_type(SHT_RELA):
            for at in range(offset, offset + size, 24):
                place, info, addend = self._unpack("QQq", at)
                symbol = info >> 32  # of an exported function; 0: none
                found[place] = addend + (self._symbol(self._sections[link], symbol)[2] if symbol else 0)
        return found

    def _symbol(self, table: tuple[int, ...], index: int) -> tuple[str, int, int]:
        """Name, type and value."""
        name, info, _, _, value, _ = self._unpack("IBBHQQ", table[4] + 24 * index)
        begin = self._sections[table[6]][4] + name
        return self._data[begin : self._data.index(0, begin)].decode(errors="replace"), info & 15, value

    def functions(self) -> dict[int, str]:
        """Their names by address; empty in a stripped file."""
        symbols = (self._symbol(table, i) for table in self._of_type(SHT_SYMTAB) for i in range(table[5] // 24))
        return {value: name for name, kind, value in symbols if kind == STT_FUNC}


def is_one_of(symbol: str, names: Sequence[str]) -> bool:
    """Whether a symbol, mangled as C++ or not, is that of a function with one of these names and no arguments."""
    mangled = [end for name in names for end in (f"_Z{len(name)}{name}v", f"{len(name)}{name}Ev")]
    return symbol in START_UP or symbol in names or symbol.endswith(tuple(mangled))


def unwanted(data: bytes, allowed: Sequence[str]) -> list[str]:
    """Code that runs when the library is loaded and may not: names, or addresses if the file is stripped."""
    library = Library(data)
    names = library.functions()
    addresses = library.initialisers()
    if not names and len(addresses) <= len(allowed) + len(START_UP):
        return []
    found = [names.get(address, f"a function at {address:#x}") for address in addresses]
    return [name for name in found if not is_one_of(name, allowed)]


def main(words: Sequence[str]) -> int:
    path, allowed = Path(words[0]), words[1:]
    try:
        found = unwanted(path.read_bytes(), allowed)
    except (ValueError, struct.error) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    for name in found:
        print(f"{path}: {name} runs when it is loaded: initialise what it sets up at compile time", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
