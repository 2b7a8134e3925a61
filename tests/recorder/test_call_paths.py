"""One halo routine called from three routines: each call belongs to the routine and line it was made from."""

from collections import Counter
from pathlib import Path

import pytest

from .building import PROGRAMS, Builder
from .libraries import Library
from .reading import report_of
from .running import run_mpi

STEPS, RANKS = 10, 2
# Outermost first: where in the program a call was made, by the marks in the source.
EXPECTED = {
    (("main-advect", "advect"), ("advect-first", "exchange")): 1,
    (("main-advect", "advect"), ("advect-loop", "exchange")): 7,
    (("main-diffuse", "diffuse"), ("diffuse", "exchange")): 3,
    (("main-integrate", "integrate"), ("integrate", "exchange")): 1,
}
MESSAGES = {"irecv": "MPI_Irecv", "isend": "MPI_Isend", "waitall": "MPI_Waitall"}
# Unwinding must need no frame pointers; one routine's clones would have names of their own.
OPTIONS = ("-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls")
FORTRAN_OPTIONS = (*OPTIONS, "-fno-inline", "-fno-ipa-cp", "-fno-ipa-sra")


def marks(source: str) -> dict[str, int]:
    """Line of each `at:NAME`."""
    lines = (PROGRAMS / source).read_text().splitlines()
    return {line.split("at:")[1].split()[0]: number for number, line in enumerate(lines, 1) if " at:" in line}


def expected_paths(source: str, main: str, with_lines: bool) -> Counter[tuple[str, tuple[tuple[str, int | None], ...]]]:
    """(function, ((routine, line), ... outermost first)) -> calls of all ranks."""
    at = marks(source)
    paths: Counter[tuple[str, tuple[tuple[str, int | None], ...]]] = Counter()
    for mark, function in MESSAGES.items():
        for ((outer, routine), (inner, _)), calls in EXPECTED.items():
            places = [(main, at[outer]), (routine, at[inner]), ("exchange", at[mark])]
            paths[function, tuple((name, line if with_lines else None) for name, line in places)] += calls
        # Without lines the two places in `advect` are told apart by their addresses only.
    return Counter({key: calls * STEPS * RANKS for key, calls in paths.items()})


def found_paths(run: Path) -> Counter[tuple[str, tuple[tuple[str, int | None], ...]]]:
    found: Counter[tuple[str, tuple[tuple[str, int | None], ...]]] = Counter()
    for site in report_of(run)["sites"]:
        if site["function"] in MESSAGES.values():
            assert (site["routine"], site["line"]) == (site["frames"][-1]["routine"], site["frames"][-1]["line"])
            path = tuple((frame["routine"], frame["line"]) for frame in site["frames"])
            found[site["function"], path] += site["calls"]
    return found


def record(library: Library, program: Path, recorder: Path, directory: Path) -> Path:
    run = directory / "run"
    outcome = run_mpi(library, RANKS, [program, str(STEPS)], cwd=directory, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    return run


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
@pytest.mark.parametrize("debug", ["-g", "-g0"])
@pytest.mark.parametrize("language", ["C", "C++"])
def test_calls_from_c_belong_to_the_routine_they_were_made_from(
    language: str, debug: str, library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    build = builder.c if language == "C" else builder.cxx
    run = record(library, build(library, "call_paths.c", *OPTIONS, debug), recorder, tmp_path)
    assert found_paths(run) == expected_paths("call_paths.c", "main", debug == "-g")


@pytest.mark.parametrize("debug", ["-g", "-g0"])
@pytest.mark.parametrize("binding", ["use mpi_f08", "use mpi"])
def test_calls_from_fortran_belong_to_the_routine_they_were_made_from(
    binding: str, debug: str, fortran_library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    options = (*FORTRAN_OPTIONS, debug, *(("-DUSE_MPI",) if binding == "use mpi" else ()))
    run = record(fortran_library, builder.fortran(fortran_library, "call_paths.F90", *options), recorder, tmp_path)
    main = "call_paths" if debug == "-g" else "main program"
    assert found_paths(run) == expected_paths("call_paths.F90", main, debug == "-g")
