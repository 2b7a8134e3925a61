import pytest

from leadline import workloads
from leadline.mpi import Library, available

from .running import Program


def _library(family: str) -> Library:
    """One of that family: results do not depend on the version."""
    for library in available():
        if library.family == family:
            return library
    pytest.skip(f"no MPI library of the family {family} is installed")


@pytest.fixture(scope="session")
def openmpi() -> Program:
    """For any number of ranks."""
    library = _library("openmpi")
    return Program(library, workloads.build(workloads.find("opatm"), library))


@pytest.fixture(scope="session")
def mpich() -> Program:
    """For at most 4 ranks, since it waits busily; starts ten times as fast as the other."""
    library = _library("mpich")
    return Program(library, workloads.build(workloads.find("opatm"), library))


@pytest.fixture(scope="session")
def any_program(request: pytest.FixtureRequest) -> Program:
    """With the library that starts fastest, for runs of 1 or 2 ranks."""
    families = {library.family for library in available()}
    program: Program = request.getfixturevalue("mpich" if "mpich" in families else "openmpi")
    return program
