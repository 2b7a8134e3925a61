"""MPI before the recorder's own constructors and after everybody's destructors: other libraries' and the program's."""

import subprocess
import sys
from pathlib import Path

import pytest

from leadline.launch.executable import inspect

from .building import Builder
from .libraries import Library, find
from .reading import calls_by_rank, report_of
from .running import run_mpi

CHECK = Path(__file__).parents[2] / "tools" / "initialisers.py"
RANKS = 2
STEPS = 10


@pytest.mark.full("debian-mpich", "debian-openmpi")
@pytest.mark.parametrize("begins", ["in-main", "in-a-constructor"])
def test_calls_before_main_and_after_it_are_recorded(
    begins: str, builder: Builder, library: Library, recorder: Path, tmp_path: Path
) -> None:
    early = builder.cxx(library, "early.cpp", "-DLIBRARY", "-shared", "-fPIC", "-pthread")
    program = builder.cxx(library, "early.cpp", str(early))
    outcome = run_mpi(
        library,
        RANKS,
        [program],
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
        environment={"EARLY": "init"} if begins == "in-a-constructor" else {},
    )
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.lines == [f"sum right, initialized before main: {int(begins == 'in-a-constructor')}"]
    expected = {"MPI_Init": 1, "MPI_Initialized": 4, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Finalize": 1}
    expected |= {"MPI_Sendrecv_replace": STEPS, "MPI_Allreduce": STEPS}
    calls = calls_by_rank(tmp_path / "run")
    mpi_only = {rank: {k: n for k, n in of.items() if k.startswith("MPI_")} for rank, of in calls.items()}
    assert mpi_only == dict.fromkeys(range(RANKS), expected)
    report = report_of(tmp_path / "run")
    assert report["complete"]
    # A rank's time begins with MPI_Init: what was done before is none of it.
    assert report["io"]["outside"]["bytes_written"] == RANKS * len("early\n")
    assert report["io"]["outside"]["calls"] == report["io"]["calls"]
    assert report["io_s"] == 0


def test_programs_with_open_mpis_cxx_bindings_are_recorded(builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library = find("debian-openmpi")
    if library is None:
        pytest.skip("libopenmpi-dev is not installed")
    program = builder.cxx_with_bindings(library, "bindings.cpp")
    described = inspect(str(program))
    assert described is not None
    assert Path(described.mpi_library).name == "libmpi.so.40"
    assert described.family == "Open MPI"
    outcome = run_mpi(library, RANKS, [program], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    assert (outcome.returncode, outcome.stdout) == (0, "sum 1\n"), outcome.stderr
    report = report_of(tmp_path / "run")
    assert report["complete"]
    calls = {row["function"]: row["calls"] for row in report["functions"]}
    assert (calls["MPI_Allreduce"], calls["MPI_Comm_dup"], calls["MPI_Barrier"]) == (5 * RANKS, RANKS, RANKS)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("int given(); int constant = 4;", ""),
        ("int given(); int computed = given();", "_GLOBAL__sub_I"),
        ("struct D { ~D(); }; D destroyed;", "_GLOBAL__sub_I"),
        ("__attribute__((constructor)) void known() {}", ""),
        ("__attribute__((constructor)) void unknown() {}", "unknown"),
    ],
)
def test_the_build_fails_where_something_is_initialised_at_run_time(source: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(source)
    words = ["g++", "-shared", "-fPIC", "-O2", "a.cpp", "-o", "a.so"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=120)
    done = subprocess.run(
        [sys.executable, str(CHECK), "a.so", "known"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == (1 if found else 0)
    assert found in done.stderr
