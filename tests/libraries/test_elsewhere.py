"""A library named by the path of its mpiexec: which it is, its compilers, and what is said if something is missing."""

from pathlib import Path

import pytest

from leadline import mpi
from leadline.cli.workload import library_of_launcher
from leadline.errors import MissingPrerequisite


@pytest.mark.parametrize("name", mpi.NAMES)
def test_an_installed_library_is_found_by_its_mpiexec(name: str) -> None:
    known = mpi.find(name)
    found = mpi.find(str(known.mpiexec))
    assert (found.kind, found.mpicc.parent, found.mpicxx.parent) == (known.kind, *[known.mpicc.parent] * 2)
    assert found.libdir.is_dir()
    assert found.name.startswith(f"{known.kind.name}-"), "what is built with it is kept apart"
    assert found.name != known.name


def test_the_folder_above_does_as_well() -> None:
    mpich = mpi.find("mpich")
    prefix = mpich.mpiexec.parents[1]
    assert mpi.find(str(prefix)) == mpi.find(str(prefix / "bin")) == mpi.find(str(mpich.mpiexec))


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingPrerequisite, match=f"no mpiexec at {tmp_path}"):
        mpi.find(str(tmp_path))
    mpiexec = tmp_path / "mpiexec"
    mpiexec.write_text("#!/bin/sh\n")
    mpiexec.chmod(0o755)
    with pytest.raises(MissingPrerequisite, match=f"no mpicc and mpicxx beside {mpiexec}"):
        mpi.find(str(mpiexec))
    for compiler in ("mpicc", "mpicxx"):
        (tmp_path / compiler).write_text("#!/bin/sh\necho gcc -L/nowhere -lmpi\n")
        (tmp_path / compiler).chmod(0o755)
    with pytest.raises(MissingPrerequisite, match=r"mpicc links no MPI library that Leadline knows"):
        mpi.find(str(mpiexec))
    assert library_of_launcher([str(mpiexec), "-n", "4"]) is None


def test_a_launcher_tells_its_library() -> None:
    mpiexec = str(mpi.find("mpich").mpiexec)
    assert library_of_launcher([mpiexec, "-n", "4"]) == mpiexec
    assert library_of_launcher(["env", "-n", "4"]) is None
    assert library_of_launcher([]) is None
