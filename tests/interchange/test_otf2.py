"""leadline export otf2: archives, read back through OTF2's own Python package."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from .archives import locations_of, word
from .conftest import RANKS, STEPS, Export, Record

pytest.importorskip("otf2", reason="the package otf2 is not installed: ./dev setup")


def test_every_call_is_a_region_with_its_messages_and_collectives(whole: Path, export: Export) -> None:
    found = locations_of(export("otf2", whole).path)
    assert [events.name for events in found.values()] == [f"rank {rank}" for rank in range(RANKS)]
    for rank, events in found.items():
        calls = Counter(event.region.name for event in events.all("Enter"))
        assert calls == Counter(event.region.name for event in events.all("Leave"))
        assert calls["MPI_Isend"] == calls["MPI_Irecv"] == calls["MPI_Waitall"] == calls["MPI_Allreduce"] == STEPS
        assert calls["MPI_Send"] == (STEPS if rank == 0 else 0)
        assert all(a.time <= b.time for (_, a), (_, b) in itertools.pairwise(events.rows))
        sent = Counter((e.receiver, e.msg_tag, e.msg_length) for e in events.all("MpiIsend"))
        assert sent == {((rank + 1) % RANKS, 7, (rank + 1) * 100): STEPS}
        before = (rank - 1) % RANKS
        received = Counter((e.sender, e.msg_tag, e.msg_length) for e in events.all("MpiIrecv"))
        assert received == {(before, 7, (before + 1) * 100): STEPS}
        assert Counter((e.receiver, e.msg_length) for e in events.all("MpiSend")) == (
            {(1, 64): STEPS} if rank == 0 else {}
        )
        assert Counter(e.sender for e in events.all("MpiRecv")) == ({0: STEPS} if rank == 1 else {})
        operations = Counter(word(e.collective_op) for e in events.all("MpiCollectiveEnd"))
        assert operations["ALLREDUCE"] == STEPS
        assert operations["BCAST"] == operations["GATHER"] == 1
        (broadcast,) = [e for e in events.all("MpiCollectiveEnd") if word(e.collective_op) == "BCAST"]
        assert broadcast.root == 1
        assert (broadcast.size_sent > 0) == (rank == 1)


def test_requests_are_completed_after_they_were_made(whole: Path, export: Export) -> None:
    for events in locations_of(export("otf2", whole).path).values():
        made: dict[str, set[int]] = defaultdict(set)
        for kind, event in events.rows:
            if kind in ("MpiIsend", "MpiIrecvRequest"):
                assert event.request_id not in made[kind]
                made[kind].add(event.request_id)
            elif kind == "MpiIsendComplete":
                made["MpiIsend"].remove(event.request_id)
            elif kind == "MpiIrecv":
                made["MpiIrecvRequest"].remove(event.request_id)
        assert not made["MpiIsend"]
        assert not made["MpiIrecvRequest"]


def test_communicators_are_told_apart(whole: Path, export: Export) -> None:
    found = locations_of(export("otf2", whole).path)
    world = {e.communicator for events in found.values() for e in events.all("MpiIsend")}
    other = {e.communicator for events in found.values() for e in events.all("MpiSend")}
    assert len(world) == len(other) == 1
    assert world.isdisjoint(other)
    assert len(next(iter(world)).group.members) == RANKS


def test_a_window_has_only_messages_with_both_ends(whole: Path, export: Export) -> None:
    found = locations_of(export("otf2", whole, "--iterations", "10:14", "--ranks", "0-1").path)
    assert len(found) == RANKS  # all ranks are defined, for others name them
    assert [len(events.all("Enter")) for events in found.values()] == [5 * 4, 5 * 4, 0]
    assert [len(events.all("MpiIsend")) for events in found.values()] == [4, 0, 0]
    assert [len(events.all("MpiIrecv")) for events in found.values()] == [0, 4, 0]
    assert [len(events.all("MpiSend")) for events in found.values()] == [4, 0, 0]


def test_in_sampled_iterations_messages_have_both_ends(sampled: Path, export: Export) -> None:
    found = locations_of(export("otf2", sampled).path)
    ends: dict[tuple[Any, ...], int] = Counter()
    for rank, events in found.items():
        for event in events.all("MpiIsend"):
            ends[rank, event.receiver] += 1
        for event in events.all("MpiIrecv"):
            ends[event.sender, rank] -= 1
    assert len(ends) == RANKS
    assert not any(ends.values())


def test_without_the_library_the_message_says_where_it_comes_from(
    whole: Path, export: Export, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from leadline.interchange import otf2 as exporting

    broken = tmp_path / "sitecustomize.py"
    broken.write_text(
        f"import {exporting.__name__} as exporting\nexporting.libraries = lambda: ['/no/such/libotf2.so']\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    exported = export("otf2", whole, code=5, apart=True)
    assert "leadline[otf2]" in exported.err
    assert not exported.path.exists()


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_cancelled_requests_are_not_left_pending(record: Record, export: Export, family: str) -> None:
    found = locations_of(export("otf2", record("counted.c", "cancelled", family=family)).path)
    kinds = Counter(kind for events in found.values() for kind, _ in events.rows)
    assert (kinds["MpiIrecvRequest"], kinds["MpiRequestCancelled"]) == (3, 3)
