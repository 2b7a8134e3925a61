"""leadline export perfetto: the trace, read back by a decoder of its protocol buffers."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from leadline.figures.run import open_run

from .conftest import MANY_STEPS, RANKS, STEPS, Export


def fields_of(data: bytes) -> Iterator[tuple[int, Any]]:
    """(number, value) of a message's fields; a value is an int, or bytes."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = 0
        for shift in itertools.count(step=7):
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise AssertionError

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        length = varint() if key & 7 == 2 else 8
        assert key & 7 in (1, 2)
        assert at + length <= len(data)
        value: Any = data[at : at + length]
        at += length
        yield key >> 3, value if key & 7 == 2 else int.from_bytes(value, "little")


@dataclass
class Slice:
    track: str
    name: str
    begin: int
    end: int = -1
    notes: dict[str, Any] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)  # flows
    ends: list[int] = field(default_factory=list)


def slices_of(file: Path) -> list[Slice]:
    tracks: dict[int, str] = {}
    names: dict[tuple[int, int, int], str] = {}  # sequence, kind, number
    open_slices: dict[int, Slice] = {}
    found = []
    for number, packet in fields_of(file.read_bytes()):
        assert number == 1
        of = defaultdict(list)
        for key, value in fields_of(packet):
            of[key].append(value)
        sequence = of[10][0]
        for descriptor in of[60]:
            track = dict(fields_of(descriptor))
            tracks[track[1]] = track[2].decode()
        for interned in of[12]:
            for kind, entry in fields_of(interned):
                name = dict(fields_of(entry))
                names[sequence, kind, name[1]] = name[2].decode()
        for event in of[11]:
            parts = list(fields_of(event))
            of_event = dict(parts)
            track_number = of_event[11]
            if of_event[9] == 1:
                assert track_number not in open_slices
                slice_ = Slice(tracks[track_number], names[sequence, 2, of_event[10]], of[8][0])
                for note in (dict(fields_of(value)) for key, value in parts if key == 4):
                    slice_.notes[names[sequence, 3, note[1]]] = note[4] if 4 in note else note[6].decode()
                slice_.starts = [value for key, value in parts if key == 47]
                open_slices[track_number] = slice_
            else:
                slice_ = open_slices.pop(track_number)
                slice_.end = of[8][0]
                slice_.ends = [value for key, value in parts if key == 48]
                found.append(slice_)
    assert not open_slices
    return found


def test_every_call_is_a_slice_on_its_ranks_track(whole: Path, export: Export) -> None:
    slices = slices_of(export("perfetto", whole).path)
    run = open_run(whole)
    local = sum(row.calls for process in run.processes for row in [process.total])
    assert {each.track for each in slices} == {f"rank {rank}" for rank in range(RANKS)}
    counts = Counter(each.name for each in slices)
    assert counts["MPI_Isend"] == counts["MPI_Waitall"] == counts["MPI_Allreduce"] == RANKS * STEPS
    assert counts["MPI_Send"] == counts["MPI_Recv"] == STEPS
    assert len(slices) == local - 2 * RANKS  # local functions are counted only
    by_track: dict[str, list[Slice]] = defaultdict(list)
    for each in slices:
        by_track[each.track].append(each)
    for lane in by_track.values():
        assert all(a.end <= b.begin and a.begin <= a.end for a, b in itertools.pairwise(lane))


def test_every_message_is_a_flow_from_its_send_to_its_receive(whole: Path, export: Export) -> None:
    exported = export("perfetto", whole)
    assert_flows(slices_of(exported.path), STEPS)
    assert f"{STEPS * (RANKS + 1)} messages" in exported.err


def assert_flows(slices: list[Slice], steps: int) -> None:
    sends = {flow: each for each in slices for flow in each.starts}
    ends = {flow: each for each in slices for flow in each.ends}
    assert sends.keys() == ends.keys()
    assert len(sends) == steps * (RANKS + 1)
    for flow, send in sends.items():
        receive = ends[flow]
        rank = int(send.track.split()[1])
        assert send.begin <= receive.end
        assert receive.notes["iteration"] == send.notes["iteration"]
        if send.name == "MPI_Isend":
            assert (receive.name, receive.track) == ("MPI_Waitall", f"rank {(rank + 1) % RANKS}")
            assert send.notes["bytes sent"] == receive.notes["bytes received"] == (rank + 1) * 100
            assert send.notes["call site"].startswith("exchange")
        else:
            assert (send.name, receive.name, receive.track) == ("MPI_Send", "MPI_Recv", "rank 1")
            assert send.notes["tag"] == 9


def test_only_the_window_of_iterations_and_ranks_is_exported(whole: Path, export: Export) -> None:
    slices = slices_of(export("perfetto", whole, "--iterations", "5:8").path)
    assert {each.notes["iteration"] for each in slices} == {5, 6, 7}
    assert_flows(slices, 3)
    exported = export("perfetto", whole, "--iterations", "5:8", "--ranks", "0", to="one")
    slices = slices_of(exported.path)
    assert Counter(each.name for each in slices)["MPI_Isend"] == 3
    assert not any(each.starts or each.ends for each in slices)
    assert "9 sends or receives have no match" in exported.err


def test_calls_without_times_are_left_out_and_the_kept_iterations_are_named(sampled: Path, export: Export) -> None:
    exported = export("perfetto", sampled)
    slices = slices_of(exported.path)
    found = {each.notes["iteration"] for each in slices if "iteration" in each.notes}
    assert 3 <= len(found) < MANY_STEPS
    assert "their times were not kept (kept: iterations " in exported.err
    for flow, ends in Counter(flow for each in slices for flow in each.starts + each.ends).items():
        assert ends == 2, flow


def test_iterations_without_times_are_named_instead_of_exported(sampled: Path, export: Export) -> None:
    kept = {each.notes.get("iteration") for each in slices_of(export("perfetto", sampled).path)}
    missing = next(number for number in range(MANY_STEPS) if number not in kept)
    exported = export("perfetto", sampled, "--iterations", f"{missing}", code=2, to="none")
    assert "were not kept (kept: iterations " in exported.err
    assert not exported.path.exists()


def test_perfettos_own_schema_knows_every_field(whole: Path, export: Export) -> None:
    schema = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    unknown = pytest.importorskip("google.protobuf.unknown_fields")
    trace = schema.Trace()
    trace.ParseFromString(export("perfetto", whole).path.read_bytes())
    assert trace.packet
    left = [trace]
    while left:
        message = left.pop()
        assert not list(unknown.UnknownFieldSet(message)), message
        for _, value in message.ListFields():
            each = value if hasattr(value, "__iter__") and not isinstance(value, (str, bytes)) else [value]
            left += [part for part in each if hasattr(part, "ListFields")]
    kinds = {packet.WhichOneof("data") for packet in trace.packet}
    assert {"track_event", "track_descriptor"} <= kinds
