"""Calls of MPI through what dlsym found are recorded: of linked programs, of programs that load MPI, behind a tool.

src/host/symbol_lookup.hpp says how.
"""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from .building import PROGRAMS, Builder
from .libraries import Library
from .reading import calls_by_rank, report_of
from .running import Outcome, run_mpi

COMMON = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Barrier": 3, "MPI_Finalize": 1}
EXPECTED = {0: {**COMMON, "MPI_Send": 7}, 1: {**COMMON, "MPI_Recv": 7}}


def check(outcome: Outcome, run: Path, *, printed: str = "") -> None:
    """The program ran as it would have, and every call is recorded once, with its bytes."""
    assert (outcome.returncode, outcome.stdout) == (0, printed), outcome.stdout + outcome.stderr
    calls = {
        rank: {name: times for name, times in of_rank.items() if name != "MPI_Get_version"}
        for rank, of_rank in calls_by_rank(run).items()
    }
    assert calls == EXPECTED
    totals = report_of(run)["totals"]
    assert (totals["messages"], totals["message_bytes"]) == (7, 700)
    assert "bypass" not in outcome.stderr


@pytest.fixture(scope="module")
def mpi_file(one_of_each_family: Library) -> Path:
    """The library's own file."""
    folder = one_of_each_family.libdir
    found = sorted(folder.glob("libmpi.so.[0-9]*"), key=lambda path: len(path.name))
    if not found:
        pytest.skip("the library's file has another name")
    return found[0]


@pytest.fixture(scope="module")
def unlinked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that is linked with no MPI library."""
    program = tmp_path_factory.mktemp("unlinked") / "looked_up"
    words = ["cc", "-O2", "-std=gnu11", "-o", str(program), str(PROGRAMS / "looked_up.c"), "-ldl"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("where", ["default", "next", "file"])
def test_names_looked_up_by_a_linked_program(
    where: str, one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    program = [builder.c(library, "looked_up.c", "-DLINKED", "-ldl"), where]
    run = tmp_path / "run"
    check(run_mpi(library, 2, program, cwd=tmp_path, recorder=recorder, run_directory=run), run)


@pytest.mark.parametrize("scope", ["global", "local"])
def test_a_program_that_loads_mpi(
    scope: str, one_of_each_family: Library, mpi_file: Path, unlinked: Path, recorder: Path, tmp_path: Path
) -> None:
    program = [unlinked, "open", mpi_file, *(["LOCAL"] if scope == "local" else [])]
    run = tmp_path / "run"
    check(run_mpi(one_of_each_family, 2, program, cwd=tmp_path, recorder=recorder, run_directory=run), run)


def test_a_python_program_that_calls_mpi_by_ctypes(
    one_of_each_family: Library, mpi_file: Path, recorder: Path, tmp_path: Path
) -> None:
    program = [sys.executable, PROGRAMS / "looked_up.py", mpi_file]
    run = tmp_path / "run"
    check(run_mpi(one_of_each_family, 2, program, cwd=tmp_path, recorder=recorder, run_directory=run), run)


@pytest.mark.parametrize("tool_first", [True, False], ids=["tool in front", "tool behind"])
def test_another_tool_that_passes_calls_on(
    tool_first: bool, one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    program = builder.c(library, "looked_up.c", "-DLINKED", "-ldl")
    tool = builder.tool(library, "next_tool.c", "-ldl")
    run = tmp_path / "run"
    run.mkdir()
    preloaded = [tool, recorder] if tool_first else [recorder, tool]
    environment = {"LEADLINE_DIR": str(run)}
    outcome = run_mpi(library, 2, [program, "default"], cwd=tmp_path, preload=preloaded, environment=environment)
    check(outcome, run, printed="tool: 7\n")


@pytest.fixture(scope="module")
def bypass(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("bypass") / "bypass"
    words = ["cc", "-O1", "-std=gnu11", "-o", str(program), str(PROGRAMS / "bypass.c"), "-ldl"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.skipif(
    [int(part) for part in platform.libc_ver()[1].split(".")[:2]] < [2, 35], reason="the C library hides name spaces"
)
def test_a_library_in_a_name_space_of_its_own_is_said_not_to_be_recorded(
    one_of_each_family: Library, bypass: Path, mpi_file: Path, recorder: Path, tmp_path: Path
) -> None:
    program, run = [bypass, "name-space", mpi_file], tmp_path / "run"
    outcome = run_mpi(one_of_each_family, 1, program, cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    assert "this program is not recorded: it loaded an MPI library in a way that bypasses Leadline" in outcome.stderr
    assert "dlmopen" in outcome.stderr
    assert not list(run.glob("*.trace"))


def test_what_dlerror_says_can_be_printed(bypass: Path, recorder: Path, tmp_path: Path) -> None:
    """The first printf must not look anything up."""
    words = [str(bypass), "missing", "libthere-is-none.so"]
    environment = {"LD_PRELOAD": str(recorder), "LEADLINE_DIR": str(tmp_path)}
    plain, recorded = (
        subprocess.run(words, capture_output=True, text=True, check=False, env=env) for env in ({}, environment)
    )
    assert plain.stdout.startswith("libthere-is-none.so: cannot open shared object file")
    assert (recorded.returncode, recorded.stdout, recorded.stderr) == (0, plain.stdout, plain.stderr)
