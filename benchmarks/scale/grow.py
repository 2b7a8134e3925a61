"""grow.py RUN RANKS OUT: a stand-in for a run of RANKS ranks, made of a recorded run of few.

The recorded run must be one of a chain of ranks, or of a grid whose rows are NODE ranks long (--node): each rank talks
to ranks at the same distance as its counterpart of the run. The first and the last node are copies of the run's
first and last, all others of those between. Each node has a host and a clock of its own, and as many cores as ranks.
Times, calls and bytes are those of the recorded ranks. Of communicators, only MPI_COMM_WORLD, MPI_COMM_SELF and copies
of these can be grown.
"""

from __future__ import annotations

import argparse
import shutil
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leadline.anonymise.payloads import Payload, string, varint
from leadline.anonymise.trace_file import _checksum, _unpacked

_PROCESS, _COMMUNICATORS, _CLOCK, _CONDITIONS = 1, 4, 16, 17
_TYPE = (1 << 30) - 1
_STARTED_APART_NS = 1000  # of one rank and the next
_CLOCK_ERROR_NS = 2000


@dataclass(frozen=True)
class Place:
    """Of a grown rank."""

    rank: int
    ranks: int
    per_node: int

    @property
    def node(self) -> int:
        return self.rank // self.per_node

    @property
    def host(self) -> str:
        return f"node{self.node:05d}"

    @property
    def pid(self) -> int:
        return 1000 + self.rank % self.per_node


def signed(value: int) -> bytes:
    return varint((value << 1 ^ value >> 63) & (1 << 64) - 1)


def _signed(p: Payload) -> int:
    value = p.varint()
    return value >> 1 ^ -(value & 1)


def process(p: Payload, place: Place) -> bytes:
    _signed(p), _signed(p), _signed(p)
    out = signed(place.pid) + signed(place.rank) + signed(place.ranks) + p.varints(1)
    p.text()
    out += string(place.host) + b"".join(string(p.text()) for _ in range(3)) + p.varints(2)
    return out + signed(_signed(p) + place.rank * _STARTED_APART_NS) + p.rest()


def communicators(p: Payload, place: Place) -> bytes:
    count = p.varint()
    out = [varint(count)]
    for _ in range(count):
        out += [p.raw(1), p.varints(2)]
        rank, size, members = _signed(p), _signed(p), p.varint()
        seen = 0
        while seen < members:
            seen += p.varint()
            _signed(p), _signed(p)
        first, whole = (place.rank, 1) if size == 1 else (0, place.ranks)
        out += [signed(rank if size == 1 else place.rank), signed(whole)] if size > 0 else [signed(rank), signed(size)]
        kept = members > 0
        out += [varint(whole if kept else 0)]
        out += [varint(whole) + signed(first) + signed(1)] if kept else []
    return b"".join(out) + p.rest()


def clock(p: Payload, place: Place) -> bytes:
    p.varint()
    start = p.varints(1)
    ends = [varint(at) + signed(0) + varint(_CLOCK_ERROR_NS) for at in (1, 1 << 50)]
    return varint(2 * place.node + 2) + start + b"\1" + varint(2) + b"".join(ends)


def conditions(p: Payload, place: Place) -> bytes:
    p.varint()
    out = varint(place.per_node) + p.varints(1)
    p.varints(2 * p.varint())
    out += varint(1) + varint(0) + varint(place.per_node) + p.varints(3)
    p.varint()
    out += varint(1)  # it never waited for a processor
    _signed(p), _signed(p)
    return out + signed(place.ranks) + signed(place.rank) + p.rest()


REWRITTEN = {_PROCESS: process, _COMMUNICATORS: communicators, _CLOCK: clock, _CONDITIONS: conditions}


def _chunks(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """(type, unpacked payload of those that change, whole chunk)"""
    at = 16
    while at + 16 <= len(data):
        _, kind, size, _ = struct.unpack_from("<4sIII", data, at)
        whole = data[at : at + 16 + size]
        plain = kind & _TYPE
        yield plain, _unpacked(kind, whole[16:]) if plain in REWRITTEN else b"", whole
        at += 16 + size


def chunk(kind: int, payload: bytes) -> bytes:
    head = struct.pack("<II", kind, len(payload))
    return b"LLCK" + head + struct.pack("<I", _checksum(head + payload)) + payload


def grown(pieces: list[tuple[int, bytes, bytes]], place: Place) -> bytes:
    """A trace of that rank, of the chunks of its counterpart."""
    out = [chunk(kind, REWRITTEN[kind](Payload(payload), place)) if kind in REWRITTEN else whole
           for kind, payload, whole in pieces]  # fmt: skip
    return b"".join(out)


def counterpart(rank: int, ranks: int, base: int, node: int) -> int:
    """The rank of the recorded run, whose first and last nodes are those of the grown one."""
    if rank < node:
        return rank
    if rank >= ranks - node:
        return base - (ranks - rank)
    return node + (rank - node) % (base - 2 * node)


def grow(source: Path, target: Path, ranks: int, row: int, per_node: int) -> None:
    files = sorted(source.glob("rank-*.trace"))
    base = len(files)
    if ranks < base or base <= 2 * row:
        raise SystemExit(f"{base} ranks in {source}: needs more than {2 * row}, and at most {ranks}")
    target.mkdir(parents=True)
    for shared in source.glob("shared-*.structure"):
        shutil.copy(shared, target)
    shutil.copy(source / "job.json", target)
    read = [(data[:16], [*_chunks(data)]) for data in (path.read_bytes() for path in files)]
    for rank in range(ranks):
        place = Place(rank, ranks, per_node)
        header, pieces = read[counterpart(rank, ranks, base, row)]
        name = f"rank-{rank:05d}-{place.host}-{place.pid}.trace"
        (target / name).write_bytes(header + grown(pieces, place))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("ranks", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--row", type=int, default=1, help="ranks of a row of the grid; 1: a chain")
    parser.add_argument("--per-node", type=int, default=64)
    given = parser.parse_args()
    grow(given.run, given.out, given.ranks, given.row, given.per_node)
    return 0


if __name__ == "__main__":
    sys.exit(main())
