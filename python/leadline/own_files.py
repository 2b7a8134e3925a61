"""Files in a directory that another user may own or have prepared, a run's above all.

They are opened in the open directory, only if they are regular files, never through a link, and never waiting for the
other end of a pipe. New files are created exclusively and renamed when they are complete, so that no existing file is
written through or emptied. Modes are those of the umask.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

MOST_BYTES = 64 << 20  # of a file that is read whole and has no limit of its own
_NO_FILE = "not a regular file, or a symbolic link"
_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_MAKING = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


class Directory:
    """An open directory: the files are in this one, even if its path comes to mean another. To be used in a `with`.

    follow: whether the path itself may be a link, as one that the user typed may. Raises OSError.
    """

    def __init__(self, path: Path | str, *, follow: bool = True) -> None:
        self.path = Path(path)
        # O_PATH: to use a directory one need not be allowed to list it.
        self._descriptor = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))

    def __enter__(self) -> Directory:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def status(self) -> os.stat_result:
        return os.fstat(self._descriptor)

    def names(self) -> list[str]:
        """Of what is in it, sorted. Raises OSError."""
        listing = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._descriptor)
        try:
            return sorted(os.listdir(listing))
        finally:
            os.close(listing)

    def status_of(self, name: str) -> os.stat_result | None:
        """Of the file, or of the link if it is one; None if there is nothing of that name."""
        try:
            return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError:
            return None

    def open(self, name: str) -> int:
        """A descriptor for reading a regular file. Raises OSError, with a reason of its own if it is no such file."""
        return _regular(name, self.path / name, dir_fd=self._descriptor)

    def read(self, name: str, most: int = MOST_BYTES) -> bytes:
        """The content of a regular file. Raises OSError, also for one of more than `most` bytes."""
        return _content(self.open(name), self.path / name, most)

    @contextlib.contextmanager
    def replacing(self, name: str, mode: int = 0o666) -> Iterator[int]:
        """A descriptor of a new file, which gets its name at the end; if that is not reached, nothing changes.

        mode: its permissions, before the umask. Raises OSError.
        """
        temporary, descriptor = self._new(name, mode)
        try:
            try:
                yield descriptor
            finally:
                os.close(descriptor)
            os.replace(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except BaseException:
            self.remove(temporary)
            raise

    def write(self, name: str, content: bytes) -> None:
        """Replace the file in one step, so that a reader never sees half of it. Raises OSError."""
        with self.replacing(name) as descriptor, os.fdopen(descriptor, "wb", closefd=False) as out:
            out.write(content)

    def remove(self, name: str) -> None:
        """Also a link; no error if it is not there, or may not be removed."""
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self._descriptor)

    def touch(self, name: str, when_ns: int | None = None) -> None:
        """Set the time of a regular file. Raises OSError."""
        descriptor = self.open(name)
        try:
            if when_ns is None:
                os.utime(descriptor)
            else:
                os.utime(descriptor, ns=(when_ns, when_ns))
        finally:
            os.close(descriptor)

    def _new(self, name: str, mode: int) -> tuple[str, int]:
        for number in itertools.count(1):
            # Of the name, as much as surely fits.
            temporary = f".{os.fsdecode(os.fsencode(name)[:150]).lstrip('.')}.{os.getpid()}-{number}"
            try:
                return temporary, os.open(temporary, _MAKING, mode, dir_fd=self._descriptor)
            except FileExistsError:  # of a process with our number, in another container or long ago
                continue
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(self.path / name)) from None
        raise AssertionError


def read(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a regular file that is no link. Raises OSError, also for one of more than `most` bytes."""
    with Directory(path.parent) as directory:
        return directory.read(path.name, most)


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """The same as text, of any bytes. Raises OSError."""
    return read(path, most).decode("utf-8", "surrogateescape")


def open_regular(path: Path) -> IO[bytes]:
    """Opens a file that the user named, or a program was loaded from: links are followed, pipes not waited for.

    Raises OSError if it is not a regular file.
    """
    return os.fdopen(_regular(path, path, follow=True), "rb")


def read_named(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a regular file that the user named. Raises OSError, also for one of more than `most` bytes."""
    return _content(_regular(path, path, follow=True), path, most)


@contextlib.contextmanager
def replacing(path: Path, *, encoding: str = "utf-8", errors: str = "strict") -> Iterator[IO[Any]]:
    """A text file in place of what is there; if the end is not reached, nothing changes. Raises OSError."""
    with (
        Directory(path.parent) as directory,
        directory.replacing(path.name) as descriptor,
        os.fdopen(descriptor, "w", encoding=encoding, errors=errors, closefd=False) as out,
    ):
        yield out


def is_directory(path: Path) -> bool:
    """Whether it is a directory itself, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _regular(name: Path | str, shown: Path, *, dir_fd: int | None = None, follow: bool = False) -> int:
    try:
        descriptor = os.open(name, _READING & ~(os.O_NOFOLLOW if follow else 0), dir_fd=dir_fd)
    except OSError as error:
        refused = error.errno in (errno.ELOOP, errno.ENXIO) and not follow
        raise OSError(error.errno, _NO_FILE if refused else error.strerror, str(shown)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, _NO_FILE, str(shown))
    return descriptor


def _content(descriptor: int, shown: Path, most: int) -> bytes:
    blocks, left = [], most + 1
    with os.fdopen(descriptor, "rb") as file:  # in blocks: Python reserves as much memory as it may read at once
        while left and (block := file.read(min(left, 1 << 20))):
            blocks.append(block)
            left -= len(block)
    if not left:
        raise OSError(errno.EFBIG, f"larger than {most >> 20} MiB", str(shown))
    return b"".join(blocks)
