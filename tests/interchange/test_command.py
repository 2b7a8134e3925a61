"""leadline export as a command: what it refuses, and what it leaves behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from leadline.interchange import FORMATS

from .conftest import Export


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_is_ever_overwritten(whole: Path, export: Export, tmp_path: Path, name: str) -> None:
    (tmp_path / "out").write_text("mine")
    assert "already exists" in export(name, whole, code=2).err
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_run_is_one_clear_message(whole: Path, export: Export, tmp_path: Path, name: str) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(whole, damaged)
    for trace in damaged.glob("*.trace"):
        trace.write_bytes(b"not a trace")
    exported = export(name, damaged, code=4)
    assert "cannot read any trace in" in exported.err
    assert not exported.path.exists()


@pytest.mark.parametrize("name", FORMATS)
def test_a_rank_without_a_trace_is_named(whole: Path, export: Export, tmp_path: Path, name: str) -> None:
    incomplete = tmp_path / "incomplete"
    shutil.copytree(whole, incomplete)
    (trace,) = incomplete.glob("rank-00001-*.trace")
    trace.write_bytes(trace.read_bytes()[: trace.stat().st_size // 2])
    (trace,) = incomplete.glob("rank-00002-*.trace")
    trace.unlink()
    assert "rank 2" in export(name, incomplete).err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--iterations", "7:7"), "empty range"),
        (("--iterations", "x"), "expected A:B"),
        (("--iterations", "4000:"), "40 iterations"),
        (("--ranks", "5"), "no rank"),
        (("--step", "nowhere", "--iterations", "1:2"), "nowhere"),
    ],
)
def test_wrong_selections_are_usage_errors(whole: Path, export: Export, options: tuple[str, ...], message: str) -> None:
    exported = export("callgrind", whole, *options, code=2)
    assert message in exported.err
    assert not exported.path.exists()


def test_an_unknown_format_is_a_usage_error(whole: Path, export: Export) -> None:
    assert "callgrind" in export("vampire", whole, code=2).err
