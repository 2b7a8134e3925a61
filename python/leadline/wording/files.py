"""Files and families of files by name, and the file I/O that no figure includes."""

from __future__ import annotations

from leadline.figures.files import OTHER_FILES, FileFamily, FileIO


def in_words(file: str, files: int) -> str:
    name = file.rsplit("/", 1)[-1]
    return name if files == 1 else f"{files:,} files like {name}"


def family_words(family: FileFamily) -> str:
    """ "out.0001", or "24 files like out.0001"."""
    return in_words(family.files[0].file or OTHER_FILES, len(family.files))


def not_seen(io: FileIO) -> list[str]:
    """The file I/O that these figures do not include, in words."""
    reasons = [
        "not counted: sockets, pipes, terminals, /proc, /sys, /dev, shared memory, and files of the MPI library and "
        "of Leadline",
        "not seen: asynchronous I/O (aio_*, io_uring), direct system calls, child processes, dynamic linking",
        "not seen: metadata calls (stat, mkdir, rename, unlink, ...); their time counts as computation",
    ]
    mapped = sum(file.mapped for file in io.files)
    if mapped:
        reasons.append(
            f"not seen: reads and writes through mmap ({mapped} mapped); only the mmap calls themselves are seen"
        )
    if io.outside.calls:
        reasons.append(
            f"{io.outside.calls:,} calls before MPI_Init, after MPI_Finalize or in threads without MPI calls: "
            f"counted per "
            "file only"
        )
    if any(file.mpi.calls for file in io.files):
        reasons.append("MPI_File_* calls with MPI_STATUS_IGNORE may count the requested bytes")
    unseen = [file.file for file in io.mpi_files if file.mpi.bytes_written and not file.beneath.calls]
    if unseen:
        reasons.append(f"not seen: the MPI library's own file calls for MPI_File_* on {', '.join(unseen[:4])}")
    if any(not file.file for file in io.files):
        reasons.append("files beyond 16,383 per rank are counted together")
    return reasons
