"""Field I/O from Python, with mpi4py and NumPy arrays."""

import re
from pathlib import Path

import kept_builds
import pytest
import tiers
from recorder.mpi4py_programs import python_command
from recorder.running import run_mpi
from segments.building import library

from leadline import shared_object

from .building import PAGE, ROOT, need

PROGRAM = ROOT / "tests" / "programs" / "fieldio.py"
FRAME = ROOT / "tests" / "programs" / "fieldio_docs.py"
PARALLEL = "debian-openmpi"
FIELDS = 300 if tiers.everything() else 30


def lines_of(name: str, ranks: int, words: list[str], tmp_path: Path, program: Path = PROGRAM) -> list[str]:
    chosen = library(name)
    python, environment = python_command(chosen, tmp_path)
    # As a user has it, but kept with the other programs of the tests.
    cache = kept_builds.folder() / "cache"
    shared_object.compiled("fieldio", str(chosen.mpicc), options=("-ldl",), folder=cache / "leadline" / "fieldio")
    environment |= {"MPICC": str(chosen.mpicc), "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(ROOT / "tests")}
    done = run_mpi(chosen, ranks, [*python, program, *words], cwd=tmp_path, environment=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.lines


@pytest.mark.ci(name="debian-openmpi", ranks=2)
@pytest.mark.ci("auto")
@pytest.mark.parametrize(
    ("name", "ranks", "written", "read"),
    [
        (PARALLEL, 3, "parallel", "gathered"),
        (PARALLEL, 2, "serial", "parallel"),
        (PARALLEL, 4, "auto", "auto"),
        ("mpich", 2, "gathered", "serial"),
        ("mpich", 2, "auto", "auto"),  # without a PnetCDF one rank reads and writes
    ],
)
def test_random_fields_come_back(name: str, ranks: int, written: str, read: str, tmp_path: Path) -> None:
    for way in (written, read):
        need(name, way, tmp_path)
    said = lines_of(name, ranks, ["random", "1", str(FIELDS), written, read], tmp_path)
    assert said == [f"rank {rank}: {FIELDS} fields, 0 wrong" for rank in range(ranks)]


@pytest.mark.parametrize("way", ["parallel", "gathered"])
def test_what_is_wrong_on_one_rank_is_raised_on_all(way: str, tmp_path: Path) -> None:
    need(PARALLEL, way, tmp_path)
    said = lines_of(PARALLEL, 3, ["wrong", way], tmp_path)
    unusable = (
        "wrong.nc: the field in memory must be contiguous, with elements of 4 or 8 bytes, and of the declared size"
    )
    wrong = {
        "no file": "none.nc: ",
        "block": "rank 2, dimension 1: block of 4 points starting at 0, but the field has 3",
        "lengths": "rank 2: a field needs 1 to 6 dimensions, sizes and a block",
        "shape": unusable,
        "type": unusable,
        "order": unusable,
        "overlap": "wrong.nc: the blocks of ranks 0 and 1 overlap in 6 points",
        "right": "fine",
    }
    for kind, text in wrong.items():
        found = [line for line in said if f": {kind}: " in line]
        assert len(found) == 3
        assert all(line.partition(f": {kind}: ")[2].startswith(text) for line in found), found


def test_hints_are_tried_and_kept(tmp_path: Path) -> None:
    need(PARALLEL, "parallel", tmp_path)
    said = lines_of(PARALLEL, 2, ["hints"], tmp_path)
    written = (1 + 3 * 7) * 8 * 50 * 8  # rounds, sets, points
    assert said == [f"rank {rank}: True '' True True True 3 {written} True True {{}}" for rank in range(2)]


def test_the_example_in_the_documentation_reads_the_field(tmp_path: Path) -> None:
    need(PARALLEL, "gathered", tmp_path)
    found = re.search(r"^### Python\n+```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    assert len([line for line in found.group(1).splitlines() if line.strip()]) <= 20
    text, times = re.subn(r"^# EXAMPLE$", lambda _: found.group(1), FRAME.read_text(), flags=re.MULTILINE)
    assert times == 1
    program = tmp_path / "example.py"
    program.write_text(text)
    assert lines_of(PARALLEL, 2, [], tmp_path, program) == [f"rank {rank}: 0 wrong" for rank in range(2)]


def test_another_mpi_library_than_that_of_mpi4py_is_refused(tmp_path: Path) -> None:
    """Its functions would end the program in the first call."""
    chosen, other = library("mpich"), library("openmpi")
    python, environment = python_command(chosen, tmp_path)
    program = tmp_path / "asks.py"
    program.write_text(
        "from mpi4py import MPI\n"
        "from leadline.fieldio import FieldIoError, has_parallel\n"
        "try:\n"
        "    has_parallel(MPI.COMM_WORLD)\n"
        "except FieldIoError as error:\n"
        "    print(error)\n"
    )
    cache = kept_builds.folder() / "cache"
    environment |= {"MPICC": str(other.mpicc), "XDG_CACHE_HOME": str(cache)}
    done = run_mpi(chosen, 1, [*python, program], cwd=tmp_path, environment=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"mpi4py uses MPICH Version: \S+, but \S+ compiles for Open MPI v.+", done.lines[0])
