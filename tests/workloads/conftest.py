import pytest

from leadline import workloads
from leadline.mpi import Library, available

from .running import Program


def _library(*, shares_cores: bool) -> Library:
    """One whose ranks do or do not share cores: results do not depend on the library."""
    for library in available():
        if library.kind.shares_cores == shares_cores:
            return library
    pytest.skip("no such MPI library is installed")


@pytest.fixture(scope="session")
def openmpi() -> Program:
    """For any number of ranks."""
    library = _library(shares_cores=True)
    return Program(library, workloads.build(workloads.find("opatm"), library))


@pytest.fixture(scope="session")
def mpich() -> Program:
    """For at most 4 ranks, since it waits busily; starts ten times as fast as the other."""
    library = _library(shares_cores=False)
    return Program(library, workloads.build(workloads.find("opatm"), library))


@pytest.fixture(scope="session")
def any_program(request: pytest.FixtureRequest) -> Program:
    """With the library that starts fastest, for runs of 1 or 2 ranks."""
    busy = any(not library.kind.shares_cores for library in available())
    program: Program = request.getfixturevalue("mpich" if busy else "openmpi")
    return program
