import pytest

from leadline.mpi import Library, available


@pytest.fixture(scope="session")
def any_library() -> Library:
    for library in available():
        return library
    pytest.skip("no MPI library is installed")
