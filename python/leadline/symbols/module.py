"""One binary of a recorded run: its routines and lines by address, or why they are unknown.

The binary may have been damaged, and pyelftools believes what it reads: it fails in as many ways as Python has
exceptions, MemoryError included. Whatever it raises means that the binary cannot be read.
"""

from __future__ import annotations

import os
from pathlib import Path

from leadline.symbols import elf as elf_files
from leadline.symbols import names
from leadline.symbols.dwarf import DebugInformation
from leadline.symbols.location import STATEMENT, Location, ModuleProblem
from leadline.symbols.scopes import Scopes

BINARIES = "LEADLINE_BINARIES"  # folders, for binaries that are not where they were when the run was recorded


class Module:
    def __init__(self, path: str, build_id: str, recorded_at_ns: int) -> None:
        self.path = path
        self.problem: ModuleProblem | None = None
        self.debug_: DebugInformation | None = None
        self.symbols_: elf_files.SymbolTable | None = None
        self.known_: dict[int, tuple[Location, ...]] = {}
        try:
            self._open(Path(path.removesuffix(" (deleted)")), build_id, recorded_at_ns)
        except OSError as error:
            self._fail("binary-missing", f"cannot open {path} ({error.strerror})")
        except Exception as error:
            why = str(error) or type(error).__name__
            self._fail("binary-unreadable", f"cannot parse {path} as ELF ({why})")

    def _fail(self, code: str, what: str) -> None:
        self.problem = ModuleProblem(self.path, code, f"{what}: routines are shown as module+offset")

    def _open(self, path: Path, recorded: str, recorded_at_ns: int) -> None:
        path = _moved(path)
        elf = elf_files.open_elf(path)
        present = elf_files.build_id(elf)
        if recorded and present != recorded:
            self._fail(
                "binary-changed",
                f"{path} changed since the recording (build id {recorded[:12]}… is now "
                f"{present[:12] + '…' if present else 'absent'})",
            )
            return
        if not recorded and recorded_at_ns and path.stat().st_mtime_ns > recorded_at_ns:
            self._fail("binary-changed", f"{path} is newer than the recording and has no build id")
            return
        holder = elf
        if not elf_files.has_debug_information(elf):
            separate = elf_files.debug_file(elf, path, present)
            if separate is not None:
                holder = elf_files.open_elf(separate)
        symbols = elf_files.SymbolTable(elf)
        if holder is not elf:
            more = elf_files.SymbolTable(holder)
            symbols = more if len(more.addresses_) > len(symbols.addresses_) else symbols
        self.symbols_ = symbols
        if elf_files.has_debug_information(holder):
            try:
                self.debug_ = DebugInformation(holder.get_dwarf_info(follow_links=False))
            except Exception:
                self.debug_ = None  # compressed or split in a way we cannot read: symbols still serve

    def resolve(self, offset: int) -> tuple[Location, ...]:
        if offset not in self.known_:
            self.known_[offset] = self._look_up(offset)
        return self.known_[offset]

    @property
    def _scopes(self) -> Scopes | None:
        return self.symbols_.scopes if self.symbols_ is not None else None

    def _look_up(self, offset: int) -> tuple[Location, ...]:
        statement = bool(offset & STATEMENT)
        address = (offset & ~STATEMENT) - 1  # inside the call, not after it
        found = self.symbols_.find(address) if self.symbols_ is not None else None
        if self.debug_ is not None:
            try:
                frames = self.debug_.find(
                    address, found[0] if found is not None else "", self._scopes, statement=statement
                )
            except Exception:
                frames = []
            if frames:
                return tuple(
                    Location(f.routine, f.full, self.path, f.file, f.line, exact=f.exact, apart=f.apart) for f in frames
                )
        if found is not None:
            short, full = names.readable(found[0], self._scopes)
            return (Location(short, full, self.path, symbol_offset=found[1]),)
        name = f"{os.path.basename(self.path) or '?'}+{offset & ~STATEMENT:#x}"
        return (Location(name, name, self.path, resolved=False),)


def _moved(path: Path) -> Path:
    """Where it is: of a run on another machine, in a folder of this one. Its build id is compared in any case."""
    if path.exists():
        return path
    folders = [folder for folder in os.environ.get(BINARIES, "").split(os.pathsep) if folder]
    return next((found for folder in folders if (found := Path(folder) / path.name).is_file()), path)
