"""Keeps what tests compile in build/tests, under the content it was made from: once for all tests and all sessions."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from leadline.mpi import Library

ROOT = Path(__file__).resolve().parents[1]
UNUSED_S = 7 * 86400  # after which a build is taken to be of sources that are no more


def folder() -> Path:
    """LEADLINE_TEST_PROGRAMS, or build/tests of the checkout."""
    chosen = os.environ.get("LEADLINE_TEST_PROGRAMS")
    found = Path(chosen) if chosen else ROOT / "build" / "tests"
    found.mkdir(parents=True, exist_ok=True)
    return found


def kept(name: str, made_from: Iterable[str | bytes | Path], make: Callable[[Path], None], suffix: str = "") -> Path:
    """NAME-DIGESTsuffix in folder(). If it is not there, `make` is called with the path to write.

    made_from: everything the result depends on except the compilers: words, contents, files. A result that is half
    written is never seen: it gets its name when it is complete. If several workers or sessions ask at once, one makes
    it and the others wait.
    """
    target = folder() / f"{name}-{digest(made_from)}{suffix}"
    if target.exists():
        os.utime(target)
        return target
    with alone(target):
        if not target.exists():
            new = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}")
            try:
                make(new)
                new.rename(target)
            finally:
                remove(new)
    return target


@contextlib.contextmanager
def alone(target: Path) -> Iterator[None]:
    """One at a time makes this target. The file of the lock stays: who waits for it has it open."""
    with target.with_name(f".{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def kept_folder(name: str, made_from: Iterable[str | bytes | Path], make: Callable[[Path], None]) -> Path:
    """Like kept(), for several files that belong together; `make` is called with an empty folder."""

    def fill(place: Path) -> None:
        place.mkdir()
        make(place)

    return kept(name, made_from, fill)


def digest(made_from: Iterable[str | bytes | Path]) -> str:
    content = hashlib.sha256(_compilers())
    for part in made_from:
        data = part.read_bytes() if isinstance(part, Path) else part.encode() if isinstance(part, str) else part
        content.update(len(data).to_bytes(8, "little") + data)
    return content.hexdigest()[:12]


def identity(library: Library) -> str:
    """Differs where another release of the library has been put in its place."""
    return f"{library.mpicc} {library.mpicc.stat().st_mtime_ns}"


@functools.cache
def _compilers() -> bytes:
    """The compilers' descriptions of themselves. An MPI library's wrapper calls one of them."""
    names = [os.environ.get("CC", "cc"), "c++", "gfortran", "clang++"]
    said = [
        subprocess.run([name, "--version"], capture_output=True, check=False) for name in names if shutil.which(name)
    ]
    return b"".join(done.stdout for done in said)


def forget_unused() -> None:
    """Removes what no test has asked for in a week."""
    for path in folder().iterdir():
        with contextlib.suppress(FileNotFoundError):  # another worker removes them, too
            if path.lstat().st_mtime < time.time() - UNUSED_S:
                remove(path)


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
