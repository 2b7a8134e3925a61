"""leadline-exec, which becomes the program without Python, and what it leaves to Python's `leadline exec`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import leadline
from leadline import mpi

from .conftest import Command, Ended, Tiny, traces

NATIVE = Path(leadline.__file__).parent / "lib" / "leadline-exec"
BY_PYTHON = {"LEADLINE_EXEC_PART": "exec"}
# Every kind of option, set variables, and commands in front of the program.
SAME: list[tuple[list[str], dict[str, str]]] = [
    ([], {}),
    (["-o", "some/where"], {}),
    (["-osomewhere", "--"], {}),
    (["--output=./some//where/."], {"LD_PRELOAD": "libm.so.6"}),
    (["--budget", "64MB", "--series", "all", "--memory=8MiB", "--clocks", "none"], {}),
    (["--series", "1.5MB", "--live", "run"], {}),
    (["--sample"], {}),
    (["--sample", "50", "--keep-secrets", "--start-paused"], {}),
    (["--sample=200", "--verbose"], {"LEADLINE_OUTPUT": "named", "LEADLINE_BUDGET": "1GB"}),
    ([], {"LEADLINE_DIR": "/inherited", "LEADLINE_RUNS": "1", "LEADLINE_VERBOSE": "1"}),
    (["-o", "elsewhere"], {"LEADLINE_DIR": "/inherited", "LEADLINE_RUNS": "1", "LEADLINE_VERBOSE": "0"}),
    ([], {"LEADLINE_SERIES": "none", "LEADLINE_SAMPLE": "10", "LEADLINE_CLOCKS": "exchange"}),
    (["env", "OTHER=1", "nice", "-n", "0"], {}),
]
# What Python decides, whoever is asked: the code and the words are its.
LEFT: list[list[str]] = [
    ["--budget", "5", "true"],
    ["--budget", "1kB", "true"],
    ["--sample=0", "true"],
    ["--series", "many", "true"],
    ["--no-such-option", "true"],
    ["--output"],
    [],
    ["no-such-command-anywhere"],
    ["./folder"],
    ["./text"],
    ["./empty"],
    ["--help"],
]


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, str]:
    """An environment with no settings file and no variable of Leadline's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEADLINE_")}
    return {**kept, "HOME": str(tmp_path), "XDG_CONFIG_HOME": ""}


def run(words: list[str | Path], folder: Path, environ: dict[str, str]) -> Ended:
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def variables(ended: Ended) -> set[str]:
    assert ended.code == 0, ended.everything
    return set(ended.out.splitlines()) - {f"LEADLINE_EXEC_PART={part}" for part in ("exec", "keeper")}


def test_the_program_gets_the_same_environment(tmp_path: Path, alone: dict[str, str]) -> None:
    for options, given in SAME:
        environ = {**alone, **given}
        native = variables(run([NATIVE, *options, "env"], tmp_path, environ))
        python = variables(run([*Command.words, "exec", *options, "env"], tmp_path, {**environ, **BY_PYTHON}))
        assert native == python, options
        assert any(variable.startswith("LD_PRELOAD=") for variable in native)


def test_python_leaves_nothing_in_the_environment(tmp_path: Path, alone: dict[str, str]) -> None:
    """In the locale "C", Python changes LC_CTYPE (PEP 538)."""
    environ = {name: value for name, value in alone.items() if not name.startswith("LC_")} | {"LANG": "C"}
    native = variables(run([NATIVE, "env"], tmp_path, environ))
    assert variables(run([*Command.words, "exec", "env"], tmp_path, environ)) == native
    assert not any(variable.startswith(("LC_CTYPE=", "LEADLINE_EXEC")) for variable in native)


def test_no_python_is_started(tmp_path: Path, alone: dict[str, str]) -> None:
    """There is none to be found: neither beside it nor on PATH."""
    folder = tmp_path / "lib"
    folder.mkdir()
    for name in ("leadline-exec", "libleadline.so"):
        shutil.copy(NATIVE.with_name(name), folder)
    environ = {**alone, "PATH": "/bin:/usr/bin"}
    if shutil.which("leadline", path=environ["PATH"]):
        pytest.skip("leadline is installed on this machine")
    assert run([folder / "leadline-exec", "sh", "-c", "exit 6"], tmp_path, environ).code == 6
    mistake = run([folder / "leadline-exec", "--budget", "5", "true"], tmp_path, environ)
    assert mistake.code == 5
    assert "cannot start the command leadline" in mistake.err


