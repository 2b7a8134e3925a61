"""leadline workload and doctor."""

import json
from pathlib import Path

import pytest

from leadline import mpi, workloads
from leadline.errors import MissingPrerequisite

from .conftest import Command, traces

SMALL = ("--grid", "16x8x6", "--tracers", "4", "--steps", "1", "--decomp", "strips", "--cost", "light")


def test_the_list_names_every_workload(leadline: Command) -> None:
    ended = leadline("workload", "list")
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines()] == [
        "gtc",
        "opatm",
        "pop",
        "pop_f08",
        "s3d",
        "unexpected",
        "vh1",
        "wrf",
    ]


@pytest.mark.parametrize("words", [("build", "pop_f08"), ("run", "pop_f08", "-n", "2")], ids=str)
def test_a_library_without_fortran_is_said_so(leadline: Command, mpich: mpi.Library, words: tuple[str, ...]) -> None:
    if mpich.mpifort is not None:
        pytest.skip(f"{mpich.name} has Fortran bindings")
    ended = leadline("workload", *words, "--mpi", mpich.name)
    assert ended.code == MissingPrerequisite.exit_code
    said = f"workload pop_f08 is in Fortran, but {mpich.name} has no Fortran bindings"
    assert said in ended.err


@pytest.mark.ci("openmpi")
@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_a_workload_runs_plain_and_recorded(leadline: Command, library: mpi.Library) -> None:
    workloads.build(workloads.find("opatm"), library)  # whose time is not the command's
    words = ("workload", "run", "opatm", "-n", "2", "--mpi", library.name)
    plain = leadline(*words, "--", *SMALL)
    assert plain.code == 0, plain.everything
    assert not (leadline.directory / "leadline-runs").exists()
    recorded = leadline(*words, "--record", "run", "--", *SMALL)
    assert recorded.code == 0, recorded.everything
    assert len(traces(leadline.directory / "run")) == 2


@pytest.mark.ci
def test_more_ranks_than_cores_use_open_mpi(leadline: Command, openmpi: mpi.Library) -> None:
    workloads.build(workloads.find("opatm"), openmpi)
    ended = leadline("workload", "run", "opatm", "-n", "5", "--record", "run", "--", *SMALL)
    assert ended.code == 0, ended.everything
    assert len(traces(leadline.directory / "run")) == 5
    command = json.loads((leadline.directory / "run" / "run.json").read_text())["command"]
    assert command[0] == str(openmpi.mpiexec)


def test_a_workloads_own_usage_error_is_passed_on(leadline: Command, mpich: mpi.Library) -> None:
    ended = leadline("workload", "run", "opatm", "-n", "2", "--mpi", mpich.name, "--", "--nonsense")
    assert ended.code == 2, ended.everything
    assert "nonsense" in ended.err


@pytest.mark.parametrize(
    "words", [("run", "no-such-workload"), ("build", "opatm", "--mpi", "no-such-library")], ids=str
)
def test_unknown_names_are_2(leadline: Command, words: tuple[str, ...]) -> None:
    assert leadline("workload", *words).code == 2


def test_doctor_is_content_here(leadline: Command) -> None:
    ended = leadline("doctor", "--json")
    assert ended.code == 0, ended.everything
    found = json.loads(ended.out)
    assert found["ok"] is True
    assert {"recorder", "reports", "clock", "launchers"} <= {check["subject"] for check in found["checks"]}


@pytest.mark.ci("openmpi")
@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_doctor_knows_the_library_of_a_program(leadline: Command, library: mpi.Library) -> None:
    program: Path = workloads.build(workloads.find("opatm"), library)
    ended = leadline("doctor", "--json", "--", *library.launch(2), program)
    assert ended.code == 0, ended.everything
    checks = {check["subject"]: check for check in json.loads(ended.out)["checks"]}
    assert library.kind.title in checks["program"]["finding"]
    assert checks["launcher"]["answer"] == "yes"
