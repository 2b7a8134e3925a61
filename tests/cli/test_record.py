"""leadline record: every way of starting a program, and the program's own behaviour left unchanged."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mpi_facts import facts

from leadline import mpi

from .conftest import Command, Tiny, description, traces


@pytest.fixture
def noop_library(tmp_path: Path) -> Path:
    """A library that a user might preload."""
    source, library = tmp_path / "noop.c", tmp_path / "noop.so"
    source.write_text("int leadline_test_noop;\n")
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
    return library


def test_every_rank_is_recorded_with_every_library(leadline: Command, every_library: mpi.Library, tiny: Tiny) -> None:
    library = every_library
    ended = leadline("record", "-o", "run", "--", *library.launch(2), tiny(library), environ=library.environ)
    assert ended.code == 0, ended.everything
    assert ended.out.startswith("ranks=2 sum=2 ")
    assert len(traces(leadline.directory / "run")) == 2


def test_a_program_started_directly_is_recorded(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    ended = leadline("record", "-o", "run", "--", tiny(library), environ=library.environ)
    assert ended.code == 0, ended.everything
    assert len(traces(leadline.directory / "run")) == 1


@pytest.mark.parametrize(
    "prefix",
    [
        ("env", "X=1"),
        ("timeout", "60"),
        ("timeout", "-s", "INT", "60", "env", "-u", "NOTHING", "nice", "-n", "1"),
        ("env", "-i", f"PATH={os.environ['PATH']}"),
        ("nohup",),
    ],
    ids=" ".join,
)
def test_a_wrapped_mpiexec_is_recorded(
    leadline: Command, mpich: mpi.Library, tiny: Tiny, prefix: tuple[str, ...]
) -> None:
    ended = leadline("record", "-o", "run", "--", *prefix, *mpich.launch(2), tiny(mpich))
    assert ended.code == 0, ended.everything
    assert len(traces(leadline.directory / "run")) == 2


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_a_script_under_mpiexec_is_recorded(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    script = leadline.directory / "script.sh"
    script.write_text(f"#!/bin/sh\nulimit -c 0\n{tiny(library)}\n")
    script.chmod(0o755)
    ended = leadline("record", "-o", "run", "--", *library.launch(2), script, environ=library.environ)
    assert ended.code == 0, ended.everything
    assert len(traces(leadline.directory / "run")) == 2


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_a_script_that_calls_mpiexec_is_recorded(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    line = " ".join([*library.launch(2), str(tiny(library))])
    ended = leadline("record", "-o", "run", "--", "bash", "-c", f"{line}; exit 4", environ=library.environ)
    assert ended.code == 4, ended.everything
    assert len(traces(leadline.directory / "run")) == 2


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_several_programs_under_one_mpiexec_are_all_recorded(
    leadline: Command, library: mpi.Library, tiny: Tiny
) -> None:
    words = [*library.launch(1), str(tiny(library)), ":", "-n", "1", str(tiny(library))]
    ended = leadline("record", "-o", "run", "--", *words, environ=library.environ)
    assert ended.code == 0, ended.everything
    assert len(traces(leadline.directory / "run")) == 2


@pytest.mark.parametrize("how", ["environment", "env", "launcher", "env of the ranks"])
@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_preload_of_the_users_stays(
    leadline: Command, tiny: Tiny, noop_library: Path, how: str, name: str, request: pytest.FixtureRequest
) -> None:
    library: mpi.Library = request.getfixturevalue(name)
    launch, program = library.launch(2), str(tiny(library))
    environ = dict(library.environ)
    setting = f"LD_PRELOAD={noop_library}"
    if how == "environment":
        environ["LD_PRELOAD"] = str(noop_library)
        words = [*launch, program]
    elif how == "env":
        words = ["env", setting, *launch, program]
    elif how == "env of the ranks":
        words = [*launch, "env", setting, program]
    else:
        words = [*launch, *library.kind.launcher.given({"LD_PRELOAD": str(noop_library)}), program]
    ended = leadline("record", "-o", "run", "--", *words, environ=environ)
    assert ended.code == 0, ended.everything
    preload = ended.out.split("preload=")[1].split("\n")[0].split(":")
    assert preload[0].endswith("libleadline.so")
    assert preload[1:] == [str(noop_library)]
    assert len(traces(leadline.directory / "run")) == 2


@pytest.mark.parametrize("code", [1, 2, 7, 100])
def test_the_exit_code_is_the_programs(leadline: Command, mpich: mpi.Library, tiny: Tiny, code: int) -> None:
    ended = leadline("record", "-o", "run", "--", *mpich.launch(1), tiny(mpich), str(code))
    assert ended.code == code, ended.everything
    assert description(leadline.directory / "run")["exit_code"] == code


def test_abort_ends_as_it_does_without_us(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    words = [*library.launch(2), str(tiny(library)), "abort"]
    plain = leadline.plain(*words, environ=library.environ)
    ended = leadline("record", "-q", "-o", "run", "--", *words, environ=library.environ)
    # Of SIGPIPE mpiexec dies in 1 of 40 runs with nothing recorded.
    possible = {9, -13, 141} if facts(library).abort_may_break_pipe else {plain.code}
    assert ended.code in possible - {0}, ended.everything
    assert len(traces(leadline.directory / "run")) == 2


def test_output_and_input_are_untouched(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    ended = leadline(
        "record", "-o", "run", "--", "bash", "-c", f"cat; echo problem >&2; {tiny(mpich)}", stdin="a line\n"
    )
    assert ended.out.splitlines()[0] == "a line"
    assert len(ended.out.splitlines()) == 2
    assert "problem\n" in ended.err
    assert all(line.startswith("leadline: ") or line == "problem" for line in ended.err.splitlines())


def test_quiet_says_nothing(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    ended = leadline("record", "-q", "-o", "run", "--", tiny(mpich))
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"])
def test_a_signal_reaches_the_program(tmp_path: Path, mpich: mpi.Library, tiny: Tiny, name: str) -> None:
    number = getattr(signal, name)
    begun = tmp_path / "begun"
    script = f"trap 'exit 55' {name[3:]}; {tiny(mpich)} >/dev/null; touch {begun}; while :; do sleep 0.05; done"
    words = [*Command.words, "record", "-o", "run", "--", "bash", "-c", script]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        wait_for(begun)
        process.send_signal(number)
        assert process.wait(30) == 55
    assert description(tmp_path / "run")["state"] == "finished"


def test_a_program_ended_by_a_signal_is_128_and_more(leadline: Command) -> None:
    assert leadline("record", "--", "bash", "-c", "kill -9 $$").code == 128 + 9


def test_the_default_directory_is_new_each_time(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    for _ in range(2):
        assert leadline("record", "--", tiny(mpich)).code == 0
    runs = list((leadline.directory / "leadline-runs").iterdir())
    assert len(runs) == 2
    assert all(run.name.startswith("tiny-mpich-") for run in runs)


def test_the_run_describes_itself(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    words = [*mpich.launch(2), str(tiny(mpich))]
    leadline("record", "-o", "run", "--", *words)
    found = description(leadline.directory / "run")
    assert found["command"] == words
    assert found["state"] == "finished"
    assert found["exit_code"] == 0
    assert found["launcher"]["kind"] == "hydra"
    assert found["duration_s"] > 0


def wait_for(path: Path, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.02)


def test_control_c_on_a_terminal_ends_the_program_once(tmp_path: Path, mpich: mpi.Library, tiny: Tiny) -> None:
    """On a real terminal: the key reaches the program directly, and is not sent a second time."""
    begun, count = tmp_path / "begun", tmp_path / "count"
    wait = f"for i in {{1..600}}; do [ -e {count} ] && break; sleep 0.1; done; sleep 1"  # for a second one
    script = f"trap 'echo x >> {count}' INT; {tiny(mpich)}; touch {begun}; {wait}; exit 44"
    pid, terminal = os.forkpty()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(sys.executable, [*Command.words, "record", "-o", "run", "--", "bash", "-c", script])
    wait_for(begun)
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 44
    assert count.read_text() == "x\n"
