"""What else there is of MPI on this machine: libraries on PATH, modules, and layers that translate between ABIs."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from leadline.errors import LeadlineError
from leadline.mpi.elsewhere import at
from leadline.mpi.library import Library

NAMES = r"openmpi|open-mpi|mpich|mvapich2?|intel-?mpi|impi|cray-mpich|hpcx[\w-]*"
MODULE = re.compile(rf"(^|[/-])({NAMES})([/-]|$)", re.IGNORECASE)
MOST_MODULES = 100
DEEP = 3  # folders of modules: name/version, and a group above
# By what is installed of them: a program, or a library that the loader finds.
LAYERS = {
    "MPItrampoline": ("libmpitrampoline.so", "libmpiwrapper.so"),
    "Wi4MPI": ("wi4mpi",),
    "Mukautuva": ("libmuk.so", "mukcc"),
}
FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu")


def on_path(known: Mapping[Path, str]) -> list[Library]:
    """Of each mpiexec on PATH that is none of those known, the library, if Leadline knows its kind."""
    found: dict[Path, Library] = {}
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = Path(folder) / "mpiexec"
        if not folder or not path.is_file() or path.resolve() in {each.resolve() for each in (*known, *found)}:
            continue
        try:
            found[path] = at(path)
        except LeadlineError:
            continue
    return list(found.values())


def modules() -> list[str]:
    """Names of environment modules that may be MPI libraries: `module load` makes them known."""
    found: dict[str, None] = {}
    for folder in os.environ.get("MODULEPATH", "").split(os.pathsep):
        if folder:
            found |= dict.fromkeys(_modules(Path(folder), Path(folder), DEEP))
        if len(found) > MOST_MODULES:
            break
    return list(found)[:MOST_MODULES]


def _modules(folder: Path, top: Path, deep: int) -> Iterator[str]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if deep:
                yield from _modules(entry, top, deep - 1)
        elif MODULE.search(name := str(entry.relative_to(top)).removesuffix(".lua")):
            yield name


def layers() -> list[str]:
    """With what each was found by."""
    folders = [Path(each) for each in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if each]
    folders += [Path(each) for each in FOLDERS]
    found = []
    for title, marks in LAYERS.items():
        for mark in marks:
            places = [folder / mark for folder in folders if (folder / mark).exists()] if ".so" in mark else []
            place = next(iter(places), None) or (None if ".so" in mark else shutil.which(mark))
            if place is not None:
                found.append(f"{title} ({place})")
                break
    return found
