"""leadline export otf2: when one-sided operations are complete, in every kind of epoch (tests/programs/epochs.c)."""

from __future__ import annotations

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
pytest.importorskip("otf2", reason="the package otf2 is not installed: ./dev setup")

from .archives import locations_of
from .conftest import Export, Record

HERE, THERE = "RmaOpCompleteNonBlocking", "RmaOpCompleteRemote"
# The call that completes an operation, where, and which of the operations in the order of their calls.
EXPECTED = [
    ("MPI_Win_fence", HERE, 0),
    ("MPI_Win_fence", THERE, 0),
    ("MPI_Win_flush_local", HERE, 1),
    ("MPI_Win_flush_local", HERE, 2),
    ("MPI_Win_flush", THERE, 1),
    ("MPI_Win_flush", THERE, 2),
    ("MPI_Win_flush", HERE, 3),
    ("MPI_Win_flush", THERE, 3),
    ("MPI_Win_unlock", HERE, 4),
    ("MPI_Win_unlock", THERE, 4),
    ("MPI_Win_flush", HERE, 5),
    ("MPI_Win_flush", THERE, 5),
    ("MPI_Win_flush_local_all", HERE, 6),
    ("MPI_Win_flush_all", THERE, 6),
    ("MPI_Wait", HERE, 7),
    ("MPI_Win_unlock_all", THERE, 7),
    ("MPI_Win_complete", HERE, 8),
]


def test_operations_are_complete_where_the_calls_say(record: Record, export: Export) -> None:
    for events in locations_of(export("otf2", record("epochs.c")).path).values():
        started = [event.matching_id for kind, event in events.rows if kind in ("RmaPut", "RmaGet", "RmaAtomic")]
        done = [
            (function, kind, started.index(event.matching_id))
            for function, kind, event in events.in_calls()
            if kind in (HERE, THERE)
        ]
        assert done == EXPECTED
