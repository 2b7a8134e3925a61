"""Compiles a workload with a library's own compiler wrapper; nothing is compiled twice."""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from leadline.errors import MissingPrerequisite
from leadline.mpi import DEBIAN, Library
from leadline.user_cache import refuse_if_others_write, user_cache
from leadline.workloads.catalog import Workload

# The libraries a workload in Fortran is built with: those from PyPI have no Fortran bindings.
FORTRAN = tuple(DEBIAN)
OLD_S = 86400  # after which shared objects of other sources are assumed to be unused


def build(workload: Workload, library: Library, folder: Path | None = None) -> Path:
    """The executable of `workload` for `library`, built if necessary; safe to call from several processes at once.

    folder: where to put it, by default build/workloads of a source tree or the user's cache. Raises MissingPrerequisite
    if the compiler is missing or fails, or if the library lacks the workload's language.
    """
    folder = (folder or default_folder()) / library.name / workload.name
    folder.mkdir(parents=True, exist_ok=True)
    refuse_if_others_write(folder)
    executable = folder / workload.name
    refuse_if_others_write(executable)
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
    return user_cache("workloads")


def _compiler(workload: Workload, library: Library) -> Path:
    """The library's wrapper for the workload's language."""
    if workload.language != "fortran":
        return library.mpicxx
    if library.mpifort is None:
        raise MissingPrerequisite(
            f"workload {workload.name} is in Fortran, but {library.name} has no Fortran bindings",
            hint=f"for {' or '.join(FORTRAN)}, as root: apt-get install gfortran libmpich-dev libopenmpi-dev",
        )
    return library.mpifort


def _fingerprint(workload: Workload, library: Library) -> str:
    content = hashlib.sha256()
    compiler = _compiler(workload, library)
    made_of = (compiler, library.version, workload.flags, workload.sources, workload.link)
    content.update(" ".join(map(str, made_of)).encode())
    for path in workload.inputs:
        content.update(str(path).encode() + path.read_bytes())
    return content.hexdigest()


def _compile(workload: Workload, library: Library, folder: Path, executable: Path) -> None:
    compiler = str(_compiler(workload, library))
    behind, place = _shared(workload, library, folder)
    if workload.merged:
        workload = _merged(workload, folder, place)
    names = [f"{source.parent.name}-{source.name}.o" for source in workload.sources]
    objects = [
        (place if source in workload.shared else folder) / name
        for source, name in zip(workload.sources, names, strict=True)
    ]
    include = [f"-I{path}" for path in workload.include]
    options = [*workload.flags, *include]
    at_once = len(os.sched_getaffinity(0))
    if workload.language == "fortran":
        options += ["-J", str(folder)]  # where the modules go
        at_once = 1  # a source needs the modules of those before it

    def compile_one(source: Path, target: Path) -> None:
        if source.suffix == ".c":  # of a library the workload is built with, whose standard is its own
            flags = [flag for flag in workload.flags if not flag.startswith("-std=")]
            _run([str(library.mpicc), *flags, *include, "-c", str(source), "-o", str(target)], library)
        elif source not in workload.shared:
            _run([compiler, *options, "-c", str(source), "-o", str(target)], library)
        elif not target.exists():
            new = target.with_name(f"{target.name}.{os.getpid()}")
            _run([behind, *options, "-c", str(source), "-o", str(new)], library)
            new.replace(target)

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(compile_one, workload.sources, objects))
    new = executable.with_suffix(".new")
    _run([compiler, *workload.flags, *map(str, objects), *workload.link, "-o", str(new)], library)
    new.replace(executable)  # a program that is running keeps its old file


def _merged(workload: Workload, folder: Path, place: Path) -> Workload:
    """The same with two sources, which include the others: the shared ones in `place`."""
    others = [source for source in workload.sources if source not in workload.shared]
    shared, own = place / f"{workload.name}-shared.cpp", folder / f"{workload.name}-own.cpp"
    for path, sources in ((shared, workload.shared), (own, others)):
        new = path.with_name(f"{path.name}.{os.getpid()}")
        new.write_bytes(b"".join(b'#include "%b"\n' % os.fsencode(source) for source in sources))
        new.replace(path)
    return dataclasses.replace(workload, sources=(shared, own), shared=(shared,))


def _shared(workload: Workload, library: Library, folder: Path) -> tuple[str, Path]:
    """The compiler behind the library's wrapper, and the place of its objects of the shared sources."""
    wrapper = str(_compiler(workload, library))
    if not workload.shared:
        return wrapper, folder
    shown = subprocess.run(
        [wrapper, "-show"], capture_output=True, text=True, errors="surrogateescape", check=False, env=library.env()
    ).stdout
    found = shutil.which(shlex.split(shown)[0]) if shown.strip() else None
    if found is None:
        return wrapper, folder
    behind = os.path.realpath(found)
    version = subprocess.run(
        [behind, "--version"], capture_output=True, text=True, errors="surrogateescape", check=False
    ).stdout
    content = hashlib.sha256(f"{behind} {version} {workload.flags}".encode())
    for path in workload.inputs:
        content.update(str(path).encode() + path.read_bytes())
    place = folder.parents[1] / "shared" / f"{workload.name}-{content.hexdigest()[:16]}"
    for old in place.parent.glob(f"{workload.name}-*"):
        if old != place and old.stat().st_mtime < time.time() - OLD_S:
            shutil.rmtree(old, ignore_errors=True)
    place.mkdir(parents=True, exist_ok=True)
    return behind, place


def _run(command: list[str], library: Library) -> None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
            env=library.env(),
        )
    except OSError as error:
        raise MissingPrerequisite(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        hint = "install a compiler: apt-get install g++ gfortran" if "not found" in done.stderr else ""
        raise MissingPrerequisite(f"{' '.join(command)} failed:\n{done.stderr.strip()}", hint=hint)
