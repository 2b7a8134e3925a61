"""One rank writes or reads for all.

On one host, ranks that write one file take turns: the kernel locks it (ext4, two processes: twice the time that one
takes for all). So there only the messages to the writer are saved. Reads of a file that is cached run side by side.
"""

from __future__ import annotations

from dataclasses import replace

from leadline.advice import files
from leadline.advice.candidate import Candidate, Kind
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import Without

LIBRARIES = "parallel NetCDF or HDF5, or Leadline's fieldio"
BLOCKING = ("MPI_Send", "MPI_Rsend", "MPI_Ssend", "MPI_Recv")
LEAST, MOST = 0.9, 1.1  # bytes of messages that carry the data of the file, beside what other ranks have of it


def candidates(content: Content) -> list[Candidate]:
    if len(content.ranks) < 2:
        return []
    hosts = len({rank.host for rank in content.ranks})
    apart = "several hosts write parts of a file at the same time" if hosts > 1 else "writing takes as long as before"
    written = [
        _shared(
            content,
            entry,
            f"Write {files.names(entry)} on all ranks, not on rank {entry.evidence['writer']} alone",
            f"Let each rank write its part: MPI_File_write_at_all, {LIBRARIES}.",
            1 / hosts,
            ("the data are spread over the ranks", apart),
        )
        for entry in files.of(content, "write_by_one")
    ]
    read = [
        _shared(
            content,
            entry,
            f"Read {files.names(entry)} on all ranks, not on rank {entry.evidence['reader']} alone",
            f"Let each rank read its part: MPI_File_read_at_all, {LIBRARIES}.",
            1 / len(content.ranks),
            ("each rank needs its part of the file", "the file system reads parts on several ranks at the same time"),
        )
        for entry in files.of(content, "read_by_one")
    ]
    return written + read


def _shared(
    content: Content, entry: PatternEntry, title: str, text: str, remaining: float, assumes: tuple[str, ...]
) -> Candidate:
    made = files.faster("parallel-io", title, text, entry, remaining, assumes)
    messages = carrying(content, entry)
    if not messages:
        return made
    where = entry.sites[0].routine
    return replace(
        made,
        also=(Without(where, messages),),
        assumes=(
            *assumes,
            f"the messages of {where} carry what is in the file, whose bytes they have, and nothing else",
        ),
    )


def carrying(content: Content, entry: PatternEntry) -> tuple[int, ...]:
    """Blocking messages of the routine that moves the data, if they have as many bytes as those that other ranks have
    of the file; by number."""
    told, ranks = entry.evidence, len(content.ranks)
    moved = int(told.get("bytes_written") or told.get("bytes_read") or 0) * (ranks - 1) / ranks
    routines = {site.routine for site in entry.sites}
    near = [each for each in content.sites if each.name in BLOCKING and each.site and each.site.routine in routines]
    sent = sum(each.n_bytes for each in near if each.messages)
    if not moved or not LEAST <= sent / moved <= MOST:
        return ()
    return tuple(member for each in near if each.site for member in each.site.members)


KIND = Kind(id="parallel-io", order=60, candidates=candidates, patterns=("write_by_one", "read_by_one"))
