"""The libraries known by name, and where each would be."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

from leadline.errors import LeadlineError, MissingPrerequisite, UsageError
from leadline.libraries import LIBRARIES, MpiLibrary
from leadline.libraries.library import Tools
from leadline.mpi.added import all_added
from leadline.mpi.elsewhere import at, libdir_of
from leadline.mpi.library import Library
from leadline.mpi.releases import FROM_PYPI, Release, release
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
    named = all_added().get(name)
    if named is not None:
        return replace(at(named), name=name)
    library = _look(name)
    if library is not None:
        return library
    if name in DEBIAN:
        hint = f"install as root: apt-get install {DEBIAN[name].debian_packages}"
    else:
        hint = f"leadline mpi install {in_shell(name)}"
    raise MissingPrerequisite(f"MPI library {name} is not installed", hint=hint)


def available() -> list[Library]:
    """The NAMES that are installed."""
    return [library for name in NAMES if (library := _look(name)) is not None]


def _look(name: str) -> Library | None:
    if name in DEBIAN:
        return _debian(name)
    if name.partition("@")[0] not in pypi_names():
        others = (other for other in (*pypi_names(), *all_added()) if other not in NAMES)
        known = ", ".join([*NAMES, *others])
        raise UsageError(f"unknown MPI library {name!r}", hint=f"available: {known}, or the path of an mpiexec")
    wanted = _release(name)
    prefix = home() / wanted.folder
    _refuse_if_all_write(prefix)
    if not (prefix / "complete").exists():
        return None
    tools = wanted.kind.tools(prefix, wanted.version, abi=wanted.abi)
    return _library(wanted.name, wanted.kind, "mpi5" if wanted.abi else wanted.kind.family, tools)


def _release(name: str) -> Release:
    """One that is not listed only if it is installed."""
    try:
        return release(name)
    except UsageError:
        other = release(name, listed=False)
        if (home() / other.folder / "complete").exists():
            return other
        raise


def installed() -> list[Library]:
    """All that can be found by name: the default releases, other ones, and those that the user added."""
    found = available()
    for folder in sorted(home().iterdir()) if home().is_dir() else ():
        kind, _, version = folder.name.partition("-")
        if version and kind in FROM_PYPI and (folder / "complete").exists():
            with contextlib.suppress(UsageError):
                found += [library for library in [_look(f"{kind}@{version}")] if library is not None]
    for name in all_added():
        with contextlib.suppress(LeadlineError):  # it is gone
            found.append(find(name))
    return found


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
