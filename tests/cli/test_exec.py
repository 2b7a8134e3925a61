"""leadline exec: the launcher starts us, rank by rank, and the ranks agree on one directory."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi

from .conftest import Command, Tiny, traces


def job(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / "job.json").read_text())
    return found


def test_ranks_of_a_job_share_a_directory(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    ended = leadline.plain(*library.launch(2), *Command.words, "exec", tiny(library), environ=library.environ)
    assert ended.code == 0, ended.everything
    (run,) = (leadline.directory / "leadline-runs").iterdir()
    assert len(traces(run)) == 2
    assert job(run)["name"] == run.name


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_the_next_job_gets_another(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    for _ in range(2):
        leadline.plain(*library.launch(2), *Command.words, "exec", tiny(library), environ=library.environ)
    runs = list((leadline.directory / "leadline-runs").iterdir())
    assert sorted(len(traces(run)) for run in runs) == [2, 2]


def test_a_named_directory_is_shared_and_the_next_job_gets_one_in_it(
    leadline: Command, library: mpi.Library, tiny: Tiny
) -> None:
    words = [*library.launch(2), *Command.words, "exec", "-o", "run", str(tiny(library))]
    ended = leadline.plain(*words, environ=library.environ)
    assert ended.code == 0, ended.everything
    run = leadline.directory / "run"
    assert len(traces(run)) == 2
    again = leadline.plain(*words, environ=library.environ)
    assert again.code == 0, again.everything
    assert again.err.count("contains another job's run; this job is recorded in") == 1
    assert len(traces(run)) == 2
    (other,) = (path.parent for path in run.glob("*/job.json"))
    assert len(traces(other)) == 2


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_programs_of_one_job_share_a_directory(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    copy = leadline.directory / "another-name"
    shutil.copy(tiny(library), copy)
    one = [*Command.words, "exec", str(tiny(library))]
    two = [*Command.words, "exec", str(copy)]
    words = [*library.launch(1), *one, ":", "-n", "1", *two]
    ended = leadline.plain(*words, environ=library.environ)
    assert ended.code == 0, ended.everything
    (run,) = (leadline.directory / "leadline-runs").iterdir()
    assert len(traces(run)) == 2


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_a_directory_that_cannot_be_made_keeps_no_program_from_running(
    leadline: Command, library: mpi.Library, tiny: Tiny
) -> None:
    (leadline.directory / "file").write_text("")
    words = [*library.launch(2), *Command.words, "exec", "-o", "file/run", str(tiny(library))]
    ended = leadline.plain(*words, environ=library.environ)
    assert ended.code == 0, ended.everything
    assert "ranks=2" in ended.out
    assert "cannot write to" in ended.err


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_a_script_between_makes_no_difference(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    script = leadline.directory / "script.sh"
    script.write_text(f'#!/bin/sh\n{" ".join(Command.words)} exec {tiny(library)} "$@"\n')
    script.chmod(0o755)
    ended = leadline.plain(*library.launch(2), script, environ=library.environ)
    assert ended.code == 0, ended.everything
    (run,) = (leadline.directory / "leadline-runs").iterdir()
    assert len(traces(run)) == 2


def test_the_exit_code_is_the_programs(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    assert leadline("exec", tiny(mpich), "6").code == 6
    assert leadline("exec", "no-such-command-anywhere").code == 127


def test_several_programs_run_alone_get_a_directory_each(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    for _ in range(2):
        assert leadline("exec", tiny(mpich)).code == 0
    assert len(list((leadline.directory / "leadline-runs").iterdir())) == 2
