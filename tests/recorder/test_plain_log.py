"""The structure, expanded, is the plain log of the calls; and the log is written by the next tool in the chain.

The logger (tests/programs/plainlog.c) is loaded after the recorder, so that its every line also shows that a PMPI tool
after the recorder still sees each call.
"""

import re
from pathlib import Path

import pytest
from random_program_kinds import PROFILES

from . import traffic_table
from .building import Builder
from .comparing import failed_polls, first_difference
from .libraries import Library, find
from .oracle import read_log, read_totals
from .reading import Recorded, failed_polls_of, functions_of, losses_of, open_processes
from .running import Outcome, run_mpi

# MPICH waits busily: no more ranks than cores.
RANDOM_LIBRARIES = {"mpich": 2, "debian-openmpi": 4}
LEAVES = 400


def run_logged(
    library: Library,
    ranks: int,
    program: list[str | Path],
    tool: Path,
    directory: Path,
    recorder: Path | None = None,
) -> Outcome:
    """Runs with the logger, loaded after the recorder if one is given; the logs and the run are in `directory`."""
    directory.mkdir()
    outcome = run_mpi(
        library,
        ranks,
        program,
        cwd=directory,
        recorder=recorder,
        run_directory=directory / "run",
        preload=[tool],
        environment={"PLAINLOG_DIR": str(directory)},
    )
    assert outcome.returncode == 0, outcome.stderr
    return outcome


def assert_recorded_as_logged(directory: Path, ranks: int) -> None:
    processes = open_processes(directory / "run")
    assert sorted(processes) == list(range(ranks))
    for rank, process in processes.items():
        log = directory / f"{rank}.log"
        assert losses_of(process) == []
        calls = read_log(log)
        assert first_difference(calls, list(Recorded(process))) == "", f"rank {rank}"
        assert failed_polls_of(process) == failed_polls(calls), f"rank {rank}"
        assert functions_of(process) == read_totals(log), f"rank {rank}"


def without_outcomes(log: Path) -> list[str]:
    """The lines of a log without what a wildcard receive found: that differs where the recorder asked and the
    program did not."""
    return [re.sub(r" (bytes|peer|tag)=\S+", "", line) for line in log.read_text().splitlines()]


def test_calls_of_every_kind_are_recorded_as_logged(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program: list[str | Path] = [builder.c(library, "traffic.c"), "2", tmp_path]
    tool = builder.tool(library, "plainlog.c")
    ranks = 4 if library.kind.shares_cores else 2
    plain = run_logged(library, ranks, program, tool, tmp_path / "plain")
    for rank in range(ranks):
        assert read_totals(tmp_path / "plain" / f"{rank}.log") == traffic_table.calls(rank, 2)
    recorded = run_logged(library, ranks, program, tool, tmp_path / "recorded", recorder)
    assert recorded.lines == plain.lines
    assert_recorded_as_logged(tmp_path / "recorded", ranks)
    for rank in range(ranks):
        lines = without_outcomes(tmp_path / "recorded" / f"{rank}.log")
        assert lines == without_outcomes(tmp_path / "plain" / f"{rank}.log")


def test_a_tool_linked_into_the_program_still_sees_every_call(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """The tool stands before libmpi, behind everything that is preloaded."""
    library = one_of_each_family
    tool = builder.tool(library, "plainlog.c")
    link = [f"-L{tool.parent}", f"-l:{tool.name}", f"-Wl,-rpath,{tool.parent}", "-Wl,--no-as-needed"]
    program = builder.c(library, "random_program.c", *link)
    run_mpi(
        library,
        2,
        [program, "5", "mixed", "100"],
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
        environment={"PLAINLOG_DIR": str(tmp_path)},
    )
    assert_recorded_as_logged(tmp_path, 2)


def test_a_tool_inside_the_executable_is_recorded_by_the_calls_it_makes(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """The program's calls then never leave the executable; what the recorder sees are the tool's calls of PMPI_x."""
    library = one_of_each_family
    program = builder.c_with(library, "smoke.c", "plainlog.c")
    outcome = run_mpi(
        library,
        2,
        [program, "50"],
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
        environment={"PLAINLOG_DIR": str(tmp_path)},
    )
    assert outcome.returncode == 0, outcome.stderr
    for rank, process in open_processes(tmp_path / "run").items():
        counted, logged = functions_of(process), read_totals(tmp_path / f"{rank}.log")
        for name in ("MPI_Init", "MPI_Irecv", "MPI_Send", "MPI_Wait", "MPI_Allreduce", "MPI_Finalize"):
            assert counted[name] == logged[name]


@pytest.mark.ci(library_name="debian-openmpi")
@pytest.mark.full(library_name="mpich", seed=2)
@pytest.mark.full(library_name="debian-openmpi", seed=1)
@pytest.mark.parametrize("library_name", RANDOM_LIBRARIES)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("profile", PROFILES)
def test_random_programs_are_recorded_as_logged(
    profile: str, seed: int, library_name: str, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = find(library_name)
    if library is None:
        pytest.skip(f"the MPI library {library_name} is not installed")
    ranks = RANDOM_LIBRARIES[library_name]
    program: list[str | Path] = [builder.c(library, "random_program.c"), str(seed), profile, str(LEAVES)]
    tool = builder.tool(library, "plainlog.c")
    plain = run_mpi(library, ranks, program, cwd=tmp_path)
    recorded = run_logged(library, ranks, program, tool, tmp_path / "recorded", recorder)
    assert recorded.lines == plain.lines
    assert_recorded_as_logged(tmp_path / "recorded", ranks)


@pytest.mark.parametrize("profile", ["mixed", "halo26"])
def test_random_programs_on_eight_ranks(profile: str, builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library = find("debian-openmpi") or find("openmpi")
    if library is None:
        pytest.skip("no Open MPI is installed")
    program: list[str | Path] = [builder.c(library, "random_program.c"), "7", profile, "200"]
    tool = builder.tool(library, "plainlog.c")
    run_logged(library, 8, program, tool, tmp_path / "recorded", recorder)
    assert_recorded_as_logged(tmp_path / "recorded", 8)
