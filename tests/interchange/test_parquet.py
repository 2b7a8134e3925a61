"""leadline export parquet: the table of calls, read back with pyarrow."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from leadline.figures.run import open_run

from .conftest import MANY_STEPS, RANKS, STEPS, Export

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: ./dev setup")


def rows_of(file: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = parquet.read_table(file).to_pylist()
    return rows


def test_every_call_is_a_row(whole: Path, export: Export) -> None:
    rows = rows_of(export("parquet", whole).path)
    run = open_run(whole)
    counted = Counter(row["function"] for row in rows)
    for number, site in enumerate(run.profile.rows([list(site.members) for site in run.sites])):
        if not run.sites[number].local:
            counted[run.sites[number].function] -= site.total.calls
    assert not any(counted.values())
    sends = [row for row in rows if row["function"] == "MPI_Isend"]
    assert Counter((row["rank"], row["partner"], row["tag"], row["bytes_sent"]) for row in sends) == {
        (rank, (rank + 1) % RANKS, 7, (rank + 1) * 100): STEPS for rank in range(RANKS)
    }
    waits = [row for row in rows if row["function"] == "MPI_Waitall"]
    assert {(row["rank"], row["messages_received"], row["bytes_received"]) for row in waits} == {
        (rank, 1, ((rank - 1) % RANKS + 1) * 100) for rank in range(RANKS)
    }
    reductions = [row for row in rows if row["function"] == "MPI_Allreduce"]
    assert {(row["bytes_sent"], row["bytes_received"], row["partner"]) for row in reductions} == {(8, 8, None)}
    assert sorted(row["iteration"] for row in reductions) == sorted(list(range(STEPS)) * RANKS)
    assert all(row["begin_s"] <= row["end_s"] for row in rows)
    assert all(row["call_site"].startswith("step") for row in reductions)


def test_only_the_window_of_iterations_and_ranks_is_exported(whole: Path, export: Export) -> None:
    rows = rows_of(export("parquet", whole, "--iterations", "4:6", "--ranks", "2").path)
    assert {(row["rank"], row["iteration"]) for row in rows} == {(2, 4), (2, 5)}
    assert len(rows) == 2 * 4


def test_times_that_were_not_kept_are_null(sampled: Path, export: Export) -> None:
    exported = export("parquet", sampled)
    rows = [row for row in rows_of(exported.path) if row["function"] == "MPI_Allreduce"]
    assert len(rows) == RANKS * MANY_STEPS
    unknown = sum(row["begin_s"] is None for row in rows)
    assert 0 < unknown < len(rows)
    assert "rows have no times" in exported.err


def test_without_pyarrow_the_message_says_what_to_install(
    whole: Path, export: Export, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ImportError('hidden')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    exported = export("parquet", whole, code=5, apart=True)
    assert "leadline[parquet]" in exported.err
    assert not exported.path.exists()
    assert "pyarrow" in sys.modules  # the test's own
