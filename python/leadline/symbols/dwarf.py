"""Debug information: which routines (inlined ones too), files and lines an address belongs to.

Only what is asked for is parsed: compilation units are found by .debug_aranges or their own ranges, and of a unit
only the routines and, on demand, the one routine's inlined calls and the unit's line table.
"""

from __future__ import annotations

import bisect
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.ranges import BaseAddressEntry

from leadline.symbols import lines, names
from leadline.symbols.scopes import Scopes

# Children of these may define routines; all else is skipped whole.
_SCOPES = {"DW_TAG_namespace", "DW_TAG_module"}
_BLOCKS = {"DW_TAG_lexical_block", "DW_TAG_try_block", "DW_TAG_catch_block"}
_LINKAGE = ("DW_AT_linkage_name", "DW_AT_MIPS_linkage_name")
_UNITS = {"DW_TAG_compile_unit", "DW_TAG_partial_unit"}
_CLASSES = {"DW_TAG_class_type", "DW_TAG_structure_type", "DW_TAG_union_type"}
_FORTRAN = {0x7, 0x8, 0xE, 0x22, 0x23, 0x2D}  # DW_LANG_Fortran77 .. Fortran18
_LONGEST_ORIGIN_CHAIN = 8


@dataclass(frozen=True)
class SourceFrame:
    """A logical frame: a routine, or a routine that was inlined, with the line execution was at."""

    routine: str
    full: str
    file: str
    line: int
    exact: bool = True  # see symbols.Location
    apart: int = -1


@dataclass(frozen=True)
class _Head:
    """The beginning of a Fortran routine: gfortran gives some of its calls that line, or line 1 of a program."""

    file: str
    line: int

    def bears(self, file: str, line: int) -> bool:
        return line <= self.line and (not self.file or file == self.file)


@dataclass
class _Unit:
    cu: Any
    routines: list[tuple[int, int, Any]] | None = None  # (low, high, DIE), ascending
    inlined_everywhere: list[Any] = field(default_factory=list)  # routines without code of their own, and declarations
    has_regions: bool = False  # parallel regions, which are routines within routines, are among them
    line_addresses: list[int] | None = None
    line_rows: list[tuple[int, int]] = field(default_factory=list)  # (file index, line), (0, 0) after a sequence
    line_begins: list[bool] = field(default_factory=list)  # whether a statement begins there
    files: list[str] = field(default_factory=list)


