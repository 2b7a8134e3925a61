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
        "sockets, pipes, terminals, /proc, /sys, /dev and shared memory, and files of the MPI library and of "
        "Leadline are left out",
        "asynchronous I/O (aio_*, io_uring), system calls without libc, child processes, and files that the "
        "dynamic linker loads are not seen",
        "wide characters (fwprintf, fgetws, fputws, getwc, ...), splice, tee and vmsplice are not seen",
        "calls about names and directories (stat, mkdir, rename, unlink, ...) are not seen: their time is in the "
        "computation",
    ]
    mapped = sum(file.mapped for file in io.files)
    if mapped:
        reasons.append(f"reads and writes through mmap ({mapped} mapped) are not seen, only the mapping is")
    if io.outside.calls:
        reasons.append(
            f"{io.outside.calls:,} calls before MPI_Init, after MPI_Finalize or in threads that do not call MPI "
            "are counted by file, without call paths or order"
        )
    if any(file.mpi.calls for file in io.files):
        reasons.append("MPI_File_* calls whose status was ignored count the bytes they asked for")
    unseen = [file.file for file in io.mpi_files if file.mpi.bytes_written and not file.beneath.calls]
    if unseen:
        reasons.append(f"the MPI library's own calls for MPI_File_* on {', '.join(unseen[:4])} are not seen")
    if any(not file.file for file in io.files):
        reasons.append("files beyond the first 16,383 of a rank are counted together")
    return reasons
