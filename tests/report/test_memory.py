"""A report takes at most twice the memory that its traces take on disk, whatever the program does; of small ones, no
more than what tables of a bounded size take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import Library
from leadline.mpi import find as find_library

PROGRAM = Path(__file__).resolve().parent / "programs" / "random_calls.c"
BOUNDED = 75_000_000  # bytes: first calls, one decoded generation, channels of a timeline's ranks


@pytest.fixture(scope="module")
def library() -> Library:
    try:
        return find_library("mpich")
    except LeadlineError:
        pytest.skip("MPICH from PyPI is not installed")


def recorded(library: Library, program: Path, rounds: int) -> Path:
    run = program.parent / str(rounds)
    command = [*library.launch(2, oversubscribe=True), str(program), str(rounds)]
    record = [sys.executable, "-m", "leadline", "record", "--budget", "1GB", "-o", str(run), "--", *command]
    subprocess.run(record, check=True, timeout=300, env={**library.env(), **library.environ}, capture_output=True)
    return run


MEASURE = """
import resource, subprocess, sys
report = [sys.executable, "-m", "leadline", "report", sys.argv[1], "--json"]
subprocess.run(report, check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""  # in a small process: a child's peak begins with the memory of whoever started it


def peak_of_report(run: Path) -> int:
    """Bytes of resident memory, at most, while a process of its own makes the report as JSON."""
    measured = subprocess.run([sys.executable, "-c", MEASURE, str(run)], check=True, capture_output=True, text=True)
    return int(measured.stdout)


# 5 and 40 MB, of which hardly two calls are alike.
@pytest.mark.parametrize(
    "rounds", [pytest.param(2_500, marks=pytest.mark.ci), pytest.param(20_000, marks=pytest.mark.full)]
)
def test_a_report_of_irregular_calls_takes_little_more_than_the_traces(
    library: Library, tmp_path: Path, rounds: int
) -> None:
    program = tmp_path / "random_calls"
    subprocess.run([library.mpicc, "-O2", str(PROGRAM), "-o", str(program)], check=True, env=library.env())
    many, few = recorded(library, program, rounds), recorded(library, program, 1)
    size = sum(file.stat().st_size for file in many.iterdir() if file.suffix in (".trace", ".structure"))
    assert size > 1500 * rounds
    assert peak_of_report(many) - peak_of_report(few) <= max(2 * size, BOUNDED)
