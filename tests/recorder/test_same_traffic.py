"""The same traffic in every language over every library: the counts of all functions are what the table says.

That the program itself does what the table says is in test_plain_log.py.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from . import traffic_table
from .building import PROGRAMS, Builder
from .libraries import Library
from .mpi4py_programs import python_command
from .reading import calls_by_rank
from .running import Outcome, run_mpi

RANKS = 2
FORTRAN = {"mpif.h": "-DMPIF_H", "use mpi": "-DUSE_MPI", "use mpi_f08": "-DUSE_MPI_F08"}

# What mpi4py calls by itself beside what it is asked for: at import, to check arguments, when objects come and go.
ALSO_MPI4PYS_OWN = {
    "MPI_Cartdim_get",
    "MPI_Comm_rank",
    "MPI_Comm_set_errhandler",
    "MPI_Comm_size",
    "MPI_Comm_test_inter",
    "MPI_Dist_graph_neighbors_count",
    "MPI_Topo_test",
    "MPI_Type_get_extent",
}
# Where it uses the forms with an MPI_Count of MPI 3 instead.
IN_WIDE_FORM = ("MPI_Get_elements", "MPI_Type_get_extent", "MPI_Type_size")


def checks(outcome: Outcome) -> dict[int, float]:
    """The check each rank printed."""
    found = re.findall(r"rank (\d+) of \d+: check ([-+.e\d]+)", outcome.stdout)
    return {int(rank): float(value) for rank, value in found}


@pytest.fixture(scope="session")
def expected_checks(builder: Builder, tmp_path_factory: pytest.TempPathFactory) -> dict[int, float]:
    """The results of one round, the same in every language and library: those of the first library found here."""
    from .libraries import NAMES, find

    library = next(found for name in NAMES if (found := find(name)))
    directory = tmp_path_factory.mktemp("checks")
    return checks(run_mpi(library, RANKS, [builder.c(library, "traffic.c"), "1", directory], cwd=directory))


def assert_counts(run: Path) -> None:
    counted = calls_by_rank(run)
    assert sorted(counted) == list(range(RANKS))
    for rank, counts in counted.items():
        assert counts == traffic_table.calls(rank)


@pytest.mark.parametrize("language", ["C", "C++"])
def test_counts_of_all_functions_from_c(
    language: str,
    library: Library,
    builder: Builder,
    recorder: Path,
    expected_checks: dict[int, float],
    tmp_path: Path,
) -> None:
    program = (builder.c if language == "C" else builder.cxx)(library, "traffic.c")
    run = tmp_path / "run"
    outcome = run_mpi(library, RANKS, [program, "1", tmp_path], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    assert checks(outcome) == expected_checks
    assert_counts(run)


@pytest.mark.parametrize("binding", FORTRAN)
def test_counts_of_all_functions_from_fortran(
    binding: str,
    either_fortran_library: Library,
    builder: Builder,
    recorder: Path,
    expected_checks: dict[int, float],
    tmp_path: Path,
) -> None:
    program = builder.fortran(either_fortran_library, "traffic.F90", FORTRAN[binding])
    run = tmp_path / "run"
    outcome = run_mpi(
        either_fortran_library, RANKS, [program, "1", tmp_path], cwd=tmp_path, recorder=recorder, run_directory=run
    )
    assert outcome.returncode == 0, outcome.stderr
    assert checks(outcome) == expected_checks
    assert_counts(run)


def in_narrow_form(counts: Counter[str]) -> Counter[str]:
    counts = Counter(counts)
    for name in IN_WIDE_FORM:
        counts[name] += counts.pop(f"{name}_x", 0)
    return counts


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_counts_of_all_functions_from_mpi4py(
    library: Library, recorder: Path, expected_checks: dict[int, float], tmp_path: Path
) -> None:
    """The difference between two rounds and one: what mpi4py does at import and exit is in both."""
    command, environment = python_command(library, tmp_path)
    counted = []
    for rounds in (1, 2):
        run = tmp_path / f"run-{rounds}"
        outcome = run_mpi(
            library,
            RANKS,
            [*command, PROGRAMS / "traffic.py", str(rounds), tmp_path],
            cwd=tmp_path,
            recorder=recorder,
            run_directory=run,
            environment=environment,
        )
        assert outcome.returncode == 0, outcome.stderr
        counted.append(calls_by_rank(run))
    assert checks(outcome) == {rank: 2 * value for rank, value in expected_checks.items()}
    assert sorted(counted[0]) == sorted(counted[1]) == list(range(RANKS))
    for rank in range(RANKS):
        one, two = Counter(counted[0][rank]), Counter(counted[1][rank])
        difference = in_narrow_form(Counter({name: two[name] - one[name] for name in two}))
        table = traffic_table.calls_in_rounds(rank)
        asked = {name: calls for name, calls in table.items() if name not in ALSO_MPI4PYS_OWN}
        assert {name: difference[name] for name in asked} == asked
        for name in ALSO_MPI4PYS_OWN:
            assert difference[name] >= table.get(name, 0)
