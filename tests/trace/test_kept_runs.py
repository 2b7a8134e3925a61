"""What docs/reference/versions.md promises: runs that earlier versions recorded are read, and fields of the JSON stay.

Each directory of kept_runs is features.c on two ranks, recorded when that version of the format was new. They are never
recorded again: a new version gets a directory of its own. kept_runs/report.json has the JSON fields that the promise
covers; add_fields() adds new ones.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leadline.report import open_report
from leadline.report.json_report import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).parent / "kept_runs"
FIELDS = KEPT / "report.json"
CALLS = KEPT / "calls.json"
VERSIONS = sorted(KEPT.glob("version-*"))
FIGURES = ("calls", "messages", "bytes", "bytes_received")
PROMISE = ROOT / "docs" / "reference" / "versions.md"


def report_of(kept: Path, tmp_path: Path) -> dict[str, Any]:
    run = tmp_path / kept.name
    shutil.copytree(kept, run)
    return json.loads(json.dumps(open_report(run).data))


def fields(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every field with its type; elements of a list are one, since how many there are depends on the run. What is
    evidence depends on the finding, and which are found may change."""
    if isinstance(value, dict) and not path.endswith(".evidence"):
        for name, inner in value.items():
            yield from fields(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner, f"{path}[]" if path else "")
    if path:
        yield path, type_of(value)


def type_of(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "list", dict: "object"}
    return names[type(value)]


def types(value: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path, kind in fields(value):
        found.setdefault(path, set()).add(kind)
    return found


def missing(kept: dict[str, list[str]], now: dict[str, set[str]]) -> list[str]:
    """Kept fields that are gone or of another type. A field of something that this run has none of is not expected."""
    wrong = []
    for path, kinds in kept.items():
        parent = path.rpartition(".")[0].removesuffix("[]") if "." in path else ""
        if path.endswith("[]"):
            parent = path.removesuffix("[]")
        if path not in now:
            whole = "object" in now.get(path.rpartition(".")[0], set()) if "." in path else True
            if whole and not path.endswith("[]"):
                wrong.append(f"{path} is gone (of {parent or 'the report'})")
        elif not (now[path] - {"null"} <= set(kinds) or set(kinds) == {"null"}):
            wrong.append(f"{path} was {'/'.join(kinds)}, is {'/'.join(sorted(now[path]))}")
    return wrong


@pytest.mark.parametrize("kept", VERSIONS, ids=lambda path: path.name)
def test_a_run_of_that_version_has_the_calls_that_it_made(kept: Path, tmp_path: Path) -> None:
    report = report_of(kept, tmp_path)
    assert report["losses"] == []
    assert report["ranks_recorded"] == 2
    found = {row["function"]: [row[figure] for figure in FIGURES] for row in report["functions"] if not row["local"]}
    assert found == json.loads(CALLS.read_text())


def test_every_version_that_the_format_had_since_2_is_kept() -> None:
    header = (ROOT / "src" / "trace" / "chunk.hpp").read_text()
    current = re.search(r"format_version = (\d+)", header)
    assert current is not None
    assert [path.name for path in VERSIONS] == [f"version-{n}" for n in range(2, int(current[1]) + 1)]


def test_no_field_of_the_report_goes_or_changes_its_type(tmp_path: Path) -> None:
    promised = json.loads(FIELDS.read_text())
    assert promised["schema"] == SCHEMA, "a new number: keep its fields beside those of the old one"
    assert missing(promised["fields"], types([report_of(kept, tmp_path) for kept in VERSIONS])) == []


def test_the_promise_names_every_schema_with_its_number() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "python" / "leadline").rglob("*.py"))
    schemas = set(re.findall(r"\bleadline\.\w+/\d+", sources))
    assert set(re.findall(r"`(leadline\.\w+/\d+)`", PROMISE.read_text())) == schemas


PROMISED = {"a": ["object"], "a.b": ["number"], "c": ["list"], "c[].d": ["null", "string"], "c[]": ["object"]}


class TestComparison:
    """missing(), so that the test above can fail."""

    def test_an_added_field_is_no_change(self) -> None:
        assert missing(PROMISED, types({"a": {"b": 1, "new": 2}, "c": [{"d": "x"}]})) == []

    def test_a_field_of_what_is_not_there_is_not_expected(self) -> None:
        assert missing(PROMISED, types({"a": None, "c": []})) == []

    def test_a_renamed_field_is_found(self) -> None:
        assert missing(PROMISED, types({"a": {"e": 1}, "c": []})) == ["a.b is gone (of a)"]

    def test_another_type_is_found(self) -> None:
        assert missing(PROMISED, types({"a": {"b": "1"}, "c": []})) == ["a.b was number, is string"]


def add_fields() -> None:
    """Adds what the report has now: `python -c "from test_kept_runs import *; add_fields()"` in this folder."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        promised = types([report_of(kept, Path(folder)) for kept in VERSIONS])
    if FIELDS.exists():
        for path, kinds_before in json.loads(FIELDS.read_text())["fields"].items():
            promised.setdefault(path, set()).update(kinds_before)
    kept_fields = {path: sorted(kinds) for path, kinds in sorted(promised.items())}
    lines = ",\n".join(f"    {json.dumps(path)}: {json.dumps(kinds)}" for path, kinds in kept_fields.items())
    FIELDS.write_text(f'{{\n  "schema": {json.dumps(SCHEMA)},\n  "fields": {{\n{lines}\n  }}\n}}\n')
