"""A run that is not there, or in which nothing was recorded: the same words from every command."""

import json
from pathlib import Path

import pytest

from leadline import mpi
from leadline.__main__ import main

READERS = {
    "report": ("report", "RUN"),
    "report --all": ("report", "RUN", "--all"),
    "report --json": ("report", "RUN", "--json"),
    "report --html": ("report", "RUN", "--html", "page.html"),
    "report --table": ("report", "RUN", "--table", "calls"),
    "timeline": ("timeline", "RUN"),
    "compare": ("compare", "RUN", "other"),
    "export": ("export", "goal", "RUN", "-o", "exported"),
    "collect": ("collect", "RUN"),
    "predict": ("predict", "RUN"),
    "tune": ("tune", "--trace", "RUN"),
}
TAKE_FILES = ("compare", "export", "predict")  # a trace, a profile
WITHOUT_TRACES = ("report", "timeline", "compare", "export", "predict")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(words: tuple[str, ...], run: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    code = main([run if word == "RUN" else word for word in words])
    ended = capsys.readouterr()
    assert ended.out == ""
    return code, [line for line in ended.err.splitlines() if not line.endswith(" …")]  # said where it takes long


HINT = "leadline: give the directory that leadline record printed"


@pytest.mark.parametrize("name", READERS)
def test_a_missing_run_is_said_in_one_way(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(READERS[name], "gone", capsys) == (2, ["leadline: no such directory: gone", HINT])
    (here / "file").write_text("a file\n")
    assert said(READERS[name], "file/gone", capsys) == (2, ["leadline: no such directory: file/gone", HINT])
    code, lines = said(READERS[name], "n" * 256, capsys)
    assert code == 2
    assert "File name too long" in lines[0]
    assert "n" * 256 in lines[0]


@pytest.mark.parametrize("name", READERS)
def test_a_file_is_not_called_missing(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "file").write_text("a file, which is neither a trace nor a profile\n" * 20)
    code, lines = said(READERS[name], "file", capsys)
    if name not in TAKE_FILES:
        assert (code, lines) == (2, ["leadline: not a directory: file", HINT])
    elif name == "compare":
        assert (code, lines[0]) == (4, "leadline: file: neither a run nor a supported profile")
    else:
        assert (code, lines) == (4, ["leadline: cannot read file: not a Leadline trace"])


@pytest.mark.parametrize("name", WITHOUT_TRACES)
def test_a_run_without_traces_says_why_there_are_none(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "empty").mkdir()
    code, lines = said(READERS[name], "empty", capsys)
    assert (code, lines[0]) == (4, "leadline: no trace (*.trace or *.live) in empty")
    assert main(["record", "-o", "run", "--", "true"]) == 3
    reason = capsys.readouterr().err.splitlines()[-1].partition("nothing was recorded: ")[2]
    assert "not an MPI program" in reason
    assert said(READERS[name], "run", capsys) == (4, [f"leadline: nothing was recorded in run: {reason}"])


NOT_FOUND = "sh ended with exit code 127: a program that it tried to start, or a shared library of one, was not found"


def test_a_program_that_could_not_start_is_not_said_to_make_no_mpi_calls(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "-o", "run", "--", "sh", "-c", "./no-such-program"]) == 127
    ended = capsys.readouterr()
    assert f"leadline: nothing was recorded: {NOT_FOUND}" in ended.err
    assert "called MPI" not in ended.err
    assert json.loads((here / "run" / "run.json").read_text())["not_recorded"] == NOT_FOUND
    assert said(READERS["report"], "run", capsys) == (4, [f"leadline: nothing was recorded in run: {NOT_FOUND}"])


@pytest.mark.parametrize("library", ["mpich", "openmpi"])
def test_a_launcher_whose_program_is_missing_names_the_command(
    library: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = next((each for each in mpi.available() if each.name == library), None)
    if found is None:
        pytest.skip(f"the MPI library {library} is not installed")
    words = [*map(str, found.launch(2)), "./no-such-program"]
    assert main(["record", "-o", "run", "--", *words]) not in (0, 3)
    reason = f"no executable in this command: {' '.join(words)}"
    assert reason in capsys.readouterr().err
    assert said(READERS["report"], "run", capsys) == (4, [f"leadline: nothing was recorded in run: {reason}"])
