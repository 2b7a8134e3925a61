"""The ranks' use of files, per file and rank, from the totals that every trace keeps beside its events."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields

from leadline.figures.run import Run

# The share of transfers, not counting each descriptor's first, that determines the kind of access.
MOSTLY = 0.9
OTHER_FILES = "(other files)"  # that did not fit into the traces' tables
NAMELESS = " (deleted)"  # what the system appends to the name of a file that had none when it was opened


@dataclass(frozen=True)
class FileCounts:
    """Calls, bytes and seconds. sequential, strided, random: numbers of transfers, classified by where they begin;
    the first one is in none of the three."""

    opens: int = 0
    closes: int = 0
    reads: int = 0
    writes: int = 0
    others: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    time_s: float = 0.0
    sequential: int = 0
    strided: int = 0
    random: int = 0

    @property
    def calls(self) -> int:
        return self.opens + self.closes + self.reads + self.writes + self.others

    @property
    def access(self) -> str:
        """ "sequential", "strided", "random", "mixed", or "none" if nothing was moved or offsets are unknown."""
        placed = self.sequential + self.strided + self.random
        if placed == 0:  # each descriptor's first transfer only
            return "sequential" if self.bytes_read + self.bytes_written > 0 else "none"
        for name in ("sequential", "strided", "random"):
            if getattr(self, name) >= MOSTLY * placed:
                return name
        return "mixed"

    def __add__(self, other: FileCounts) -> FileCounts:
        return FileCounts(*map(operator.add, _numbers(self), _numbers(other)))


_numbers = operator.attrgetter(*(each.name for each in fields(FileCounts)))
NOTHING = FileCounts()


@dataclass(frozen=True)
class FileOnRank:
    """One rank's use of a file.

    process: as Run numbers them.   program: calls of libc by the program.   outside: those of them before MPI_Init,
    after MPI_Finalize or in threads that do not call MPI.   inside: the others.   mpi: MPI_File_*.   beneath: calls of
    libc that the MPI library made for MPI_File_*.
    fraction_read: distinct bytes read, as a part of the file's size; None if unknown.
    """

    process: int
    rank: str
    program: FileCounts
    inside: FileCounts
    outside: FileCounts
    mpi: FileCounts
    beneath: FileCounts
    fraction_read: float | None
    offsets_known: bool  # of MPI_File_*

    @functools.cached_property
    def own(self) -> FileCounts:
        """The program's calls of either kind."""
        return self.program + self.mpi

    @property
    def within(self) -> FileCounts:
        """Those that are part of the rank's time."""
        return self.inside + self.mpi

    @property
    def access(self) -> str:
        return self.own.access if self.offsets_known or self.program.calls else "none"


@dataclass
class FileEntry:
    """A file, or several that did not fit into the traces' tables (file ""). size_bytes: largest seen."""

    file: str
    size_bytes: int | None
    opened_by_mpi: bool
    mapped: bool
    has_view: bool
    ranks: list[FileOnRank] = field(default_factory=list)

    @functools.cached_property
    def own(self) -> FileCounts:
        return total(rank.own for rank in self.ranks)

    @functools.cached_property
    def within(self) -> FileCounts:
        return total(rank.within for rank in self.ranks)

    @functools.cached_property
    def mpi(self) -> FileCounts:
        return total(rank.mpi for rank in self.ranks)

    @functools.cached_property
    def beneath(self) -> FileCounts:
        return total(rank.beneath for rank in self.ranks)

    @property
    def access(self) -> str:
        known = any(rank.offsets_known or rank.program.calls for rank in self.ranks)
        return self.own.access if known else "none"


@dataclass
class FileFamily:
    """Files whose names differ in numbers only, most time first."""

    files: list[FileEntry]

    @functools.cached_property
    def inside(self) -> FileCounts:
        """libc's calls that are part of the ranks' time."""
        return total(rank.inside for file in self.files for rank in file.ranks)

    @functools.cached_property
    def within(self) -> FileCounts:
        return total(file.within for file in self.files)

    @property
    def ranks(self) -> int:
        return len({rank.process for file in self.files for rank in file.ranks})


def total(counts: Iterable[FileCounts]) -> FileCounts:
    return functools.reduce(FileCounts.__add__, counts, NOTHING)


class FileIO:
    """The files of a run, most time first."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.recorded = any(process.files_recorded for process in run.processes)
        self.files = _files(run)

    @functools.cached_property
    def own(self) -> FileCounts:
        return total(file.own for file in self.files)

    @functools.cached_property
    def families(self) -> list[FileFamily]:
        found: dict[str, list[FileEntry]] = {}
        for file in self.files:
            found.setdefault(re.sub("[0-9]+", "#", file.file), []).append(file)
        return [FileFamily(files) for files in found.values()]

    @functools.cached_property
    def outside(self) -> FileCounts:
        return total(rank.outside for file in self.files for rank in file.ranks)

    @functools.cached_property
    def by_rank(self) -> dict[str, tuple[FileCounts, int]]:
        """Counts and number of files of each rank, in display order."""
        own: dict[str, FileCounts] = {self.run.label(index): NOTHING for index in self.run.order}
        files = dict.fromkeys(own, 0)
        for file in self.files:
            for rank in file.ranks:
                own[rank.rank] += rank.own
                files[rank.rank] += 1
        return {label: (own[label], files[label]) for label in own}

    @property
    def mpi_files(self) -> list[FileEntry]:
        return [file for file in self.files if file.opened_by_mpi]


def _files(run: Run) -> list[FileEntry]:
    entries: dict[tuple[str, int | None], FileEntry] = {}
    pending: list[tuple[FileEntry, int, list[FileCounts], int, bool, bool]] = []
    for index in run.order:
        for name, by_mpi, mapped, view, unknown, size, layers, read, _ in run.processes[index].files():
            counts = [FileCounts(*layer[:7], layer[7] * 1e-9, *layer[8:]) for layer in layers]
            if not any(layer.calls for layer in counts):
                continue
            # A file without a name has its inode's number, which is free for another rank's file once it is gone.
            own = index if name.endswith(NAMELESS) else None
            entry = entries.setdefault((name, own), FileEntry(name, None, False, False, False))
            entry.opened_by_mpi |= by_mpi
            entry.mapped |= mapped
            entry.has_view |= view
            if size >= 0:
                entry.size_bytes = max(entry.size_bytes or 0, size)
            pending.append((entry, index, counts, read, mapped, unknown))
    for entry, index, (within, outside, mpi, beneath), read, mapped, unknown in pending:
        read_bytes = within.bytes_read + outside.bytes_read + mpi.bytes_read
        fraction = None
        if entry.size_bytes and read >= 0 and not mapped and not (unknown and mpi.bytes_read) and entry.file:
            fraction = min(read / entry.size_bytes, 1.0) if read_bytes else 0.0
        placed = mpi.sequential + mpi.strided + mpi.random
        known = not mpi.calls or (placed > 0 or mpi.reads + mpi.writes <= 1)
        program = within + outside
        label = run.label(index)
        entry.ranks.append(FileOnRank(index, label, program, within, outside, mpi, beneath, fraction, known))
    return sorted(entries.values(), key=lambda file: (-file.own.time_s, file.file))
