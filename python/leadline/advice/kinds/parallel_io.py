"""One rank writes or reads for all."""

from __future__ import annotations

from leadline.advice import files
from leadline.advice.candidate import Candidate, Kind
from leadline.figures.content import Content


def candidates(content: Content) -> list[Candidate]:
    found = []
    ranks = len(content.ranks)
    for entry in files.of(content, "write_by_one"):
        if ranks < 2:
            continue
        remaining = files.known_remaining(entry)
        found.append(
            files.faster(
                "parallel-io",
                f"Write {files.names(entry)} on all ranks, not on rank {entry.evidence['writer']} alone",
                "Let each rank write its part: MPI_File_write_at_all, parallel NetCDF or HDF5, or Leadline's fieldio.",
                entry,
                remaining if remaining is not None else 1 / ranks,
                (
                    "the data are spread over the ranks",
                    "the file system writes parts from several ranks at the same time",
                ),
            )
        )
    for entry in files.of(content, "read_by_one"):
        if ranks < 2:
            continue
        remaining = files.known_remaining(entry)
        found.append(
            files.faster(
                "parallel-io",
                f"Read {files.names(entry)} on all ranks, not on rank {entry.evidence['reader']} alone",
                "Let each rank read its part: MPI_File_read_at_all, parallel NetCDF or HDF5, or Leadline's fieldio.",
                entry,
                remaining if remaining is not None else 1 / ranks,
                (
                    "each rank needs its part of the file",
                    "the file system reads parts on several ranks at the same time",
                ),
            )
        )
    return found


KIND = Kind(id="parallel-io", order=60, candidates=candidates, patterns=("write_by_one", "read_by_one"))