def test_a_link_in_the_folder_of_commands_finds_both(tmp_path: Path, alone: dict[str, str]) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "leadline-exec").symlink_to(NATIVE)
    command = folder / "leadline"
    command.write_text(f"#!{sys.executable}\nfrom leadline.__main__ import run\nrun()\n")
    command.chmod(0o755)
    environ = {**alone, "PATH": f"{folder}:/bin:/usr/bin"}
    assert run(["leadline-exec", "sh", "-c", "exit 6"], tmp_path, environ).code == 6
    assert run(["leadline-exec", "no-such-command-anywhere"], tmp_path, environ).code == 127


def test_mistakes_are_answered_by_python(tmp_path: Path, alone: dict[str, str]) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no program\n")
    (tmp_path / "empty").touch(mode=0o755)
    for words in LEFT:
        native = run([*Command.words, "exec", *words], tmp_path, alone)
        python = run([*Command.words, "exec", *words], tmp_path, {**alone, **BY_PYTHON})
        assert native == python, words


def test_settings_files_count(tmp_path: Path, alone: dict[str, str]) -> None:
    (tmp_path / "leadline.toml").write_text('budget = "32MB"\n[exec]\noutput = "named"\n')
    found = variables(run([*Command.words, "exec", "env"], tmp_path, alone))
    assert {"LEADLINE_BUDGET=32MB", f"LEADLINE_DIR={tmp_path / 'named'}"} <= found


@pytest.mark.parametrize("how", [{}, BY_PYTHON], ids=["native", "python"])
def test_an_unwritable_directory_is_said_before_the_program_runs(
    how: dict[str, str], tmp_path: Path, alone: dict[str, str]
) -> None:
    (tmp_path / "file").write_text("")
    words = [*Command.words, "exec", "-o", "file/run", "sh", "-c", "echo begins >&2; exit 3"]
    ended = run(words, tmp_path, {**alone, **how})
    assert ended.code == 3
    first, hint, program = ended.err.splitlines()
    assert first.startswith(f"leadline: cannot write to {tmp_path}/file/run: Not a directory")
    assert "-o DIR" in hint
    assert program == "begins"
    other_rank = {"PMI_RANK": "1", "PMI_SIZE": "2"}
    assert run(words, tmp_path, {**alone, **how, **other_rank}).err == "begins\n"


@pytest.mark.parametrize("how", [{}, BY_PYTHON], ids=["native", "python"])
@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_an_unwritable_directory_is_said_once_for_all_ranks(
    how: dict[str, str], leadline: Command, library: mpi.Library, tiny: Tiny, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    words = ["exec", "-o", tmp_path / "file" / "run", tiny(library)]
    ended = leadline.plain(
        *library.launch(3, oversubscribe=True), *Command.words, *words, environ={**library.environ, **how}
    )
    assert ended.code == 0, ended.everything
    said = [line for line in ended.err.splitlines() if line.startswith("leadline: ")]
    assert len(said) == 2, ended.err
    assert said[0].startswith("leadline: cannot write to ")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is reported as allowed to write into /proc")
@pytest.mark.parametrize("how", [{}, BY_PYTHON], ids=["native", "python"])
def test_a_directory_that_only_seems_writable_is_said_once(
    how: dict[str, str], leadline: Command, mpich: mpi.Library, tiny: Tiny
) -> None:
    words = [*Command.words, "exec", "-o", "/proc/run", tiny(mpich)]
    ended = leadline.plain(*mpich.launch(3), *words, environ={**mpich.environ, **how})
    assert ended.code == 0, ended.everything
    first, hint = [line for line in ended.err.splitlines() if line.startswith("leadline: ")]
    assert first.startswith("leadline: cannot write to /proc/run: ")
    assert "-o DIR" in hint


def test_nothing_is_left_beside_a_directory_that_was_tried(tmp_path: Path, alone: dict[str, str]) -> None:
    for how in ({}, BY_PYTHON):
        assert run([*Command.words, "exec", "-o", "a/b", "true"], tmp_path, {**alone, **how}).code == 0
        assert list(tmp_path.iterdir()) == []


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_ranks_that_it_became_are_one_run(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    ended = leadline.plain(*library.launch(2), NATIVE, "-o", "run", tiny(library), environ=library.environ)
    assert ended.code == 0, ended.everything
    assert len(traces(leadline.directory / "run")) == 2
