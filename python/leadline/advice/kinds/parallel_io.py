"""One rank writes or reads for all.

On one host, ranks that write one file take turns: the kernel locks it (ext4, two processes: twice the time that one
takes for all). So there only the messages to the writer are saved. Reads of a file that is cached run side by side.
What ranks of several hosts reach together is known if the run has a file that they moved together (MPI_File_*).
"""

from __future__ import annotations

from dataclasses import replace

from leadline.advice import files
from leadline.advice.candidate import Candidate, Kind
from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import AnyChange, Files, Without, is_at
from leadline.text import format as fmt

LIBRARIES = "parallel NetCDF or HDF5, or Leadline's fieldio"
BLOCKING = ("MPI_Send", "MPI_Rsend", "MPI_Ssend", "MPI_Recv")
WRITTEN, READ = "write_by_one", "read_by_one"
LEAST, MOST = 0.9, 1.1  # bytes of messages that carry the data of the file, beside what other ranks have of it


def candidates(content: Content) -> list[Candidate]:
    if len(content.ranks) < 2:
        return []
    hosts = len({rank.host for rank in content.ranks})
    apart = "several hosts write parts of a file at the same time" if hosts > 1 else "writing takes as long as before"
    side_by_side = "the file system reads parts on several ranks at the same time"
    written = []
    for entry in files.of(content, WRITTEN):
        known = remaining(content, entry)
        written.append(
            _shared(
                content,
                entry,
                f"Write {files.names(entry)} on all ranks, not on rank {entry.evidence['writer']} alone",
                f"Let each rank write its part: MPI_File_write_at_all, {LIBRARIES}.",
                1 / hosts if known is None else known[0],
                ("the data are spread over the ranks", known[1] if known else apart),
            )
        )
    read = []
    for entry in files.of(content, READ):
        known = remaining(content, entry)
        read.append(
            _shared(
                content,
                entry,
                f"Read {files.names(entry)} on all ranks, not on rank {entry.evidence['reader']} alone",
                f"Let each rank read its part: MPI_File_read_at_all, {LIBRARIES}.",
                1 / len(content.ranks) if known is None else known[0],
                ("each rank needs its part of the file", known[1] if known else side_by_side),
            )
        )
    return written + read


def remaining(content: Content, entry: PatternEntry) -> tuple[float, str] | None:
    """The part of the calls' time that all ranks would take together, and why; None: unknown."""
    hosts = {rank.host for rank in content.ranks}
    written = entry.name == WRITTEN
    n_bytes = int(entry.evidence.get("bytes_written" if written else "bytes_read") or 0)
    rate = rate_together(content, written=written)
    if rate and n_bytes and entry.time_s > 0:
        move = "write" if written else "read"
        why = f"all ranks {move} {fmt.size(rate)}/s together, as they do another file of the run"
        return n_bytes / rate / entry.time_s, why
    if len(hosts) > 1:
        return None
    if written:
        return 1.0, "writing takes as long as before, since ranks of one host take turns"
    return 1 / len(content.ranks), "ranks of one host read a file that is cached at the same time"


def rate_together(content: Content, *, written: bool) -> float | None:
    """Bytes a second, of the files that ranks on all hosts moved with MPI_File_*; None: there are none. Their calls may
    have waited for each other, so it is a lower bound."""
    hosts = {rank.host for rank in content.ranks}
    n_bytes, seconds = 0, 0.0
    for file in content.files.files:
        of_rank = [(content.run.processes[each.process].host, each.mpi) for each in file.ranks]
        moving = [(host, mpi, mpi.bytes_written if written else mpi.bytes_read) for host, mpi in of_rank]
        moving = [(host, mpi, moved) for host, mpi, moved in moving if moved]
        one_way = not any(mpi.reads if written else mpi.writes for _, mpi, _ in moving)
        if len(moving) < 2 or {host for host, _, _ in moving} != hosts or not one_way:
            continue
        n_bytes += sum(moved for _, _, moved in moving)
        seconds += max(mpi.time_s for _, mpi, _ in moving)
    return n_bytes / seconds if seconds > 0 else None


def made_collective(content: Content, sites: str) -> tuple[list[AnyChange], str]:
    """What one rank writes or reads there for all becomes one collective call, and what that is based on. Raises
    UsageError, with the reason."""
    entries = [entry for name in (WRITTEN, READ) for entry in files.of(content, name)]
    chosen = [(entry, _members_at(entry, sites)) for entry in entries]
    chosen = [(entry, members) for entry, members in chosen if members]
    if not chosen:
        raise UsageError(f"--io {sites}: no rank there writes or reads a file for all")
    changes: list[AnyChange] = []
    said = []
    for entry, members in chosen:
        known = remaining(content, entry)
        if known is None:
            raise UsageError(
                f"--io {sites}: what ranks on several hosts write or read together is unknown, as the run has no file "
                "that they move together",
                hint="--io SITES=F, with the part of its time that it takes then",
            )
        changes.append(Files(sites, known[0], members))
        if messages := carrying(content, entry):
            changes.append(Without(entry.sites[0].routine, messages))
        saved = " and the messages of as many bytes in its routine are not made" if messages else ""
        said.append(f"--io {sites}: {known[1]} (a call takes {fmt.percent(known[0])} of its time){saved}.")
    return changes, " ".join(said)


def _members_at(entry: PatternEntry, place: str) -> tuple[int, ...]:
    return tuple(member for site in entry.sites if is_at(site, place) for member in site.members)


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
