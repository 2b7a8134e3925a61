"""Tables written to files, by method and by command, and the examples of docs/read/tables.md."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import MissingPrerequisite
from leadline.tables import TABLES
from leadline.tables.declaration import Kind

from .conftest import Opened

DOCS = Path(__file__).resolve().parents[2] / "docs" / "read" / "tables.md"
READ = {
    Kind.INDEX: int,
    Kind.INTEGER: int,
    Kind.NUMBER: float,
    Kind.TEXT: str,
    Kind.FLAG: {"true": True, "false": False}.__getitem__,
}


def read_back(table: Any, lines: list[list[str]]) -> list[tuple[Any, ...]]:
    """The rows of a CSV file with the types that are declared; an empty field of a column that may be null is None."""
    declared = [table.declaration.by_name[name] for name in lines[0]]
    return [
        tuple(
            None if not field and each.null else READ[each.kind](field)
            for each, field in zip(declared, line, strict=True)
        )
        for line in lines[1:]
    ]


@pytest.mark.parametrize("name", [table.id for table in TABLES])
def test_every_table_as_csv_reads_back_as_it_was(name: str, any_run: Opened, tmp_path: Path) -> None:
    table = getattr(any_run.recording, name)()
    table.to_csv(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    assert lines[0] == table.columns
    assert read_back(table, lines) == [tuple(row) for row in table]
    stream = io.StringIO()
    table.to_csv(stream)
    assert stream.getvalue().encode() == (tmp_path / "table.csv").read_bytes()


@pytest.mark.parametrize("without", ["", "pyarrow"])
@pytest.mark.parametrize("name", [table.id for table in TABLES])
def test_every_table_as_parquet(
    name: str, without: str, whole: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    polars = pytest.importorskip("polars")
    if without:
        monkeypatch.setitem(sys.modules, without, None)
    table = getattr(whole.recording, name)()
    table.to_parquet(tmp_path / "table.parquet")
    frame = polars.read_parquet(tmp_path / "table.parquet")
    assert frame.columns == table.columns
    assert frame.rows() == [tuple(row) for row in table]


def test_parquet_without_a_library_for_it(whole: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pyarrow", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPrerequisite, match="Parquet output needs pyarrow or Polars") as raised:
        whole.recording.ranks().to_parquet(tmp_path / "table.parquet")
    assert "leadline[frames]" in raised.value.hint


def leadline(directory: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "leadline", "report", *map(str, words)]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=120, check=False)


def messages(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Its messages, without the one that a command prints where it takes more than two seconds."""
    return [line for line in done.stderr.splitlines() if not line.endswith(" …")]


def test_a_command_writes_the_same(whole: Opened, tmp_path: Path) -> None:
    whole.recording.calls().to_csv(tmp_path / "wanted.csv")
    wanted = (tmp_path / "wanted.csv").read_text()
    printed = leadline(tmp_path, whole.directory, "--table", "calls")
    assert (printed.returncode, printed.stdout, messages(printed)) == (0, wanted, [])
    written = leadline(tmp_path, whole.directory, "--table", "calls", "--csv", "calls.csv")
    assert (written.returncode, written.stdout) == (0, "")
    assert messages(written) == [f"leadline: wrote table calls, {len(whole.recording.calls())} rows, to calls.csv"]
    assert (tmp_path / "calls.csv").read_text() == wanted
    kept = leadline(tmp_path, whole.directory, "--table", "timeline:all")
    assert len(kept.stdout.splitlines()) == 1 + len(whole.recording.timeline("all"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--table", "site"),
            "--table site: unknown table\nleadline: did you mean sites? Available: calls, sites, matrix",
        ),
        (("--table", "sites:3"), "--table sites:3: unknown table"),
        (("--table", "timeline:first"), "expected a number, typical, slowest or all"),
        (("--csv", "x.csv"), "--csv needs --table NAME"),
        (("--parquet", "x"), "--parquet needs --table NAME"),
        (("--table", "sites", "--csv", "none/x.csv"), "cannot write none/x.csv: "),
    ],
)
def test_mistakes_are_said(words: tuple[str, ...], said: str, whole: Opened, tmp_path: Path) -> None:
    done = leadline(tmp_path, whole.directory, *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def examples(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL)


def run_as_documented(whole: Opened, directory: Path) -> None:
    (name,) = set(re.findall(r"leadline-runs/[\w-]+", DOCS.read_text()))
    (directory / name).parent.mkdir()
    (directory / name).symlink_to(whole.directory)


def test_the_examples_in_python_run(
    whole: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for library in ("duckdb", "pandas", "polars", "pyarrow"):
        pytest.importorskip(library)
    run_as_documented(whole, tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for example in examples("python"):
        exec(compile(example, str(DOCS), "exec"), names)
    printed = capsys.readouterr().out
    assert "MPI_Finalize in main" in printed
    assert "computation_s" in printed
    assert sorted(names["sends"]["bytes"].unique()) == [100, 200, 300]
    assert {path.name for path in tmp_path.iterdir()} == {"leadline-runs", "sites.csv", "calls.parquet"}


def test_the_examples_in_the_shell_run(whole: Opened, tmp_path: Path) -> None:
    pytest.importorskip("polars")
    run_as_documented(whole, tmp_path)
    lines = [line[2:] for example in examples("console") for line in example.splitlines()]
    assert len(lines) == 3
    for line in lines:
        command = line.replace("leadline ", f"{sys.executable} -m leadline ", 1)
        done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"leadline-runs", "sites.csv", "calls.parquet"}
    assert os.path.getsize(tmp_path / "sites.csv") > 0
