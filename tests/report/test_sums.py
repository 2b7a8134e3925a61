"""Reports whose figures do not add up are errors in tests (LEADLINE_FAIL_ON_CONTRADICTION): each report that a test of
this folder makes as JSON or as a page is looked at. Here: what is seen."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from leadline.report.sums import contradictions


def a_report() -> dict[str, Any]:
    """Two ranks of 5 s: 4 s of computation, 0.5 s in MPI, 0.3 s in files, and 0.2 s of Leadline's."""
    parts = {"computation_s": 4.0, "mpi_s": 0.5, "io_s": 0.3}
    kinds = {"io": 0.0}
    loop = {"name": "run", "parent": None, "time_s": 8.0, "computation_s": 6.8, "mpi_s": 0.8, "io_s": 0.4}
    rest = {"name": "finalisation", "parent": None, "time_s": 1.4, "computation_s": 1.2, "mpi_s": 0.0, "io_s": 0.2}
    within = {"name": "halo", "parent": 0, "time_s": 0.8, "computation_s": 0.0, "mpi_s": 0.8, "io_s": 0.0}
    times = {"computation": 8.0, "waiting": 0.4, "transfer": 0.4, "files": 0.6, "own": 0.4, "startup": 0.2}
    return {
        "time_s": 10.0,
        "startup_s": 0.2,
        "own_between_s": 0.4,
        "ended_at_start": None,
        "losses": [],
        "paused": None,
        "complete": True,
        "verdict": "8.2 % of the time is MPI.",
        "time_parts": [{"kind": kind, "time_s": time_s} for kind, time_s in times.items()],
        "ranks_detail": [
            {"rank": rank, "time_s": 5.0, "own_between_s": 0.2, "threads": 1, "by_kind_s": kinds, **parts}
            for rank in range(2)
        ],
        "phases": [loop, rest, within],
        "findings": [
            {"id": "pattern", "text": "10 %: files", "cost_s": 1.0, "evidence": {"share": 0.1, "file": "a"}},
            {"id": "imbalance", "text": "4.1 % of each iteration", "cost_s": 0.4, "evidence": {"share": 0.041}},
        ],
    }


def test_what_adds_up_is_right() -> None:
    assert contradictions(a_report()) == []


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (("time_parts", 0, "time_s"), 8.1, "all parts of the time: 10.1 s of 10 s"),
        (("ranks_detail", 1, "mpi_s"), 0.6, "rank 1: 5.1 s of 5 s"),
        (("ranks_detail", 1, "time_s"), 4.9, "all ranks: 9.9 s of 10 s"),
        (("phases", 1, "time_s"), 1.3, "all phases: 9.7 s of 9.8 s"),
        (("phases", 0, "mpi_s"), 0.7, "phase run: 7.9 s of 8 s"),
        (("phases", 2, "parent"), 1, None),
        (("findings", 0, "cost_s"), 1.2, "findings cost 1.6 s of 1.4 s that are not computation"),
        (("findings", 1, "evidence"), {"share": 1.22}, "imbalance costs 1.22 times what it is a part of"),
        (("findings", 1, "text"), "costs 84.2 µs of each step (122 %)", 'more than all: "costs 84.2 µs of'),
        (("verdict",), "1,022 % of the time is MPI.", 'more than all: "1,022 %'),
    ],
)
def test_what_does_not_is_named(where: tuple[str | int, ...], value: object, said: str | None) -> None:
    report = copy.deepcopy(a_report())
    at: Any = report
    for step in where[:-1]:
        at = at[step]
    at[where[-1]] = value
    found = contradictions(report)
    assert (said is None and not found) or any(text.startswith(str(said)) for text in found)


def test_no_phase_is_longer_than_the_one_that_it_is_in() -> None:
    report = a_report()
    report["phases"][2] |= {"parent": 1, "time_s": 1.5, "mpi_s": 1.5}
    assert contradictions(report) == ["halo takes 1.5 s of 1.4 s of finalisation"]