class DebugInformation:
    """The debug information of one file."""

    def __init__(self, dwarf: DWARFInfo) -> None:
        self.dwarf_ = dwarf
        self.units_: dict[int, _Unit] = {}
        self.names_: dict[tuple[int, str], tuple[str, str]] = {}
        self.fortran_: dict[int, bool] = {}
        self.ranges_: list[tuple[int, int, int]] = []  # (low, high, unit offset), ascending
        self._index()

    def find(
        self, address: int, symbol: str, scopes: Scopes | None = None, *, statement: bool = False
    ) -> list[SourceFrame]:
        """Logical frames at an address, innermost first; empty if neither routine nor line is known.

        symbol: the linker's for the routine there, "" if none; it gives the full name if the compiler left it out.
        scopes: those of the module, for names that only the symbol gives.   statement: the line of the statement that
        began last, not that of the instruction, which may set a variable of another one.
        """
        unit = self._unit_at(address)
        if unit is None:
            return []
        routine = self._routine_at(unit, address, symbol)
        if routine is None:
            row = self._row_at(unit, address)
            file, line = self._place(unit, row)
            if not symbol or line <= 0:
                return []
            return [SourceFrame(*names.readable(symbol, scopes), file, line)]
        chain = [routine, *self._inlined(routine, address)]
        file, line, exact = self._line_at(unit, address, chain[-1], statement=statement)
        apart = -1 if exact else address
        frames = []
        for level in range(len(chain) - 1, -1, -1):
            die = chain[level]
            short, full = self._name(die, symbol if die is routine else "", scopes)
            frames.append(SourceFrame(short, full, file, line, exact, apart))
            if level > 0:
                file = self._file(unit, _number(die, "DW_AT_call_file"))
                line = _number(die, "DW_AT_call_line")
                head = self._head(unit, chain[level - 1])
                exact = line > 0 and not (head is not None and head.bears(file, line))
                apart = -1
                if not exact:
                    file, line = self._line_after(unit, die, chain[level - 1], file)
                    apart = die.offset
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

    def _routine_at(self, unit: _Unit, address: int, symbol: str) -> Any | None:
        if unit.routines is None:
            self._read_routines(unit, regions=False)
        found = _covering(unit.routines or [], address)
        if found is None and not unit.has_regions and names.is_outlined(symbol):
            found = self._region_at(unit, address, names.without_outlining(symbol))
            if found is None:
                self._read_routines(unit, regions=True)
                found = _covering(unit.routines or [], address)
        return found

    def _region_at(self, unit: _Unit, address: int, host: str) -> Any | None:
        """A parallel region is a routine within the one it belongs to. host: that one's linker name."""
        wanted = {host, names.written(host)}
        for routine in [*(die for _, _, die in unit.routines or []), *unit.inlined_everywhere]:
            origins = list(_origins(routine))
            if wanted.isdisjoint(_own_name(die, "DW_AT_name").partition("<")[0] for die in origins):
                continue
            pending = origins
            while pending:
                for die in pending.pop().iter_children():
                    if die.tag in _BLOCKS:
                        pending.append(die)
                    elif die.tag == "DW_TAG_subprogram" and _covers(self._ranges(die), address):
                        return die
        return None

    def _read_routines(self, unit: _Unit, *, regions: bool) -> None:
        top = unit.cu.get_top_DIE()
        nested = regions or self._is_fortran(unit.cu)  # procedures a Fortran procedure contains
        found: list[tuple[int, int, Any]] = []
        unit.inlined_everywhere = []
        pending = [top]
        while pending:
            for die in pending.pop().iter_children():
                if die.tag in _SCOPES or (regions and die.tag in _BLOCKS):
                    pending.append(die)
                elif die.tag == "DW_TAG_subprogram":
                    ranges = self._ranges(die)
                    found += [(low, high, die) for low, high in ranges]
                    if not ranges and die.has_children:
                        unit.inlined_everywhere.append(die)
                    if nested and die.has_children:
                        pending.append(die)
        found.sort(key=lambda routine: routine[0])
        unit.routines = found
        unit.has_regions = regions

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

    def _name(self, die: Any, symbol: str, scopes: Scopes | None) -> tuple[str, str]:
        """(short, full). symbol: the linker's; "" if it is not that of the routine itself."""
        key = (die.offset, symbol)
        if die.tag == "DW_TAG_inlined_subroutine" and "DW_AT_abstract_origin" in die.attributes:
            die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
            key = (die.offset, "")
        if key not in self.names_:
            self.names_[key] = self._read_name(die, symbol, scopes)
        return self.names_[key]

    def _read_name(self, die: Any, symbol: str, scopes: Scopes | None) -> tuple[str, str]:
        origins = list(_origins(die))
        name = next(filter(None, (_own_name(each, "DW_AT_name") for each in origins)), "")
        linkage = next(filter(None, (_own_name(each, key) for each in origins for key in _LINKAGE)), "")
        if not name and not linkage:
            return names.readable(symbol, scopes) if symbol else ("?", "?")
        own = origins[-1]
        host = _host(own) if names.is_outlined(name or symbol) or self._is_fortran(own.cu) else None
        if host is not None and names.is_outlined(name or symbol):
            return names.outlined(*self._name(host, names.without_outlining(symbol), scopes))
        mangled = linkage or (symbol if symbol.startswith("_Z") else "")
        is_member = _is_member(origins, mangled)
        short, full = names.from_debug_information(name or linkage, mangled or None, is_member, scopes)
        if host is not None and not linkage and "DW_AT_main_subprogram" not in host.attributes:
            full = f"{self._name(host, '', scopes)[1]}::{full}"
        return short, full

    def _is_fortran(self, cu: Any) -> bool:
        if cu.cu_offset not in self.fortran_:
            language = cu.get_top_DIE().attributes.get("DW_AT_language")
            self.fortran_[cu.cu_offset] = language is not None and language.value in _FORTRAN
        return self.fortran_[cu.cu_offset]

    def _head(self, unit: _Unit, die: Any) -> _Head | None:
        """The beginning of a Fortran routine; None for other languages, whose lines may come before it (default
        arguments, initialisers)."""
        for current in _origins(die):
            if "DW_AT_decl_line" in current.attributes:
                if not self._is_fortran(current.cu):
                    return None
                own = current.cu.cu_offset == unit.cu.cu_offset
                file = self._file(unit, _number(current, "DW_AT_decl_file")) if own else ""
                return _Head(file, _number(current, "DW_AT_decl_line"))
        return None

    def _line_at(self, unit: _Unit, address: int, scope: Any, *, statement: bool) -> tuple[str, int, bool]:
        """(file, line, whether the compiler gave the address that line) within the routine or inlined call `scope`.

        Line 0 is code without a line, for instance where two calls were merged: the last real line before it is the
        best guess. For calls that gfortran puts on their routine's first line, which come before it, the next line is.
        """
        at = self._row_at(unit, address)
        low, high = next(((b, e) for b, e in self._ranges(scope) if b <= address < e), (address, address))
        assert unit.line_addresses is not None
        if statement:
            begin = bisect.bisect_left(unit.line_addresses, low)
            at = next((row for row in range(at, begin - 1, -1) if unit.line_begins[row]), at)
        head = self._head(unit, scope)

        def is_real(row: int) -> bool:
            file, line = self._place(unit, row)
            return line > 0 and not (head is not None and head.bears(file, line))

        if is_real(at):
            return (*self._place(unit, at), True)
        begin = bisect.bisect_left(unit.line_addresses, low)
        end = bisect.bisect_left(unit.line_addresses, high)
        before, after = range(at - 1, begin - 1, -1), range(at + 1, end)
        first, second = (after, before) if self._place(unit, at)[1] > 0 else (before, after)
        for rows in (first, second):
            for row in rows:
                if unit.line_rows[row][0] == -1:  # another sequence
                    break
                if is_real(row):
                    return (*self._place(unit, row), False)
        file, line = self._place(unit, at)
        if head is not None and line == head.line:  # the whole routine is on one line
            return file, line, True
        return file, 0, not file

    def _line_after(self, unit: _Unit, inlined: Any, scope: Any, file: str) -> tuple[str, int]:
        """The nearest line of `scope` after a call in it that was inlined; `file` and 0 if there is none."""
        assert unit.line_addresses is not None
        head = self._head(unit, scope)
        others = [bounds for die in _calls_inlined(scope) for bounds in self._ranges(die)]
        end = max((high for _, high in self._ranges(inlined)), default=0)
        limit = next((high for low, high in self._ranges(scope) if low < end <= high), 0)
        for row in range(bisect.bisect_left(unit.line_addresses, end), len(unit.line_addresses)):
            address = unit.line_addresses[row]
            if address >= limit or unit.line_rows[row][0] == -1:
                break
            found, line = self._place(unit, row)
            real = line > 0 and not (head is not None and head.bears(found, line))
            if real and not _covers(others, address):
                return found, line
        return file, 0

    def _row_at(self, unit: _Unit, address: int) -> int:
        """The row of the unit's line table that covers an address; -1 if none does."""
        if unit.line_addresses is None:
            self._read_lines(unit)
        assert unit.line_addresses is not None
        return bisect.bisect_right(unit.line_addresses, address) - 1

    def _place(self, unit: _Unit, row: int) -> tuple[str, int]:
        if row < 0:
            return "", 0
        file, line = unit.line_rows[row]
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
        unit.line_begins = [row[4] for row in rows]

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


