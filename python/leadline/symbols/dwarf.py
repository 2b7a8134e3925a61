"""Debug information: which routines (inlined ones too), files and lines an address belongs to.

Only what is asked for is parsed: compilation units are found by .debug_aranges or their own ranges, and of a unit
only the routines and, on demand, the one routine's inlined calls and the unit's line table.
"""

from __future__ import annotations

import bisect
import posixpath
from dataclasses import dataclass, field
from typing import Any

from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.ranges import BaseAddressEntry

from leadline.symbols import lines, names

# Children of these may define routines; all else is skipped whole.
_SCOPES = {"DW_TAG_namespace", "DW_TAG_module"}
_BLOCKS = {"DW_TAG_lexical_block", "DW_TAG_try_block", "DW_TAG_catch_block"}
_FORTRAN = {0x7, 0x8, 0xE, 0x22, 0x23, 0x2D}  # DW_LANG_Fortran77 .. Fortran18
_LONGEST_ORIGIN_CHAIN = 8


@dataclass(frozen=True)
class SourceFrame:
    """A logical frame: a routine, or a routine that was inlined, with the line execution was at."""

    routine: str
    full: str
    file: str
    line: int


@dataclass
class _Unit:
    cu: Any
    routines: list[tuple[int, int, Any]] | None = None  # (low, high, DIE), ascending
    line_addresses: list[int] | None = None
    line_rows: list[tuple[int, int]] = field(default_factory=list)  # (file index, line), (0, 0) after a sequence
    files: list[str] = field(default_factory=list)


