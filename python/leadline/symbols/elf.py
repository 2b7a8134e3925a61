"""ELF files of a run's modules: build id, symbols, and where their debug information is."""

from __future__ import annotations

import bisect
import io
import itertools
import lzma
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from leadline.own_files import open_regular
from leadline.symbols.scopes import Scopes

DEBUG_DIRECTORY = Path("/usr/lib/debug")
MOST_UNPACKED = 1032  # times the packed size: the most that zlib can reach
_MOST_SYMBOLS_BYTES = 1 << 30
_LEAST_ENTRY = 32  # bytes of a header of a segment in a 32-bit file, the smallest
_FUNCTION_TYPES = (2, 10)  # STT_FUNC, STT_GNU_IFUNC


class NotElf(Exception):
    """The file is no ELF file, or so damaged that nothing can be read from it."""


def open_elf(path: Path) -> ELFFile:
    """Opens an ELF file. Raises OSError if it cannot be read, NotElf if it is not an ELF file."""
    stream = open_regular(path)
    try:
        found = ELFFile(stream)
        _check_tables(found, os.fstat(stream.fileno()).st_size)
    except Exception as error:  # see symbols.module
        stream.close()
        raise NotElf(str(error)) from error
    return found


def _check_tables(elf: ELFFile, file_size: int) -> None:
    """Raises NotElf if the tables of sections and segments, or a section, reach beyond the file.

    pyelftools would walk billions of headers, or allocate whatever size a header claims.
    """
    for offset, entry, number in (
        (elf["e_shoff"], elf["e_shentsize"], elf.num_sections()),
        (elf["e_phoff"], elf["e_phentsize"], elf.num_segments()),
    ):
        if number and (entry < _LEAST_ENTRY or offset + entry * number > file_size):
            raise NotElf("section or segment tables extend past the end of the file")
    for section in elf.iter_sections():
        if section["sh_type"] != "SHT_NOBITS" and section["sh_offset"] + section["sh_size"] > file_size:
            raise NotElf("a section extends past the end of the file")
        if section.compressed and section.data_size > MOST_UNPACKED * max(section["sh_size"], 1):
            raise NotElf("invalid compressed section")


def build_id(elf: ELFFile) -> str:
    """The build id in hexadecimal; "" if there is none."""
    section = elf.get_section_by_name(".note.gnu.build-id")
    notes = (segment for segment in elf.iter_segments() if segment["p_type"] == "PT_NOTE")
    holders: Iterator[Any] = itertools.chain([section] if section is not None else [], notes)
    for holder in holders:
        for note in holder.iter_notes():
            if note["n_type"] == "NT_GNU_BUILD_ID":
                return str(note["n_desc"])
    return ""


def has_debug_information(elf: ELFFile) -> bool:
    """Whether the file itself holds DWARF (an empty .debug_info is left by some strippers)."""
    section = elf.get_section_by_name(".debug_info") or elf.get_section_by_name(".zdebug_info")
    return section is not None and section["sh_type"] != "SHT_NOBITS" and section["sh_size"] > 0


def debug_file(elf: ELFFile, path: Path, wanted_build_id: str) -> Path | None:
    """The separate file with the module's debug information, found by build id or .gnu_debuglink; None if none."""
    if len(wanted_build_id) > 2:
        candidate = DEBUG_DIRECTORY / ".build-id" / wanted_build_id[:2] / f"{wanted_build_id[2:]}.debug"
        if candidate.is_file():
            return candidate
    section = elf.get_section_by_name(".gnu_debuglink")
    if section is None:
        return None
    data = section.data()
    name, _, _ = data.partition(b"\0")
    if not name or b"/" in name:
        return None
    (expected,) = struct.unpack("<I" if elf.little_endian else ">I", data[-4:])
    folder = path.resolve().parent
    for candidate in (
        folder / os.fsdecode(name),
        folder / ".debug" / os.fsdecode(name),
        DEBUG_DIRECTORY / folder.relative_to("/") / os.fsdecode(name),
    ):
        if candidate.is_file() and candidate != path.resolve() and _crc32(candidate) == expected:
            return candidate
    return None


