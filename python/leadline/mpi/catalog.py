"""The libraries known by name, and where each would be."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from leadline.errors import MissingPrerequisite, UsageError
from leadline.libraries import LIBRARIES, MpiLibrary
from leadline.libraries.library import Tools
from leadline.mpi.elsewhere import at, libdir_of
from leadline.mpi.library import Library
from leadline.mpi.releases import FROM_PYPI, release
from leadline.mpi.releases import names as pypi_names
from leadline.text.visible import in_shell
from leadline.user_cache import user_cache

DEBIAN = {f"debian-{library.name}": library for library in LIBRARIES if library.debian_packages}
NAMES = (*FROM_PYPI, *DEBIAN)


def home() -> Path:
    """The folder of the libraries from PyPI: LEADLINE_MPI_HOME, else .mpi in a source tree, else the user's cache.

    Raises MissingPrerequisite if everybody can put programs there.
    """
    given = os.environ.get("LEADLINE_MPI_HOME")
    if given:
        _refuse_if_all_write(Path(given))
        return Path(given)
    checkout = Path(__file__).resolve().parents[3]
    if (checkout / "pyproject.toml").exists() and (checkout / "codegen").exists():
        return checkout / ".mpi"
    return user_cache("mpi")


def _refuse_if_all_write(path: Path) -> None:
    """Its owner may be somebody else: the user chose it, and sites install software under accounts of their own."""
    try:
        open_to_all = path.stat().st_mode & stat.S_IWOTH
    except OSError:
        return  # whatever is looked for is not there
    if open_to_all:
        raise MissingPrerequisite(
            f"{path} is unsafe for executables: world-writable", hint=f"chmod o-w {in_shell(str(path))}"
        )


def find(name: str) -> Library:
    """The library of that name, or at that path, if it has a slash (elsewhere.py). Raises MissingPrerequisite if it is
    not installed, UsageError for an unknown name."""
    if "/" in name:
        return at(Path(name))
    library = _look(name)
    if library is not None:
        return library
    if name in DEBIAN:
        hint = f"install as root: apt-get install {DEBIAN[name].debian_packages}"
    else:
        hint = f"python -c 'import leadline.mpi; leadline.mpi.install({name!r})'"
    raise MissingPrerequisite(f"MPI library {name} is not installed", hint=hint)


def available() -> list[Library]:
    """The NAMES that are installed."""
    return [library for name in NAMES if (library := _look(name)) is not None]


def _look(name: str) -> Library | None:
    if name in DEBIAN:
        return _debian(name)
    if name.partition("@")[0] not in pypi_names():
        known = ", ".join([*NAMES, *(other for other in pypi_names() if other not in NAMES)])
        raise UsageError(f"unknown MPI library {name!r}", hint=f"available: {known}, or the path of an mpiexec")
    wanted = release(name)
    prefix = home() / wanted.folder
    _refuse_if_all_write(prefix)
    if not (prefix / "complete").exists():
        return None
    tools = wanted.kind.tools(prefix, wanted.version, abi=wanted.abi)
    return _library(wanted.name, wanted.kind, "mpi5" if wanted.abi else wanted.kind.family, tools)


def _library(name: str, kind: MpiLibrary, family: str, tools: Tools) -> Library:
    return Library(
        name, kind, family, tools.mpicc, tools.mpicxx, tools.mpifort, tools.mpiexec, tools.libdir, tools.environ
    )


def _debian(name: str) -> Library | None:
    kind = DEBIAN[name]
    found = {tool: shutil.which(f"{tool}.{kind.name}") for tool in ("mpicc", "mpicxx", "mpifort", "mpiexec")}
    mpicc, mpicxx, mpifort, mpiexec = found.values()
    if mpicc is None or mpicxx is None or mpiexec is None:
        return None
    libdir = libdir_of(Path(mpicc))
    if libdir is None:
        return None
    fortran = Path(mpifort) if mpifort and shutil.which("gfortran") else None
    tools = Tools(Path(mpicc), Path(mpicxx), fortran, Path(mpiexec), libdir, kind.environ())
    return _library(name, kind, kind.family, tools)
