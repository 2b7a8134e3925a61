"""Compiles a workload with a library's own compiler wrapper; nothing is compiled twice."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from leadline.errors import MissingPrerequisite
from leadline.mpi import Library
from leadline.workloads.catalog import Workload


def build(workload: Workload, library: Library, folder: Path | None = None) -> Path:
    """The executable of `workload` for `library`, built if need be; safe to call from several processes at once.

    folder: where to put it, by default build/workloads of a source tree or the user's cache.
    Raises MissingPrerequisite where the compiler is missing or fails.
    """
    folder = (folder or default_folder()) / library.name / workload.name
    folder.mkdir(parents=True, exist_ok=True)
    executable = folder / workload.name
    mark = folder / "built-from"
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fingerprint = _fingerprint(workload, library)
        if not (executable.exists() and mark.exists() and mark.read_text() == fingerprint):
            mark.unlink(missing_ok=True)
            _compile(workload, library, folder, executable)
            mark.write_text(fingerprint)
    return executable


def default_folder() -> Path:
    checkout = Path(__file__).resolve().parents[3]
    if (checkout / "workloads").is_dir() and (checkout / "pyproject.toml").exists():
        return checkout / "build" / "workloads"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "leadline" / "workloads"


def _fingerprint(workload: Workload, library: Library) -> str:
    content = hashlib.sha256()
    content.update(f"{library.mpicxx} {library.version} {workload.flags} {workload.sources}".encode())
    for path in workload.inputs:
        content.update(str(path).encode() + path.read_bytes())
    return content.hexdigest()


def _compile(workload: Workload, library: Library, folder: Path, executable: Path) -> None:
    objects = [folder / f"{source.parent.name}-{source.name}.o" for source in workload.sources]
    include = [f"-I{path}" for path in workload.include]

    def compile_one(source: Path, target: Path) -> None:
        _run([str(library.mpicxx), *workload.flags, *include, "-c", str(source), "-o", str(target)], library)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(compile_one, workload.sources, objects))
    new = executable.with_suffix(".new")
    _run([str(library.mpicxx), *workload.flags, *map(str, objects), "-o", str(new)], library)
    new.replace(executable)  # a program that is running keeps its old file


def _run(command: list[str], library: Library) -> None:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=library.env()
        )
    except OSError as error:
        raise MissingPrerequisite(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        hint = "a C++20 compiler is needed: apt-get install g++" if "not found" in done.stderr else ""
        raise MissingPrerequisite(f"{' '.join(command)} failed:\n{done.stderr.strip()}", hint=hint)
