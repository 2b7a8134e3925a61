"""Nonsense on the command line: one message that says what and what next, and exit code 2; never a traceback."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from leadline.__main__ import main

pytestmark = pytest.mark.usefixtures("in_a_folder")


@pytest.fixture
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LEADLINE_DIR", raising=False)
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / "0.trace").write_bytes(b"junk" * 100)
    (tmp_path / "binary").write_bytes(bytes(range(256)))


EMPTY = [
    *(f"{command} ''" for command in ("report", "timeline", "advise", "predict", "collect", "anonymise -o new")),
    *(f"{command} -o '' -- true" for command in ("run", "record", "exec", "improve", "calibrate")),
    *("report empty --section ''", "report empty --step ''", "report empty --table ''", "compare empty ''"),
    *("export otf2 empty -o ''", "import '' -o new", "bench ''", "tune -o ''", "apply '' -- true", "campaign ''"),
    *("workload run ''", "workload run opatm --record ''", "mpi install ''", "doctor --mpi ''"),
]


@pytest.mark.parametrize("line", EMPTY)
def test_an_empty_value_is_refused_by_name(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(line)) == 2
    said = capsys.readouterr().err
    if "No such option" not in said:
        first, hint = said.splitlines()
        assert ": empty; is a variable of the shell not set?" in first
        assert "leave it out" in hint


def test_an_empty_word_of_a_program_is_the_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "-o", "new", "--", "true", ""]) == 3
    assert main(["run", "-o", "newer", "--", ""]) == 127
    assert "leadline: '': command not found" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "what", "next_step"),
    [
        ("report junk", "0.trace: not a Leadline trace", "record again: leadline record"),
        ("predict empty empty", "several runs are for --ranks", "--ranks N"),
        ("predict junk --network nosuch", "nosuch: neither a file nor a preset", "presets: "),
        ("predict junk --collective bcast=nosuch", "--collective bcast=nosuch: expected one of linear, ", ""),
        ("export otf2 junk -o none/x", "no such directory: ", "-o PATH"),
        ("export otf2 junk -o /proc/x", "cannot write /proc/x: ", "-o PATH"),
        ("tune -o /proc/x", "cannot write /proc/x: ", "choose another file"),
        ("campaign file", "file: not TOML: ", ""),
        ("campaign junk/0.trace", "0.trace: not TOML: ", ""),
        ("campaign binary", "binary: not a text file", ""),
        ("import nosuch -o new", "no such file or directory: nosuch", "*.otf2 file"),
        ("import file -o /proc/x", "cannot create /proc/x: ", "-o NEWDIR"),
        ("report junk --json --table sites", "--table is CSV or Parquet", "--table NAME"),
    ],
)
def test_the_message_says_what_and_what_next(
    line: str, what: str, next_step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(line)) in (2, 4)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) <= 2
    assert what in lines[0]
    assert next_step in lines[-1]


def test_a_missing_format_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export"]) == 2
    assert (
        capsys.readouterr()
        .err.splitlines()[-1]
        .endswith("One of callgrind, goal, otf2, parquet, perfetto, simgrid, tau")
    )
