"""The file I/O part of the report as data (docs/read/report.md, *File I/O*)."""

from __future__ import annotations

from typing import Any

from leadline.figures.content import Content
from leadline.figures.files import OTHER_FILES, FileCounts, FileEntry, FileIO, total
from leadline.figures.json_entries import entry_json, rank_id, site_json
from leadline.wording.files import not_seen


def files_json(content: Content) -> dict[str, Any] | None:
    """None if the recording was made by a version without file I/O."""
    io = content.files
    if not io.recorded:
        return None
    return {
        **_moved(io.own),
        "outside": _moved(io.outside),
        "files": [_file(file) for file in io.files],
        "functions": [{"function": function.name, **entry_json(function)} for function in content.file_functions],
        "sites": [site_json(place) for place in content.file_sites],
        "by_rank": [
            {"rank": rank_id(label), **_moved(counts), "files": files} for label, (counts, files) in io.by_rank.items()
        ],
        "mpi_io": _mpi_io(io) if io.mpi_files else None,
        "not_seen": not_seen(io),
    }


def _moved(counts: FileCounts) -> dict[str, Any]:
    return {
        "calls": counts.calls,
        "bytes_read": counts.bytes_read,
        "bytes_written": counts.bytes_written,
        "time_s": counts.time_s,
    }


def _file(file: FileEntry) -> dict[str, Any]:
    own = file.own
    return {
        "file": file.file or OTHER_FILES,
        "ranks": len(file.ranks),
        "opens": own.opens,
        "reads": own.reads,
        "writes": own.writes,
        **_moved(own),
        "access": file.access,
        "size_bytes": file.size_bytes,
        "mpi_io": file.opened_by_mpi,
        "by_rank": [
            {
                "rank": rank_id(rank.rank),
                "opens": rank.own.opens,
                **_moved(rank.own),
                "access": rank.access,
                "fraction_read": rank.fraction_read,
            }
            for rank in file.ranks
        ],
    }


def _mpi_io(io: FileIO) -> dict[str, Any]:
    files = io.mpi_files
    return {
        **_moved(total(file.mpi for file in files)),
        "beneath": _moved(total(file.beneath for file in files)),
        "files": [
            {
                "file": file.file,
                **_moved(file.mpi),
                "view": file.has_view,
                "access": file.access,
                "beneath": {
                    **_moved(file.beneath),
                    "ranks": sum(rank.beneath.calls > 0 for rank in file.ranks),
                    "access": file.beneath.access,
                },
            }
            for file in files
        ],
    }
