import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "codegen"))

from mpiapi.families import Family, load_families  # noqa: E402
from mpiapi.semantics import Meaning, load_meanings  # noqa: E402
from mpiapi.standard import Function, load_functions  # noqa: E402

from .real_libraries import RealLibrary, names, real_library  # noqa: E402


@pytest.fixture(scope="session")
def api() -> Path:
    return ROOT / "api"


@pytest.fixture(scope="session")
def functions(api: Path) -> list[Function]:
    return load_functions(api)


@pytest.fixture(scope="session")
def meanings(api: Path, functions: list[Function]) -> list[Meaning]:
    return load_meanings(api, functions)


@pytest.fixture(scope="session")
def families(api: Path) -> dict[str, Family]:
    return {family.name: family for family in load_families(api)}


@pytest.fixture(scope="session", params=names())
def real(request: pytest.FixtureRequest) -> RealLibrary:
    """Each binary interface of each MPI library that is installed here."""
    library = real_library(request.param)
    if library is None:
        pytest.skip(f"{request.param} is not installed")
    return library
