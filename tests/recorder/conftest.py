from pathlib import Path

import pytest
import tiers

from . import running
from .building import Builder
from .libraries import NAMES, Library, find


@pytest.fixture(scope="session")
def builder() -> Builder:
    return Builder()


def _library(name: str) -> Library:
    library = find(name)
    if library is None:
        pytest.skip(f"the MPI library {name} is not installed")
    return library


@pytest.fixture(scope="session", params=tiers.each_library(NAMES))
def library(request: pytest.FixtureRequest) -> Library:
    """Every MPI library in turn; in the normal tier, one of each kind."""
    return _library(request.param)


@pytest.fixture(scope="session", params=NAMES)
def every_library(request: pytest.FixtureRequest) -> Library:
    """In the normal tier, too."""
    return _library(request.param)


# Those with all Fortran bindings: of PyPI's only Intel's has any, and no `use mpi_f08` for gfortran.
FORTRAN = ("debian-mpich", "debian-openmpi")


def _fortran_library(name: str) -> Library:
    library = _library(name)
    if library.mpifort is None:
        pytest.skip(f"no Fortran compiler for {library.name}: install gfortran")
    return library


@pytest.fixture(scope="session", params=[FORTRAN[0], pytest.param(FORTRAN[1], marks=tiers.SECOND)])
def fortran_library(request: pytest.FixtureRequest) -> Library:
    """A library of either family; in the normal tier, one."""
    return _fortran_library(request.param)


@pytest.fixture(scope="session", params=FORTRAN)
def either_fortran_library(request: pytest.FixtureRequest) -> Library:
    """In the normal tier, too."""
    return _fortran_library(request.param)


@pytest.fixture(scope="session", params=["mpich", "openmpi"])
def one_of_each_family(request: pytest.FixtureRequest) -> Library:
    """One library of either ABI family, PyPI's if it is there: for what does not depend on the version."""
    library = find(request.param) or find(f"debian-{request.param}")
    if library is None:
        pytest.skip(f"no MPI library of the ABI family {request.param} is installed")
    return library


@pytest.fixture(scope="session")
def recorder() -> Path:
    path = running.find_recorder()
    if path is None:
        pytest.skip("the recorder is not built: ./dev setup")
    return path
