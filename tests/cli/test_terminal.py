"""Every command in narrow terminals, without colours, in pipes whose reader has left, and completed by the shell."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import kept_builds
import pytest

from leadline import mpi
from leadline.bench.output import legend
from leadline.cli.command import COMMANDS
from leadline.text.screen import folded

from .conftest import Command, InProcess
from .terminal import in_terminal

NARROW = 60
PROGRAM = Path(__file__).parents[1] / "programs" / "long_names.c"
TABLE = """schema = 1
[[rule]]
operation = "allreduce"
processes = [1, 4]
bytes = [4, 64]
algorithm = "recursive_doubling"
"""


@pytest.fixture(scope="module")
def place(mpich: mpi.Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with `app`, a recorded `run` of it, and a table."""
    directory = tmp_path_factory.mktemp("terminal")

    def compile_to(program: Path) -> None:
        words = [mpich.mpicc, "-g", "-O1", PROGRAM, "-o", program]
        subprocess.run(words, check=True, env=mpich.env(), timeout=120)

    app = kept_builds.kept("long-names", [PROGRAM.read_text(), kept_builds.identity(mpich)], compile_to)
    (directory / "app").symlink_to(app)
    (directory / "table.toml").write_text(TABLE)
    done = Command(directory)("record", "-o", "run", "--", mpich.mpiexec, "-n", "3", "./app")
    assert done.code == 0, done.everything
    return directory


MEASURE = "-n 2 --mpi mpich --launches 2 --sizes 8,64k --rounds 5 --seconds 0.05 --algorithms"
LINES = [
    "run -- MPIEXEC -n 3 ./app",
    "record -- MPIEXEC -n 3 ./app",
    "report run",
    "report run --all",
    "report run --iterations",
    "timeline run",
    "compare run run",
    "compare run run --all",
    "predict missing",
    "exec -o one ./app",
    "campaign missing.toml",
    "mpi list --all",
    "collect run",
    "workload list",
    "config",
    "doctor",
    "doctor -- MPIEXEC -n 3 ./app",
    f"bench bcast {MEASURE} native,scatter_recursive_doubling,chain:segment=64k",
    f"bench p2p {MEASURE} all",
    f"tune --operations bcast {MEASURE} binomial -o tuned.toml",
    "apply table.toml -- MPIEXEC -n 3 ./app",
    "apply missing.toml -- ./app",
    "report missing",
    "run --budget 64 -- ./app",
    "--help",
    *(f"{name} --help" for name in COMMANDS),
    "workload run --help",
    "workload build --help",
]


@pytest.mark.parametrize("line", LINES)
def test_nothing_overflows_a_narrow_terminal(line: str, place: Path, mpich: mpi.Library) -> None:
    words = [str(mpich.mpiexec) if word == "MPIEXEC" else word for word in line.split()]
    shown = in_terminal([*Command.words, *words], place, columns=NARROW)
    assert "Traceback" not in shown.text, shown.text
    assert shown.wider_than(NARROW) == [], shown.text


def test_no_color_is_obeyed(place: Path) -> None:
    words = [*Command.words, "report", "run"]
    assert "\x1b[" in in_terminal(words, place).raw
    assert "\x1b[3" not in in_terminal(words, place, environ={"NO_COLOR": "1"}).raw