class DebugInformation:
    """The debug information of one file."""

    def __init__(self, dwarf: DWARFInfo) -> None:
        self.dwarf_ = dwarf
        self.units_: dict[int, _Unit] = {}
        self.ranges_: list[tuple[int, int, int]] = []  # (low, high, unit offset), ascending
        self._index()

    def find(self, address: int, symbol: str) -> list[SourceFrame]:
        """Logical frames at an address, innermost first; empty where no routine covers it.

        symbol: of the linker for the routine there, "" if none: tells the full name where the compiler left it out.
        """
        unit = self._unit_at(address)
        if unit is None:
            return []
        routine = self._routine_at(unit, address)
        file, line = self._line_at(unit, address)
        if routine is None:
            return []
        chain = [routine, *self._inlined(routine, address)]
        frames = []
        for die in reversed(chain):
            short, full = self._name(die, symbol if die is routine and symbol.startswith("_Z") else None)
            frames.append(SourceFrame(short, full, file, line))
            if die.tag == "DW_TAG_inlined_subroutine":
                file = self._file(unit, _number(die, "DW_AT_call_file"))
                line = _number(die, "DW_AT_call_line")
        return frames

    def _index(self) -> None:
        known: set[int] = set()
        aranges = self.dwarf_.get_aranges()
        if aranges is not None:
            for entry in aranges.entries:
                known.add(entry.info_offset)
                self.ranges_.append((entry.begin_addr, entry.begin_addr + entry.length, entry.info_offset))
        for cu in self.dwarf_.iter_CUs():
            if cu.cu_offset in known or cu.header.get("unit_type", "DW_UT_compile") not in (
                "DW_UT_compile",
                "DW_UT_skeleton",
            ):
                continue
            for low, high in self._ranges(cu.get_top_DIE()):
                self.ranges_.append((low, high, cu.cu_offset))
        self.ranges_.sort()

    def _unit_at(self, address: int) -> _Unit | None:
        index = bisect.bisect_right(self.ranges_, (address, 1 << 64, 0)) - 1
        # Ranges of units do not overlap in a linked file, but discarded sections leave strays near 0.
        for candidate in range(index, max(index - 4, -1), -1):
            low, high, offset = self.ranges_[candidate]
            if low <= address < high:
                if offset not in self.units_:
                    self.units_[offset] = _Unit(self.dwarf_.get_CU_at(offset))
                return self.units_[offset]
        return None

    def _ranges(self, die: Any) -> list[tuple[int, int]]:
        """The address ranges of a unit, routine, block or inlined call."""
        attributes = die.attributes
        if "DW_AT_ranges" in attributes:
            return self._range_list(die)
        if "DW_AT_low_pc" not in attributes or "DW_AT_high_pc" not in attributes:
            return []
        low = attributes["DW_AT_low_pc"].value
        high = attributes["DW_AT_high_pc"]
        if high.form not in ("DW_FORM_addr", "DW_FORM_addrx") and not high.form.startswith("DW_FORM_addrx"):
            return [(low, low + high.value)]
        return [(low, high.value)]

    def _range_list(self, die: Any) -> list[tuple[int, int]]:
        cu = die.cu
        lists = self.dwarf_.range_lists()
        if lists is None:
            return []
        entries = lists.get_range_list_at_offset(die.attributes["DW_AT_ranges"].value, cu=cu)
        top = cu.get_top_DIE()
        base = top.attributes["DW_AT_low_pc"].value if "DW_AT_low_pc" in top.attributes else 0
        found = []
        for entry in entries:
            if isinstance(entry, BaseAddressEntry):
                base = entry.base_address
            elif entry.is_absolute:
                found.append((entry.begin_offset, entry.end_offset))
            else:
                found.append((base + entry.begin_offset, base + entry.end_offset))
        return found

    def _routine_at(self, unit: _Unit, address: int) -> Any | None:
        if unit.routines is None:
            unit.routines = self._routines(unit.cu)
        index = bisect.bisect_right(unit.routines, address, key=lambda routine: routine[0]) - 1
        for candidate in range(index, max(index - 8, -1), -1):
            low, high, die = unit.routines[candidate]
            if low <= address < high:
                return die
        return None

    def _routines(self, cu: Any) -> list[tuple[int, int, Any]]:
        top = cu.get_top_DIE()
        language = top.attributes.get("DW_AT_language")
        nested = language is not None and language.value in _FORTRAN
        found: list[tuple[int, int, Any]] = []
        pending = [top]
        while pending:
            for die in pending.pop().iter_children():
                if die.tag in _SCOPES:
                    pending.append(die)
                elif die.tag == "DW_TAG_subprogram":
                    found += [(low, high, die) for low, high in self._ranges(die)]
                    if nested and die.has_children:  # procedures a Fortran procedure contains
                        pending.append(die)
        found.sort(key=lambda routine: routine[0])
        return found

    def _inlined(self, routine: Any, address: int) -> list[Any]:
        """Inlined calls around the address, outermost first."""
        chain: list[Any] = []
        scope = routine
        while scope is not None:
            inner = None
            pending = [scope]
            while pending and inner is None:
                for die in pending.pop().iter_children():
                    if die.tag not in _BLOCKS and die.tag != "DW_TAG_inlined_subroutine":
                        continue
                    ranges = self._ranges(die)
                    covers = any(low <= address < high for low, high in ranges)
                    if die.tag == "DW_TAG_inlined_subroutine" and covers:
                        inner = die
                        break
                    # A block without a range of its own may still hold calls.
                    if die.tag in _BLOCKS and (covers or not ranges):
                        pending.append(die)
            if inner is not None:
                chain.append(inner)
            scope = inner
        return chain

    def _name(self, die: Any, symbol: str | None) -> tuple[str, str]:
        name: str | None = None
        linkage: str | None = None
        is_member = False
        current = die
        for _ in range(_LONGEST_ORIGIN_CHAIN):
            attributes = current.attributes
            if name is None and "DW_AT_name" in attributes:
                name = _text(attributes["DW_AT_name"].value)
            for key in ("DW_AT_linkage_name", "DW_AT_MIPS_linkage_name"):
                if linkage is None and key in attributes:
                    linkage = _text(attributes[key].value)
            is_member = is_member or "DW_AT_object_pointer" in attributes
            link = next((key for key in ("DW_AT_abstract_origin", "DW_AT_specification") if key in attributes), None)
            if link is None:
                break
            current = current.get_DIE_from_attribute(link)
        if name is None and linkage is None:
            return "?", "?"
        return names.from_debug_information(name or linkage or "?", linkage or symbol, is_member)

    def _line_at(self, unit: _Unit, address: int) -> tuple[str, int]:
        if unit.line_addresses is None:
            self._read_lines(unit)
        assert unit.line_addresses is not None
        index = bisect.bisect_right(unit.line_addresses, address) - 1
        if index < 0:
            return "", 0
        file, line = unit.line_rows[index]
        # Line 0 is code the compiler attributes to no line: the last real one before it is the nearest truth.
        while line == 0 and index > 0 and unit.line_rows[index][0] != -1:
            index -= 1
            file, line = unit.line_rows[index]
        return self._file(unit, file), line

    def _read_lines(self, unit: _Unit) -> None:
        rows: list[lines.Row] = []
        program = self.dwarf_.line_program_for_CU(unit.cu)
        if program is not None:
            rows = lines.decode(program, little_endian=self.dwarf_.config.little_endian)
            unit.files = _file_names(unit.cu, program)
        rows.sort()  # where a sequence ends and another begins, the row of the new one comes last
        unit.line_addresses = [row[0] for row in rows]
        unit.line_rows = [(row[2], row[3]) for row in rows]

    def _file(self, unit: _Unit, index: int) -> str:
        if unit.line_addresses is None:
            self._read_lines(unit)
        return unit.files[index] if 0 <= index < len(unit.files) else ""


def _file_names(cu: Any, program: Any) -> list[str]:
    """Path of every file of a line table, by the index the table's rows use."""
    header = program.header
    top = cu.get_top_DIE().attributes
    comp_dir = _text(top["DW_AT_comp_dir"].value) if "DW_AT_comp_dir" in top else ""
    if header["version"] >= 5:
        directories = [_text(directory) for directory in header["include_directory"]]
        entries = list(header["file_entry"])
        files: list[str] = []
    else:
        directories = [comp_dir, *(_text(directory) for directory in header["include_directory"])]
        entries = list(header["file_entry"])
        files = [_text(top["DW_AT_name"].value) if "DW_AT_name" in top else ""]
    for entry in entries:
        index = entry["dir_index"]
        directory = directories[index] if 0 <= index < len(directories) else ""
        files.append(posixpath.normpath(posixpath.join(comp_dir, directory, _text(entry["name"]))))
    return files


def _number(die: Any, attribute: str) -> int:
    value = die.attributes.get(attribute)
    return int(value.value) if value is not None else 0


def _text(value: bytes | str) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
