"""One rank writes or reads for all."""

from __future__ import annotations

from leadline.advice import files
from leadline.advice.candidate import Candidate, Kind
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry

LIBRARIES = "parallel NetCDF or HDF5, or Leadline's fieldio"


def candidates(content: Content) -> list[Candidate]:
    if len(content.ranks) < 2:
        return []
    written = [
        _shared(
            content,
            entry,
            f"Write {files.names(entry)} on all ranks, not on rank {entry.evidence['writer']} alone",
            f"Let each rank write its part: MPI_File_write_at_all, {LIBRARIES}.",
            ("the data are spread over the ranks", "the file system writes parts from several ranks at the same time"),
        )
        for entry in files.of(content, "write_by_one")
    ]
    read = [
        _shared(
            content,
            entry,
            f"Read {files.names(entry)} on all ranks, not on rank {entry.evidence['reader']} alone",
            f"Let each rank read its part: MPI_File_read_at_all, {LIBRARIES}.",
            ("each rank needs its part of the file", "the file system reads parts on several ranks at the same time"),
        )
        for entry in files.of(content, "read_by_one")
    ]
    return written + read


def _shared(content: Content, entry: PatternEntry, title: str, text: str, assumes: tuple[str, str]) -> Candidate:
    remaining = files.known_remaining(entry)
    return files.faster(
        "parallel-io", title, text, entry, remaining if remaining is not None else 1 / len(content.ranks), assumes
    )


KIND = Kind(id="parallel-io", order=60, candidates=candidates, patterns=("write_by_one", "read_by_one"))
