"""JSON, tables, exports and the page of a run with hostile names, in a directory with such a name."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leadline.__main__ import main
from leadline.interchange import FORMATS
from leadline.text.visible import visible

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from page.conftest import open_page  # noqa: F401

# What the program opened, as it is shown: invalid bytes, escape sequences and marks of direction by their numbers.
FILE = r"=2+3 \xff\x1b]0;owned\x07\x1b[31m\u202e<img src=x onerror=alert(1)>\nnext\t\x7f"
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffd]")


@pytest.fixture
def run(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(hostile)
    return hostile / "one\udcff"


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from strings_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings_in(each)
    elif isinstance(value, str):
        yield value


def test_json_is_text(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(run), "--json"]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    texts = [*strings_in(json.loads(out))]
    assert [text for text in texts if not text.isprintable() and re.search("[\ud800-\udfff]", text)] == []
    assert any(text.startswith(r"prog \xfd") for text in texts)


def test_cells_are_no_formulas(run: Path, tmp_path: Path) -> None:
    assert main(["report", str(run), "--table", "io", "--csv", str(tmp_path / "io.csv")]) == 0
    data = (tmp_path / "io.csv").read_bytes()
    assert HIDDEN.findall(data.decode()) == []
    rows = [*csv.DictReader(data.decode().splitlines())]
    named = {row["file"].rpartition("/")[2] for row in rows if "owned" in row["file"]}
    assert named == {f"{FILE} {rank}" for rank in (0, 1)}
    cells = [cell for row in rows for cell in row.values()]
    assert [cell for cell in cells if cell[:1] in ("=", "+", "@") or re.match(r"-(?!\d)", cell)] == []


@pytest.mark.parametrize("name", FORMATS)
def test_every_export_reads_the_run_again(run: Path, tmp_path: Path, name: str) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    target = tmp_path / "export\udcff \x1b[31m"
    code = main(["export", name, str(run), "-o", str(target)])
    if code == 5:
        pytest.skip(f"what writes {name} is not installed")
    assert code == 0
    assert target.exists()
    for path in [target] if target.is_file() else target.rglob("*"):
        if name in ("callgrind", "goal", "simgrid", "tau") and path.is_file():
            assert HIDDEN.findall(path.read_bytes().decode()) == []


def test_an_archive_with_such_a_name_is_imported(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("otf2")
    monkeypatch.chdir(tmp_path)
    archive, imported = "archive\udcff \x1b[31m/x", "imported\udcff\n\x1b[31m"
    Path(archive).parent.mkdir()
    assert main(["export", "otf2", str(run), "-o", archive]) == 0
    assert main(["import", archive, "-o", imported]) == 0
    capsys.readouterr()
    assert main(["report", imported, "--json"]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    files = [visible(file["file"].rpartition("/")[2]) for file in json.loads(out)["io"]["files"]]
    assert {f"{FILE} {rank}" for rank in (0, 1)} <= set(files)


@pytest.mark.ci("openmpi")
@pytest.mark.parametrize("library", ["mpich", "openmpi"])
def test_the_page_runs_nothing_and_asks_for_nothing(
    library: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    open_page: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(request.getfixturevalue("hostile" if library == "mpich" else "hostile_openmpi"))
    run = "one\udcff"
    assert main(["report", str(run), "--html", str(tmp_path / "report.html")]) == 0
    opened = open_page(tmp_path / "report.html")
    assert opened.requests == [opened.address]
    assert opened.complaints == []
    assert (
        opened.tab.evaluate("[...document.querySelectorAll('img, iframe, object, embed, [onerror], [onload]')].length")
        == 0
    )
    text = opened.tab.evaluate("document.body.textContent")
    assert opened.tab.title() == r"prog \xfd\x1b[1m<i> on 2 ranks – Leadline"
    assert r"\xfc\x1b]0;x\x07<script>alert(1)</script>" in text
    assert "\u202e" not in text
