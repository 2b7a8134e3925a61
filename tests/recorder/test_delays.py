"""Waits in a real program that delays known ranks: kind, call site, rank and cause, and seconds as it measured them."""

from pathlib import Path
from typing import Any

import pytest

from leadline.figures.run import open_run
from leadline.report import to_json

from .building import Builder
from .libraries import Library
from .running import run_mpi

# (kind, function, routine, rank that waits, rank whose computation is the cause, function that it computes before)
EXPECTED = (
    ("late_sender", "MPI_Recv", "chain", 1, 0, "MPI_Send"),
    ("late_sender", "MPI_Recv", "chain", 2, 0, "MPI_Send"),
    ("late_sender", "MPI_Waitall", "exchange", 0, 2, "MPI_Isend"),
    ("wait_at_barrier", "MPI_Barrier", "meet", 0, 1, "MPI_Barrier"),
    ("wait_at_barrier", "MPI_Barrier", "meet", 2, 1, "MPI_Barrier"),
    ("wait_at_n_to_n", "MPI_Allreduce", "sum", 0, 2, "MPI_Allreduce"),
    ("wait_at_n_to_n", "MPI_Allreduce", "sum", 1, 2, "MPI_Allreduce"),
    ("wait_at_fence", "MPI_Win_fence", "put_and_fence", 0, 1, "MPI_Put"),
    ("wait_at_fence", "MPI_Win_fence", "put_and_fence", 2, 1, "MPI_Put"),
    ("late_complete", "MPI_Win_wait", "long_epoch", 2, 0, "MPI_Win_complete"),
)
MEASURED = {"chain": 0, "exchange": 1, "meet": 2, "sum": 3, "put_and_fence": 4, "late_exposure": 5, "long_epoch": 6}
ROUNDING_S = 1e-3


def test_delays_are_found_where_they_are_with_their_cause(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    outcome = run_mpi(
        one_of_each_family,
        3,
        [builder.c(one_of_each_family, "delays.c"), "8"],
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
    )
    assert outcome.returncode == 0, outcome.stderr
    measured = {int(line.split()[0]): [float(word) for word in line.split()[1:]] for line in outcome.lines}
    report = to_json(open_run(tmp_path / "run"))
    assert report["waits_estimated_from"] is None
    for kind, function, routine, rank, cause, before in EXPECTED:
        row = _row(report, kind, function, routine, rank)
        seconds, own = row["seconds"], measured[rank][MEASURED[routine]]
        # No wait is longer than the call; that of the chain is known from both ends.
        assert seconds <= own * 1.05 + ROUNDING_S or routine == "chain"
        if routine == "chain":
            assert abs(seconds - own) <= 0.5 * own + ROUNDING_S
        assert row["interval_s"] is None
        first = row["cause"][0]
        assert (first["rank"], first["doing"], first["site"]["function"]) == (cause, "computation", before), row
    late_posts = [row for row in report["waits"] if row["kind"] == "late_post" and row["rank"] == 0]
    exposure = [row for row in late_posts if row["site"]["routine"] == "late_exposure"]
    assert {row["site"]["function"] for row in exposure} <= {"MPI_Win_start", "MPI_Win_complete"}
    seconds = sum(row["seconds"] for row in exposure)
    assert 0 < seconds <= measured[0][MEASURED["late_exposure"]] * 1.05 + ROUNDING_S
    first = exposure[0]["cause"][0]
    assert (first["rank"], first["doing"], first["site"]["function"]) == (2, "computation", "MPI_Win_post")
    classes = {row["class"]: row for row in report["collective_classes"]}
    for name, kind, function, n_bytes in (
        ("barrier", "wait_at_barrier", "MPI_Barrier", 0),
        ("all_to_all", "wait_at_n_to_n", "MPI_Allreduce", 4),
    ):
        row = classes[name]
        own = [
            wait["seconds"] for wait in report["waits"] if (wait["kind"], wait["site"]["function"]) == (kind, function)
        ]
        assert row["functions"] == [function]
        assert (row["bytes_each"], row["bytes_received_each"]) == (n_bytes, n_bytes)
        assert row["wait_s"] == pytest.approx(sum(own))
    for step in report["timeline"]["steps"]:
        path = step["critical_path"]
        assert set(path["rank"]) <= {0, 1, 2}
        assert path["begin"] == sorted(path["begin"])
        assert sum(path["duration"]) > 0
    assert report["waits"] == sorted(report["waits"], key=lambda row: -row["seconds"])


def _row(report: Any, kind: str, function: str, routine: str, rank: int) -> Any:
    [row] = [
        row
        for row in report["waits"]
        if (row["kind"], row["site"]["function"], row["site"]["routine"], row["rank"])
        == (kind, function, routine, rank)
    ]
    return row
