"""The file I/O part of the report as lines of text."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.files import OTHER_FILES, FileCounts, FileEntry
from leadline.text import format as fmt
from leadline.text.screen import Line

MOST_FILES = 12
ALL = 0.9995
_HEADER = f"{'msec':>9} {'#Call':>8} {'Read':>8} {'Written':>8} {'Ranks':>6}  {'Access':10}  File"


def summary(content: Content) -> str:
    """For example "12.3 ms (4.1 % of the ranks' time) in 4,021 calls: 1.20 GB read, 300 MB written; 5 files."."""
    io = content.files
    own = io.own
    share = f" ({fmt.percent(content.share(content.io_s))} of the {content.time_of}' time)" if content.base_s else ""
    return (
        f"{fmt.seconds(own.time_s)}{share} in {fmt.plural(own.calls, 'call')}: {fmt.size(own.bytes_read)} read, "
        f"{fmt.size(own.bytes_written)} written; {fmt.plural(len(io.files), 'file')}."
    )


def file_lines(content: Content, width: int, *, all_files: bool = False) -> list[Line]:
    """One line per file, most time first. Lines below it say which ranks read and write which part of it."""
    entries = content.files.files
    shown = entries if all_files else entries[:MOST_FILES]
    lines: list[Line] = [(_HEADER, "dim")]
    for entry in shown:
        lines.append(_numbers(entry.own, len(entry.ranks), entry.access, entry.file or OTHER_FILES, width))
        lines += [(line, "dim") for line in _notes(entry, len(content.run.processes))]
    rest = entries[len(shown) :]
    if rest:
        time_s = sum(entry.own.time_s for entry in rest)
        lines.append(f"and {fmt.plural(len(rest), 'more file')} ({fmt.seconds(time_s)}): --all")
    return lines


def _numbers(counts: FileCounts, ranks: int, access: str, name: str, width: int) -> str:
    msec = counts.time_s * 1e3
    front = (
        f"{msec:>9.2f} {fmt.short_count(counts.calls):>8} {_size(counts.bytes_read):>8} "
        f"{_size(counts.bytes_written):>8} {ranks:>6,}  {access:10}  "
    )
    room = max(width - len(front), width // 2 - 1)
    return front + (name if len(name) <= room else "…" + name[len(name) - room + 1 :])


def _size(n_bytes: int) -> str:
    return fmt.size(n_bytes) if n_bytes else ""


def _notes(entry: FileEntry, ranks: int) -> list[str]:
    notes = []
    readers = [rank for rank in entry.ranks if rank.own.bytes_read]
    parts = [rank.fraction_read for rank in readers if rank.fraction_read is not None]
    if readers and len(parts) == len(readers):
        notes.append(_parts(parts, [rank.rank for rank in readers]))
    writers = [rank.rank for rank in entry.ranks if rank.own.bytes_written]
    if len(writers) == 1 and ranks > 1 and not readers:
        notes.append(f"written only by rank {writers[0]}")
    if entry.mpi.calls:
        beneath = entry.beneath
        by = sum(rank.beneath.calls > 0 for rank in entry.ranks)
        notes.append(
            f"MPI_File_*: {fmt.plural(entry.mpi.calls, 'call')}, "
            f"for which the library made {fmt.plural(beneath.calls, 'file call')} on {fmt.plural(by, 'rank')} "
            f"({fmt.size(beneath.bytes_read)} read, {fmt.size(beneath.bytes_written)} written)"
        )
    return [f"          {note}" for note in notes]


def _parts(parts: list[float], ranks: list[str]) -> str:
    low, high = min(parts), max(parts)
    if len(parts) == 1:
        return f"rank {ranks[0]} reads {'all' if low >= ALL else fmt.percent(low)} of it"
    if low >= ALL:
        return f"each of {len(parts)} ranks reads all of it"
    if high - low < 0.0005:
        return f"each of {len(parts)} ranks reads {fmt.percent(low)} of it"
    return f"{len(parts)} ranks each read {fmt.percent(low)} to {fmt.percent(high)} of it"