def _calls_inlined(scope: Any) -> Iterator[Any]:
    """The calls inlined into a routine, not those within them."""
    pending = [scope]
    while pending:
        for die in pending.pop().iter_children():
            if die.tag == "DW_TAG_inlined_subroutine":
                yield die
            elif die.tag in _BLOCKS:
                pending.append(die)


def _covering(routines: list[tuple[int, int, Any]], address: int) -> Any | None:
    index = bisect.bisect_right(routines, address, key=lambda routine: routine[0]) - 1
    for candidate in range(index, max(index - 8, -1), -1):
        low, high, die = routines[candidate]
        if low <= address < high:
            return die
    return None


def _origins(die: Any) -> Iterator[Any]:
    """The DIE, and those it takes its attributes from: of an inlined call its routine, of a member its declaration."""
    for _ in range(_LONGEST_ORIGIN_CHAIN):
        yield die
        link = next((key for key in ("DW_AT_abstract_origin", "DW_AT_specification") if key in die.attributes), None)
        if link is None:
            return
        die = die.get_DIE_from_attribute(link)


def _host(die: Any) -> Any | None:
    """The routine that a routine is within."""
    parent = die.get_parent()
    return parent if parent is not None and parent.tag == "DW_TAG_subprogram" else None


def _is_member(origins: Sequence[Any], mangled: str) -> bool | None:
    """Whether a C++ routine belongs to a class, including static ones; None if its scopes are left out (-g1)."""
    if any("DW_AT_object_pointer" in die.attributes for die in origins):
        return True
    if not mangled.startswith("_ZN") or mangled.startswith(("_ZNSt", "_ZNKSt")):
        return False  # those of the standard library are shown as what called them
    parent = origins[-1].get_parent()
    if parent is None or parent.tag in _UNITS:
        return None
    return parent.tag in _CLASSES


def _own_name(die: Any, key: str) -> str:
    attribute = die.attributes.get(key)
    return _text(attribute.value) if attribute is not None else ""


def _covers(ranges: list[tuple[int, int]], address: int) -> bool:
    return any(low <= address < high for low, high in ranges)


def _number(die: Any, attribute: str) -> int:
    value = die.attributes.get(attribute)
    return int(value.value) if value is not None else 0


def _text(value: bytes | str) -> str:
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
