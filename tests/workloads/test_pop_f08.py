"""pop in Fortran: the results of the C++ program to rounding, and its messages, with each library that has mpi_f08."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi, workloads
from leadline.errors import LeadlineError, MissingPrerequisite

from .pop_figures import Figures, Ocean, figures_of
from .recorded import Recording, quickest, record, result_line, runs, start, words

pytestmark = pytest.mark.ci  # for changes to workloads/

SMALL = {"grid": "97x33x4", "tracers": 3, "steps": 3}
ROUNDING = 3e-14
RECORDED = {"grid": "25x18x4", "tracers": 3, "steps": 2}
RUNS = runs([("debian-mpich", 2), ("debian-openmpi", 4)],
            [("debian-mpich", 4), *[("debian-openmpi", ranks) for ranks in (2, 8, 16)]])  # fmt: skip
LIBRARIES = pytest.mark.parametrize("name", workloads.FORTRAN)


def _library(name: str) -> mpi.Library:
    try:
        library = mpi.find(name)
    except LeadlineError:
        pytest.skip(f"the MPI library {name} is not installed")
    if library.mpifort is None:
        pytest.skip(f"no Fortran compiler for {name}: install gfortran")
    return library


@pytest.fixture(scope="module")
def cpp(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    """The result of the C++ program."""
    return figures_of(result_line("pop", quickest(), 1, SMALL, cwd=tmp_path_factory.mktemp("cpp")))


@LIBRARIES
@pytest.mark.parametrize(("ranks", "blocks"), [(1, "1x1"), (2, "2x1"), (2, "1x2")])
def test_result_is_that_of_the_cpp_program(cpp: Figures, tmp_path: Path, name: str, ranks: int, blocks: str) -> None:
    figures = figures_of(result_line("pop_f08", _library(name), ranks, {**SMALL, "blocks": blocks}, cwd=tmp_path))
    assert figures.values == pytest.approx(cpp.values, rel=ROUNDING)
    assert figures.iterations == pytest.approx(cpp.iterations, abs=20)


def test_standard_solver_gives_it_too(cpp: Figures, tmp_path: Path) -> None:
    figures = figures_of(
        result_line("pop_f08", _library("debian-mpich"), 2, {**SMALL, "solver": "standard"}, cwd=tmp_path)
    )
    assert figures.values == pytest.approx(cpp.values, rel=ROUNDING)


@pytest.mark.parametrize("solver", ["chrongear", "standard"])
def test_members_are_those_of_the_cpp_program(tmp_path: Path, solver: str) -> None:
    options = {"grid": "40x30x3", "steps": 4, "solver": solver, "members": 4}
    cpp = figures_of(result_line("pop", quickest(), 1, options, cwd=tmp_path))
    figures = figures_of(result_line("pop_f08", _library("debian-mpich"), 2, options, cwd=tmp_path))
    assert figures.values == pytest.approx(cpp.values, rel=ROUNDING)
    assert figures.last == pytest.approx(cpp.last, rel=ROUNDING)


def test_the_seiche_swings_as_it_must(tmp_path: Path) -> None:
    options = {"grid": "8x16x4", "steps": 20, "case": "seiche"}
    figures = figures_of(result_line("pop_f08", _library("debian-mpich"), 2, options, cwd=tmp_path))
    assert figures.seiche == pytest.approx(figures.expected_seiche, abs=2e-6)


@pytest.mark.parametrize("exchange", ["momentum:1", "barotropic:4", "tracer_transport:2", "solver:1"])
def test_without_this_exchange_the_result_differs(cpp: Figures, tmp_path: Path, exchange: str) -> None:
    done = start(
        "pop_f08", _library("debian-mpich"), 2, words(SMALL), cwd=tmp_path, environment={"POP_LEAVE_OUT": exchange}
    )
    (line,) = done.stdout.splitlines()
    differences = [abs(a - b) / b for a, b in zip(figures_of(line).values, cpp.values, strict=True)]
    assert not max(differences) < 1e-13
    assert ("the solver did not converge" in done.stderr) == (exchange == "solver:1")
    assert (done.returncode != 0) or (exchange != "solver:1")


@pytest.fixture(scope="module", params=RUNS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, Figures]:
    name, ranks = request.param
    recording = record("pop_f08", _library(name), ranks, RECORDED, cwd=tmp_path_factory.mktemp("pop_f08"))
    return recording, figures_of(recording.line)


def test_messages_are_those_of_the_cpp_program(run: tuple[Recording, Figures]) -> None:
    recording, figures = run
    ranks = recording.report["ranks"]
    ocean = Ocean(25, 18, figures.columns, figures.rows)
    iterations, checks, steps, levels = figures.iterations, figures.iterations // 10, 2, 4
    exchanges = Counter({levels: steps, 2 * levels: 3 * steps, 3 * levels: 4 * steps, 2: 2 * steps})
    exchanges[1] += 2 * steps + iterations + checks
    sizes: Counter[int] = Counter()
    for values, times in exchanges.items():
        sizes.update({size: number * times for size, number in ocean.sizes(values).items()})
    assert _sizes(recording.report) == sizes
    assert recording.calls("MPI_Isend") == recording.calls("MPI_Irecv") == sum(sizes.values())
    assert recording.calls("MPI_Waitall") == 2 * exchanges.total() * ranks
    assert recording.calls("MPI_Allreduce") == (iterations + checks) * ranks
    assert recording.calls("MPI_Reduce") == 4 * ranks
    functions = {function["function"] for function in recording.report["functions"]}
    start_and_end = {"MPI_Init", "MPI_Finalize", "MPI_Comm_rank", "MPI_Comm_size"}
    assert functions - start_and_end == {"MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce", "MPI_Reduce"}


def _sizes(report: dict[str, Any]) -> Counter[int]:
    sizes: Counter[int] = Counter()
    for site in report["sites"]:
        for entry in site["sizes"] or ():
            sizes[entry["bytes"]] += entry["messages"]
    return sizes


REFUSED = {
    "an unknown option": (["--tracer=4"], "unknown option --tracer; available: --grid, --tracers"),
    "a word that is no option": (["fast"], "'fast' is not an option"),
    "an option without value": (["--steps"], "--steps needs a value"),
    "an option given twice": (["--steps=1", "--steps=2"], "--steps given twice"),
    "no steps": (["--steps", "0"], "--steps: expected an integer from 1 to 1000000, got '0'"),
    "a number too large": (["--steps=99999999999999999999"], "--steps: expected an integer from 1"),
    "no number": (["--steps=4.5"], "--steps: expected an integer from 1"),
    "a grid of two sizes": (["--grid=14x10"], "--grid: expected the form 320x384x40, got '14x10'"),
    "a grid too small for the ranks": (["--grid=3x3x3"], "a grid of 3 x 3 points cannot be decomposed into 3 blocks"),
    "another number of blocks": (["--blocks=2x2"], "--blocks gives 2 x 2 blocks for 3 processes"),
    "an unknown solver": (["--solver=sor"], "--solver: expected one of chrongear, standard, got 'sor'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_one_line_and_exit_code_2_on_every_rank(tmp_path: Path, case: str) -> None:
    options, reason = REFUSED[case]
    wrapper = ["sh", "-c", '"$@"; echo "ended with $?"', "sh"]
    done = start("pop_f08", _library("debian-mpich"), 3, options, cwd=tmp_path, wrapper=wrapper)
    assert done.stdout.splitlines() == ["ended with 2"] * 3, done.stderr
    (said,) = [line for line in done.stderr.splitlines() if "pop_f08" in line]
    assert said.startswith("pop_f08: ")
    assert reason in said


def test_a_library_without_fortran_is_said_so(tmp_path: Path) -> None:
    for library in mpi.available():
        if library.mpifort is None:
            with pytest.raises(MissingPrerequisite, match=f"pop_f08 is in Fortran, but {library.name} has"):
                workloads.build(workloads.find("pop_f08"), library, tmp_path)
