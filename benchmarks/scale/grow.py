"""grow.py RUN RANKS OUT: a stand-in for a run of RANKS ranks, made of a recorded run of few.

The recorded run must be one of a chain of ranks, or of a grid whose rows are ROW ranks long (--row): each rank talks
to ranks at the same distance as its counterpart of the run. The first and the last row are copies of the run's
first and last, all others of those between. Each node has a host and a clock of its own, as many cores as ranks, and
one file of traces. Times, calls and bytes are those of the recorded ranks. Of communicators, only MPI_COMM_WORLD,
MPI_COMM_SELF and copies of these can be grown.
"""

from __future__ import annotations

import argparse
import shutil
import struct
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from leadline import _core, cores
from leadline.anonymise.node_file import member
from leadline.anonymise.payloads import Payload, string, varint
from leadline.anonymise.trace_file import _unpacked, identity_of

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


# What a payload is at another place: read once for each recorded rank, and written for each that is made of it.
Grown = Callable[[Place], bytes]


def process(p: Payload) -> Grown:
    p.varints(3)
    world = p.varints(1)
    p.text()
    names = b"".join(string(p.text()) for _ in range(3)) + p.varints(2)
    start, rest = p.svarint(), p.rest()

    def at(place: Place) -> bytes:
        who = signed(place.pid) + signed(place.rank) + signed(place.ranks) + world + string(place.host)
        return who + names + signed(start + place.rank * _STARTED_APART_NS) + rest

    return at


def communicators(p: Payload) -> Grown:
    found = []  # head, rank, size, whether its members are known
    count = p.varint()
    for _ in range(count):
        head = p.raw(1) + p.varints(2)
        rank, size, members = p.svarint(), p.svarint(), p.varint()
        seen = 0
        while seen < members:
            seen += p.varint()
            p.varints(2)
        found.append((head, rank, size, members > 0))
    rest = p.rest()

    def at(place: Place) -> bytes:
        out = [varint(count)]
        for head, rank, size, known in found:
            first, whole = (place.rank, 1) if size == 1 else (0, place.ranks)
            own = rank if size <= 1 else place.rank
            out += [head, signed(own), signed(whole if size > 0 else size), varint(whole if known else 0)]
            out += [varint(whole) + signed(first) + signed(1)] if known else []
        return b"".join(out) + rest

    return at


def clock(p: Payload) -> Grown:
    p.varint()
    start = p.varints(1)
    ends = b"".join(varint(at) + signed(0) + varint(_CLOCK_ERROR_NS) for at in (1, 1 << 50))
    return lambda place: varint(2 * place.node + 2) + start + b"\1" + varint(2) + ends


def conditions(p: Payload) -> Grown:
    p.varint()
    quota = p.varints(1)
    p.varints(2 * p.varint())
    times = p.varints(3)
    p.varint()
    p.varints(2)
    rest = p.rest()

    def at(place: Place) -> bytes:
        own = varint(place.per_node)
        out = own + quota + varint(1) + varint(0) + own + times
        return out + varint(1) + signed(place.ranks) + signed(place.rank) + rest  # it never waited for a processor

    return at


REWRITTEN = {_PROCESS: process, _COMMUNICATORS: communicators, _CLOCK: clock, _CONDITIONS: conditions}


def chunk(kind: int, payload: bytes) -> bytes:
    head = struct.pack("<II", kind, len(payload))
    return b"LLCK" + head + struct.pack("<I", _core.crc32c(head + payload)) + payload


def grown(data: bytes) -> Grown:
    """A trace at another place."""
    parts: list[tuple[int, Grown] | bytes] = [data[:16]]
    at = 16
    while at + 16 <= len(data):
        _, kind, size, _ = struct.unpack_from("<4sIII", data, at)
        whole = data[at : at + 16 + size]
        if rewriting := REWRITTEN.get(kind & _TYPE):
            parts.append((kind & _TYPE, rewriting(Payload(_unpacked(kind, whole[16:])))))
        else:
            parts.append(whole)
        at += 16 + size
    return lambda place: b"".join(part if isinstance(part, bytes) else chunk(part[0], part[1](place)) for part in parts)


def traces_of(run: Path) -> list[bytes]:
    """By rank."""
    found = []
    for path in run.glob("*.trace"):
        found.append(path.read_bytes())
    for path in run.glob("*.traces"):
        data = path.read_bytes()
        found += [data[begin : begin + size] for _, begin, size, _ in _core.node_members(str(path))]
    return sorted(found, key=lambda data: identity_of(data).rank)


def counterpart(rank: int, ranks: int, base: int, row: int) -> int:
    """The rank of the recorded run, whose first and last rows are those of the grown one."""
    if rank < row:
        return rank
    if rank >= ranks - row:
        return base - (ranks - rank)
    return row + (rank - row) % (base - 2 * row)


def nodes(source: Path, ranks: int, row: int, per_node: int, part: int, parts: int) -> Iterator[tuple[str, bytes]]:
    """The name and content of the file of every `parts`-th node."""
    made = [grown(data) for data in traces_of(source)]
    if ranks < len(made) or len(made) <= 2 * row:
        raise SystemExit(f"{len(made)} ranks in {source}: needs more than {2 * row}, and at most {ranks}")
    for first in range(part * per_node, ranks, parts * per_node):
        members = []
        for rank in range(first, min(first + per_node, ranks)):
            place = Place(rank, ranks, per_node)
            content = made[counterpart(rank, ranks, len(made), row)](place)
            members.append(member(f"rank-{rank:05d}-{place.host}-{place.pid}.trace", content))
        node = Place(first, ranks, per_node)
        yield f"{node.host}-{node.node:08x}.traces", b"".join(members)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("ranks", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--row", type=int, default=1, help="ranks of a row of the grid; 1: a chain")
    parser.add_argument("--per-node", type=int, default=64)
    given = parser.parse_args()
    given.out.mkdir(parents=True)
    for shared in (*given.run.glob("shared-*.structure"), given.run / "job.json"):
        shutil.copy(shared, given.out)
    parts = cores.number()
    with ProcessPoolExecutor(parts) as pool:
        for done in [pool.submit(write, given, part, parts) for part in range(parts)]:
            done.result()
    return 0


def write(given: argparse.Namespace, part: int, parts: int) -> None:
    """Every `parts`-th node."""
    for name, content in nodes(given.run, given.ranks, given.row, given.per_node, part, parts):
        (given.out / name).write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
