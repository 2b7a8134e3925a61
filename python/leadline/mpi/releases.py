"""Which releases of MPI libraries PyPI serves, and what to install for one.

A name is a library's, with "-abi" for its library of the MPI-5 standard ABI and "@VERSION" for a release that is not
the default one: mpich, intel, mpich-abi, mpich@4.1.3, intel-abi@2021.17.2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from leadline.errors import UsageError
from leadline.libraries import LIBRARIES, MpiLibrary
from leadline.libraries.library import version_numbers

VERSION = re.compile(r"\d+(\.\d+){1,3}")
FROM_PYPI = {library.name: library for library in LIBRARIES if library.versions}


@dataclass(frozen=True)
class Release:
    """One library as it is named: which, its version, and whether that of the standard ABI is meant."""

    name: str
    kind: MpiLibrary
    version: str
    abi: bool

    @property
    def folder(self) -> str:
        """The folder it is installed in, the same with and without -abi."""
        default = self.version == self.kind.versions[0]
        return self.kind.name if default else f"{self.kind.name}-{self.version}"


def release(name: str, *, listed: bool = True) -> Release:
    """The release that a name stands for. listed: whether its version must be one of those that were tried.

    Raises UsageError for an unknown name or version.
    """
    base, _, version = name.partition("@")
    kind = FROM_PYPI.get(base.removesuffix("-abi"))
    abi = base.endswith("-abi")
    if kind is None or (abi and kind.abi_since is None):
        raise UsageError(f"{name!r} is not available from PyPI", hint=f"available: {', '.join(names())}")
    version = version or kind.versions[0]
    if version not in kind.versions and (listed or VERSION.fullmatch(version) is None):
        raise UsageError(f"unknown version: {kind.name} {version}", hint=f"known: {', '.join(kind.versions)}")
    if abi and kind.abi_since is not None and version_numbers(version) < kind.abi_since:
        since = ".".join(str(part) for part in kind.abi_since)
        raise UsageError(f"{kind.name} has the standard ABI from {since} on, not in {version}")
    return Release(name, kind, version, abi)


def names() -> list[str]:
    """The bare names, without versions."""
    return [*FROM_PYPI, *(f"{name}-abi" for name, kind in FROM_PYPI.items() if kind.abi_since is not None)]


def all_releases() -> list[Release]:
    """Every release of every library, newest first, each followed by its standard ABI if it has one."""
    found = []
    for name, kind in FROM_PYPI.items():
        for version in sorted(kind.versions, key=version_numbers, reverse=True):
            found.append(release(f"{name}@{version}"))
            if kind.abi_since is not None and version_numbers(version) >= kind.abi_since:
                found.append(release(f"{name}-abi@{version}"))
    return found
