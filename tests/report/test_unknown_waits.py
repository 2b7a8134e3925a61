"""What is said where waiting is unknown, or known of too small a part of the run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.run import Site
from leadline.figures.timeline import Absent
from leadline.figures.waits import waits_of
from leadline.wording.timelines import why_none
from leadline.wording.waits import why_unknown


def waits_with_unseen(send_s: float) -> Any:
    """Of ten seconds; of MPI_Init no iteration has any, and nobody expects it."""
    sites = [Site("MPI_Send", False, (), True, (0,)), Site("MPI_Init", False, (), True, (1,))]
    names = {"MPI_Send": "send", "MPI_Init": "init"}
    profile = SimpleNamespace(functions=[SimpleNamespace(name=name, cls=cls) for name, cls in names.items()])
    run: Any = SimpleNamespace(profile=profile, ends_apart=False, sites=sites, file_sites=[], labels=[], base_s=10.0)
    found: Any = SimpleNamespace(
        found=True,
        estimated=True,
        iterations=4,
        unseen=[(0, send_s * 1e9), (1, 50e9)],
        rows=[],
        path=[],
        path_steps=0,
        imbalance=None,
    )
    return waits_of(run, found)


def test_waiting_is_unknown_where_much_time_is_in_calls_that_no_kept_iteration_makes() -> None:
    few, many = waits_with_unseen(0.9), waits_with_unseen(1.7)
    assert few.total_s == 0
    assert many.total_s is None
    content: Any = SimpleNamespace(waits=many, share=lambda seconds: seconds / 10, run=run_of((500_000, 1_000_000)))
    assert why_unknown(content) == (
        "no call times were kept of MPI calls that take 17 % of the time (record with --series 3MB)"
    )


def run_of(*calls: tuple[int, int]) -> Any:
    """(MPI calls, file calls) of each rank."""
    processes = [SimpleNamespace(category_calls=[mpi], file_calls=SimpleNamespace(calls=files)) for mpi, files in calls]
    return SimpleNamespace(processes=processes, order=range(len(calls)), label=str)


def test_the_room_for_times_that_is_proposed_holds_all_calls() -> None:
    text = why_none(run_of((1_000_000, 0), (1_200_000, 4_800_000)), Absent("not-whole"))
    assert text.endswith("(4,800,000 of the 6,000,000 calls of rank 1 are on files): record with --series 9MB")
    text = why_none(run_of((6_000_000, 10), (1_200_000, 0)), Absent("not-whole"))
    assert text.endswith("all ranks: record with --series 9MB")  # 6,000,010 × 5/4 bytes and a tenth