def _crc32(path: Path) -> int:
    crc = 0
    with open_regular(path) as stream:
        while block := stream.read(1 << 20):
            crc = zlib.crc32(block, crc)
    return crc


class SymbolTable:
    """Functions by address, including local ones if the file was not stripped."""

    def __init__(self, elf: ELFFile) -> None:
        found: dict[int, tuple[int, str]] = {}
        self.elf_ = elf
        self.code_: list[tuple[int, int]] | None = None
        for table in _symbol_sections(elf):
            for value, size, name in table:
                # Among aliases, the longer extent wins, then the first: weak and versioned names come later.
                if value not in found or size > found[value][0]:
                    found[value] = (size, name)
        self.addresses_ = sorted(found)
        self.symbols_ = [found[address] for address in self.addresses_]
        self.scopes = Scopes(lambda: (name for _, name in self.symbols_))

    def find(self, address: int) -> tuple[str, int] | None:
        """(symbol, offset in it) of the function that covers the address; None if none does."""
        index = bisect.bisect_right(self.addresses_, address) - 1
        if index < 0:
            return None
        size, name = self.symbols_[index]
        offset = address - self.addresses_[index]
        if offset >= size > 0:
            return None
        # Hand-written assembly has no size: believed up to the next function, within a page of its section. What a
        # stripped file still exports is no such neighbour: what was between is gone.
        if size > 0:
            return name, offset
        return (name, offset) if offset < 4096 and address < self._end_of_section(self.addresses_[index]) else None

    def _end_of_section(self, address: int) -> int:
        """The end of the code section of an address; 0 if there is none, or if the file was stripped."""
        if self.code_ is None:
            self.code_ = [] if self.elf_.get_section_by_name(".symtab") is None else _code_sections(self.elf_)
        return next((end for begin, end in self.code_ if begin <= address < end), 0)


def _code_sections(elf: ELFFile) -> list[tuple[int, int]]:
    """(begin, end) of every section with code."""
    executable = 4  # SHF_EXECINSTR
    return [
        (section["sh_addr"], section["sh_addr"] + section["sh_size"])
        for section in elf.iter_sections()
        if section["sh_flags"] & executable
    ]


def _symbol_sections(elf: ELFFile) -> Iterator[Iterator[tuple[int, int, str]]]:
    for name in (".symtab", ".dynsym"):
        section = elf.get_section_by_name(name)
        if section is not None and section["sh_type"] != "SHT_NOBITS":
            yield _functions(elf, section)
    # "MiniDebugInfo": the symbol table some distributions leave in stripped files.
    section = elf.get_section_by_name(".gnu_debugdata")
    if section is not None:
        try:
            unpacked = lzma.LZMADecompressor().decompress(section.data(), _MOST_SYMBOLS_BYTES)
            inner = ELFFile(io.BytesIO(unpacked))
        except (lzma.LZMAError, ELFError):
            return
        table = inner.get_section_by_name(".symtab")
        if table is not None:
            yield _functions(inner, table)


def _functions(elf: ELFFile, section: Any) -> Iterator[tuple[int, int, str]]:
    """(address, size, name) of every function defined in a symbol table; raw, as tables may be large."""
    strings = elf.get_section(section["sh_link"]).data()
    order = "<" if elf.little_endian else ">"
    is_64 = elf.elfclass == 64
    layout = struct.Struct(order + ("IBBHQQ" if is_64 else "IIIBBH"))
    data = section.data()
    for fields in layout.iter_unpack(data[: len(data) - len(data) % layout.size]):
        if is_64:
            name_at, info, _, shndx, value, size = fields
        else:
            name_at, value, size, info, _, shndx = fields
        if info & 15 not in _FUNCTION_TYPES or shndx == 0 or value == 0:
            continue
        end = strings.find(b"\0", name_at)
        yield value, size, strings[name_at:end].decode(errors="backslashreplace")


def close(elf: ELFFile) -> None:
    """Closes the underlying file."""
    elf.stream.close()