@pytest.mark.parametrize(
    "words",
    [("report", "run"), ("report", "run", "--json"), ("timeline", "run"), ("doctor",), ("--help",), ("config",)],
    ids=" ".join,
)
def test_a_reader_that_has_left_is_no_failure(words: Sequence[str], place: Path) -> None:
    """As `| head` leaves, but before the first word: that it comes too late cannot happen."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*Command.words, *words], cwd=place, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_report_is_written_although_nobody_reads_the_summary(place: Path, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        words = [*Command.words, "run", "-o", tmp_path / "run", "--", place / "app"]
        done = subprocess.run(words, cwd=place, stdout=subprocess.DEVNULL, stderr=writer, check=False)
    finally:
        os.close(writer)
    assert done.returncode == 0
    assert (tmp_path / "run" / "report.html").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_and_installed(shell: str, leadline: Command) -> None:
    printed = leadline("config", "--completion", shell)
    assert printed.code == 0
    assert "_LEADLINE_COMPLETE" in printed.out
    home = leadline.directory / "home"
    environ = {"HOME": str(home), "SHELL": f"/bin/{shell}", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""}
    done = leadline("config", "--completion", environ=environ)
    assert done.code == 0, done.everything
    written = Path(done.out.splitlines()[0].removeprefix("wrote "))
    assert home in written.parents
    assert written.read_text() == printed.out
    assert leadline("config", "--completion", environ=environ).code == 0  # its own is replaced,
    written.write_text("somebody's")
    assert leadline("config", "--completion", environ=environ).code == 2  # another's is not


def test_completion_for_an_unknown_shell_is_refused(leadline: Command) -> None:
    done = leadline("config", "--completion", environ={"HOME": str(leadline.directory), "SHELL": "/bin/tcsh"})
    assert done.code == 2
    assert "no completion for tcsh" in done.err
    assert "leadline config --completion bash (or zsh, fish) prints the script" in done.err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("rep", {"report"}),
        ("config --c", {"--cflags", "--completion"}),
        ("report lead", {"leadline-runs/app-1", "leadline-runs/app-2"}),
        ("timeline k", {"kept"}),
        ("report --section itera", {"iterations"}),
        ("report --table wai", {"waits"}),
        ("export otf", {"otf2"}),
    ],
)
def test_bash_is_told_what_comes_next(typed: str, offered: set[str], leadline: Command) -> None:
    for run in ("leadline-runs/app-1", "leadline-runs/app-2", "kept"):
        (leadline.directory / run).mkdir(parents=True)
        (leadline.directory / run / "rank-00000-host-1.trace").touch()
    (leadline.directory / "kitchen").mkdir()
    words = typed.split()
    environ = {
        "COMP_WORDS": f"leadline {typed}",
        "COMP_CWORD": str(len(words)),
        "_LEADLINE_COMPLETE": "bash_complete",
    }
    done = leadline(environ=environ)
    assert {line.partition(",")[2] for line in done.out.splitlines()} == offered, done.everything


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["reporrt"], "report"),
        (["study", "opatmm"], "opatm"),
        (["site", "reporrt"], "report"),
        (["bench", "alreduce"], "allreduce"),
        (["report", "--section", "iteration", "kept"], "iterations"),
        (["report", "--table", "site", "kept"], "sites"),
        (["export", "oft2", "kept", "-o", "out"], "otf2"),
    ],
)
def test_what_was_meant_is_asked(typed: list[str], meant: str, in_process: InProcess, place: Path) -> None:
    (in_process.directory / "kept").symlink_to(place / "run")
    ended = in_process(*typed)
    assert (ended.code, f"did you mean {meant}?" in ended.err) == (2, True), ended.everything


def test_the_newest_run_is_what_a_command_takes(in_process: InProcess) -> None:
    for words in (["report"], ["timeline"], ["predict"], ["export", "tau", "-o", "out"]):
        ended = in_process(*words)
        assert (ended.code, "no runs in leadline-runs" in ended.err) == (2, True), ended.everything


def test_a_line_goes_on_beneath_its_last_column() -> None:
    assert folded("short", 40) == ["short"]
    assert folded(" 23.2 %      3  wait at n-to-n: MPI_Allreduce in advance", 40) == [
        " 23.2 %      3  wait at n-to-n:",
        "                MPI_Allreduce in advance",
    ]
    assert folded("  an iteration of many words that has no columns", 30) == [
        "  an iteration of many words",
        "      that has no columns",
    ]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("base", ["native", "blocking"])
def test_the_columns_of_a_measurement_are_explained(base: str, narrow: bool) -> None:
    text = legend(base, narrow)
    assert all(word in text for word in ("µs:", f"× {base}:", "reached:"))
    assert ("bound: " in text) == (not narrow)


def test_apply_explains_what_it_says(place: Path, mpich: mpi.Library) -> None:
    words = [*Command.words, "apply", "table.toml", "--", str(mpich.mpiexec), "-n", "2", "./app"]
    assert "applied: the rule took effect (evidence in brackets)" in in_terminal(words, place).flat


def test_every_command_has_a_line_here() -> None:
    tried = {line.split()[0] for line in LINES}
    assert set(COMMANDS) <= tried
