"""Fetches an MPI library from PyPI into a virtual environment of its own.

One environment each: the packages overwrite one another's mpi.h and mpiexec in a shared one.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

from leadline.errors import MissingPrerequisite
from leadline.mpi.catalog import find, home
from leadline.mpi.library import Library
from leadline.mpi.releases import Release, release


def install(name: str, *, listed: bool = True) -> Library:
    """Install the PyPI library `name` unless it is installed; safe to call from several processes at once.

    listed: as for releases.release().

    Raises UsageError for a name or version that PyPI does not serve, MissingPrerequisite if it cannot be fetched.
    """
    wanted = release(name, listed=listed)
    prefix = (home() / wanted.folder).resolve()
    prefix.parent.mkdir(parents=True, exist_ok=True)
    with (prefix.parent / f".{wanted.folder}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (prefix / "complete").exists():
            _make(prefix, wanted)
    return find(name)


def _make(prefix: Path, wanted: Release) -> None:
    shutil.rmtree(prefix, ignore_errors=True)
    pip = [
        str(prefix / "bin" / "python"),
        "-I",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ]
    requirements = wanted.kind.requirements(wanted.version)
    requirement = " ".join(requirements)
    for command in ([sys.executable, "-I", "-m", "venv", str(prefix)], [*pip, *requirements]):
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="surrogateescape", check=False
        )
        if done.returncode != 0:
            last = (done.stderr or done.stdout).strip().splitlines()[-3:]
            raise MissingPrerequisite(
                f"cannot install {requirement} in {prefix}: {' '.join(last)}",
                hint="check the connection to PyPI and install python3-venv",
            )
    headers = wanted.kind.headers_from(wanted.version)
    if headers is not None:
        install(headers)
    wanted.kind.complete(prefix, wanted.version, (home() / (headers or wanted.folder) / "include").resolve())
    (prefix / "complete").write_text(requirement + "\n")
