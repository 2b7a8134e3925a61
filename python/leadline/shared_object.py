"""A part that applications are compiled with, as a shared object that Python loads: compiled once with an mpicc."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from leadline.compiled_in import sources
from leadline.errors import MissingPrerequisite
from leadline.user_cache import refuse_if_others_write, user_cache

OPTIONS = ("-O3", "-fPIC", "-shared")


def compiled(part: str, mpicc: str, *, options: Sequence[str] = (), folder: Path | None = None) -> Path:
    """Where it is; compiled if that has not been done. mpicc: a command, with options if need be.

    folder: where to keep it, by default the user's cache. Raises MissingPrerequisite if the compiler is missing or
    fails. Several processes may call this at once.
    """
    folder = folder or user_cache(part)
    folder.mkdir(parents=True, exist_ok=True)
    refuse_if_others_write(folder)
    words = (*OPTIONS, *options)
    files = sorted(sources(part).glob("[a-z]*.[ch]"))
    content = hashlib.sha256(f"{mpicc} {words} {_shown(mpicc)}".encode())
    for path in files:
        content.update(path.read_bytes())
    target = folder / f"{part}-{content.hexdigest()[:16]}.so"
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            new = target.with_suffix(".new")
            in_c = [str(path) for path in files if path.suffix == ".c"]
            libraries = [word for word in words if word.startswith("-l")]
            before = [word for word in words if word not in libraries]
            _run([*shlex.split(mpicc), *before, *in_c, *libraries, "-o", str(new)])
            new.replace(target)
    refuse_if_others_write(target)
    return target


def compiler(mpicc: str | None) -> str:
    """As given, else as the environment says."""
    return mpicc or os.environ.get("MPICC") or "mpicc"


def _shown(mpicc: str) -> str:
    """What the wrapper would run: it changes when the name stands for another library."""
    return _run([*shlex.split(mpicc), "-show"])


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="surrogateescape", check=False
        )
    except OSError as error:
        raise MissingPrerequisite(
            f"{command[0]}: {error.strerror}", hint="set the MPI library's compiler: MPICC=..., or mpicc=..."
        ) from error
    if done.returncode != 0:
        raise MissingPrerequisite(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
    return done.stdout
