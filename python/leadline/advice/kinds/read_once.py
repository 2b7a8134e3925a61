"""Every rank reads all of a file."""

from __future__ import annotations

from leadline.advice import files
from leadline.advice.candidate import Candidate, Kind
from leadline.figures.content import Content


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in files.of(content, "read_all_by_all"):
        remaining = files.known_remaining(entry)
        readers = int(entry.evidence["readers"])
        found.append(
            files.faster(
                "read-once",
                f"Read {files.names(entry)} once instead of on {readers:,} ranks",
                "Let each rank read its part, or all together by MPI_File_read_all; if each needs everything, one "
                "reads and MPI_Bcast distributes.",
                entry,
                remaining if remaining is not None else 1 / readers,
                ("each rank needs only its part, or distributing the file costs little beside reading it",),
            )
        )
    return found


KIND = Kind(id="read-once", order=55, candidates=candidates, patterns=("read_all_by_all",))
