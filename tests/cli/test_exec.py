"""leadline exec: the launcher starts us, rank by rank, and the ranks agree on one directory."""

from leadline import mpi

from .conftest import Command, Tiny, description, traces


def test_ranks_of_a_job_share_a_directory(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    ended = leadline.plain(*library.launch(2), *Command.words, "exec", tiny(library), environ=library.environ)
    assert ended.code == 0, ended.everything
    (run,) = (leadline.directory / "leadline-runs").iterdir()
    assert len(traces(run)) == 2
    assert description(run)["how"] == "exec"


def test_the_next_job_gets_another(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    for _ in range(2):
        leadline.plain(*library.launch(2), *Command.words, "exec", tiny(library), environ=library.environ)
    runs = list((leadline.directory / "leadline-runs").iterdir())
    assert sorted(len(traces(run)) for run in runs) == [2, 2]


def test_a_named_directory_is_shared_and_never_used_again(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    words = [*library.launch(2), *Command.words, "exec", "-o", "run", str(tiny(library))]
    ended = leadline.plain(*words, environ=library.environ)
    assert ended.code == 0, ended.everything
    assert len(traces(leadline.directory / "run")) == 2
    again = leadline.plain(*words, environ=library.environ)
    assert again.code != 0
    assert "holds another run" in again.err
    assert len(traces(leadline.directory / "run")) == 2


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
