"""A library that somebody else installed, named by a path: the site's, a module's, the user's own build."""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
from pathlib import Path

from leadline.errors import MissingPrerequisite
from leadline.launchers import kind_and_version
from leadline.libraries import MpiLibrary, of_file
from leadline.mpi.library import Library
from leadline.text.visible import in_shell

COMPILERS = {"mpicc": ("mpicc",), "mpicxx": ("mpicxx", "mpic++"), "mpifort": ("mpifort", "mpif90")}
ENDS = (".12", ".40", "")  # libmpi.so itself may be a text for the linker


def at(path: Path) -> Library:
    """The library whose mpiexec `path` is, or that has its tools in `path` or `path`/bin. Its name is the library's
    with a part that differs by place: what is built with it is kept apart.

    Raises MissingPrerequisite if a tool is missing, or if the library is not one that Leadline knows.
    """
    mpiexec = _mpiexec(path)
    suffix = _suffix_of(mpiexec)
    tools = {tool: _beside(mpiexec, names, suffix) for tool, names in COMPILERS.items()}
    mpicc, mpicxx, mpifort = tools.values()
    missing = " and ".join(tool for tool in ("mpicc", "mpicxx") if tools[tool] is None)
    if mpicc is None or mpicxx is None:
        raise MissingPrerequisite(
            f"no {missing} beside {mpiexec}", hint="programs are built with it: install the library's development files"
        )
    file = _libmpi(mpicc)
    kind = _kind(file) if file is not None else None
    if file is None or kind is None:
        raise MissingPrerequisite(
            f"{mpicc} links no MPI library that Leadline knows", hint=f"see what it links: {in_shell(str(mpicc))} -show"
        )
    if kind_and_version(str(mpiexec))[0] is not kind.launcher:
        raise MissingPrerequisite(
            f"{mpiexec} is not of {kind.title}, which {mpicc} links", hint="name the right mpiexec"
        )
    apart = hashlib.sha256(str(mpiexec.resolve()).encode(errors="surrogateescape")).hexdigest()[:6]
    fortran = mpifort if shutil.which("gfortran") else None
    name = f"{kind.name}-{apart}"
    return Library(name, kind, kind.family, mpicc, mpicxx, fortran, mpiexec, file.parent, kind.environ())


def libdir_of(mpicc: Path) -> Path | None:
    """The folder that the compiler wrapper links from; None if it does not tell."""
    return next(iter(_linked(mpicc)[0]), None)


def _linked(mpicc: Path) -> tuple[list[Path], list[str]]:
    """The folders and the libraries in what it calls the compiler with; `-show` means the same to all families."""
    try:
        line = subprocess.run(
            [mpicc, "-show"], capture_output=True, text=True, errors="surrogateescape", check=True, timeout=30
        ).stdout
        words = shlex.split(line)
    except (OSError, ValueError, subprocess.SubprocessError):
        return [], []
    folders = [Path(word[2:]) for word in words if word[:2] == "-L" and word[2:]]
    return folders, [word[2:] for word in words if word in ("-lmpi", "-lmpich")]


def _libmpi(mpicc: Path) -> Path | None:
    folders, libraries = _linked(mpicc)
    files = (folder / f"lib{name}.so{end}" for name in libraries for folder in folders for end in ENDS)
    return next((file for file in files if file.is_file()), None)


def _mpiexec(path: Path) -> Path:
    starters = (path, *(folder / name for folder in (path, path / "bin") for name in ("mpiexec", "mpirun")))
    for found in starters:
        if found.name.startswith(("mpiexec", "mpirun")) and found.is_file():
            return found.absolute()
    raise MissingPrerequisite(f"no mpiexec at {path}", hint="name mpiexec, or the directory that contains bin/mpiexec")


def _suffix_of(mpiexec: Path) -> str:
    """ ".openmpi" of mpiexec.openmpi: Debian's tools have their library's name; "" where they have none."""
    return "".join(mpiexec.suffixes)


def _beside(mpiexec: Path, names: tuple[str, ...], suffix: str) -> Path | None:
    found = (mpiexec.with_name(f"{name}{end}") for end in (suffix, "") for name in names)
    return next((path for path in found if path.is_file()), None)


def _kind(file: Path) -> MpiLibrary | None:
    try:
        return of_file(file.resolve())  # by its full name, of which libmpi.so may be a link
    except (OSError, ValueError):
        return None
