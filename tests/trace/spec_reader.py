"""A reader of Leadline's traces, written from docs/reference/format.md alone: slow, and independent of the C++ one.

python3 spec_reader.py FILE.trace prints everything in it, one thing a line
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from spec_packing import deflated, modelled
from spec_series import Series, read_series
from spec_walk import COARSE, EXTRA, POLLS, Damaged, Generation, Payload, ordered, read_structure, read_times

CLASSES = (
    "local init finalize abort pcontrol send isend recv irecv sendrecv sendrecv_replace isendrecv probe iprobe mprobe "
    "improbe mrecv imrecv wait waitall waitany waitsome test testall testany testsome send_init recv_init coll_init "
    "psend_init precv_init start startall pready parrived request_free cancel coll icoll comm_create comm_icreate "
    "comm_free type_free win_create win_free rma rma_request rma_sync file_open file_close file_io file_iio file_other "
    "other posix_open posix_close posix_read posix_write posix_seek posix_map posix_other"
).split()
LOSSES = (
    "order-lost path-unknown threads-unrecorded not-crash-safe parameters-coarse vectors-dropped requests-unknown "
    "write-failed local-callers-merged regions-unbalanced regions-merged over-budget calls-left"
).split()


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def crc_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC_TABLE = crc_table()


@dataclass
class Trace:
    lines: list[str] = field(default_factory=list)
    tables: dict[str, list[str]] = field(default_factory=dict)
    sites: dict[int, list[str]] = field(default_factory=dict)
    locals: dict[int, list[str]] = field(default_factory=dict)
    loops: dict[int, list[str]] = field(default_factory=dict)
    region_times: dict[int, list[str]] = field(default_factory=dict)
    generations: dict[tuple[int, int], Generation] = field(default_factory=dict)
    series: list[Series] = field(default_factory=list)
    ended: bool = False


def chunks(path: Path) -> Iterator[tuple[int, Payload]]:
    data = path.read_bytes()
    if data[:8] != b"LEADLINE" or struct.unpack_from("<I", data, 8)[0] not in (2, 3):
        raise Damaged(f"{path}: not a trace of version 2 or 3")
    at = 16
    while at + 16 <= len(data):
        magic, kind, size, crc = struct.unpack_from("<4sIII", data, at)
        payload = data[at + 16 : at + 16 + size]
        if magic != b"LLCK" or len(payload) < size or crc32c(data[at + 4 : at + 12] + payload) != crc:
            raise Damaged(f"{path}: damaged at byte {at}")
        kind, payload = plain(kind, payload)
        yield kind, Payload(payload)
        if kind == 11:
            return
        at += 16 + size
    raise Damaged(f"{path}: cut off at byte {len(data)}")


def plain(kind: int, payload: bytes) -> tuple[int, bytes]:
    flags = kind >> 30
    if flags:
        p = Payload(payload)
        size, block = p.varint(), p.block()
        first = modelled(block, size) if flags & 2 else deflated(block, size)
        kind, payload = kind & 0x3FFFFFFF, first + payload[p.at :]
    return kind, payload


def read(path: Path) -> Trace:
    trace = Trace()
    for kind, payload in chunks(path):
        if kind == 14:
            for inner, inner_payload in chunks(path.parent / f"shared-{payload.data[:32].decode()}.structure"):
                if inner != 11:
                    take(trace, inner, inner_payload)
        else:
            take(trace, kind, payload)
    return trace


def take(trace: Trace, kind: int, p: Payload) -> None:
    readers = {
        1: process,
        2: functions,
        3: modules,
        4: communicators,
        5: datatypes,
        6: ops,
        10: losses,
        16: clock,
        17: conditions,
        20: pauses,
        21: regions,
        23: variables,
        24: settings,
        25: samples,
        30: files,
    }
    if kind in readers:
        trace.tables[readers[kind].__name__] = readers[kind](p)
    elif kind == 7:
        thread = p.varint()
        trace.sites[thread] = sites(thread, p)
    elif kind == 22:
        thread = p.varint()
        trace.region_times[thread] = region_times(thread, p)
    elif kind == 18:
        thread = p.varint()
        trace.loops[thread] = loops(thread, p)
    elif kind == 9:
        thread = p.varint()
        trace.locals[thread] = local_calls(thread, p)
    elif kind in (8, 12):
        g = read_structure(p)
        trace.generations[g.thread, g.number] = g
        if kind == 8:
            assert (p.varint(), p.varint()) == (g.thread, g.number)
            read_times(p, g)
    elif kind == 13:
        thread, number = p.varint(), p.varint()
        read_times(p, trace.generations[thread, number])
    elif kind == 15:
        trace.series.append(read_series(p))
    elif kind == 11:
        trace.ended = True


def process(p: Payload) -> list[str]:
    pid, rank, size, world = p.svarint(), p.svarint(), p.svarint(), p.varint()
    names = "|".join(p.string() for _ in range(4))
    initialized, finalized, start = p.varint(), p.varint(), p.svarint()
    duration, overhead, per_call = p.varint(), p.varint(), p.varint()
    p.varint()  # threads
    between = p.varint() if p.at < len(p.data) else 0
    numbers = f"{initialized} {finalized} 1 {start} {duration} {overhead} {per_call} {between}"
    return [f"process {pid} {rank} {size} {world} {names} {numbers}"]


def functions(p: Payload) -> list[str]:
    lines = []
    while p.more():
        number, cls = p.varint(), p.byte()
        lines.append(f"function {number} {p.string()} {CLASSES[cls]}")
    return lines


def texts(p: Payload) -> list[str]:
    return p.block().decode().split("\0")[:-1]


def modules(p: Payload) -> list[str]:
    words = texts(p)
    return [f"module {path} {build}" for path, build in zip(words[::2], words[1::2], strict=True)]


def ops(p: Payload) -> list[str]:
    return [f"op {name}" for name in texts(p)]


def communicators(p: Payload) -> list[str]:
    lines = []
    for _ in range(p.varint()):
        kind, parent, identity = p.byte(), p.varint(), p.varint()
        words = [kind, parent, identity, p.svarint(), p.svarint()]
        members: list[int] = []
        total = p.varint()
        while len(members) < total:
            length, first, stride = p.varint(), p.svarint(), p.svarint()
            members += [first + i * stride for i in range(length)]
        lines.append(" ".join(["communicator", *map(str, words + members)]))
    for _ in range(p.varint() if p.more() else 0):
        number = p.varint()
        lines[number] += f" topology {p.byte()}"
        for _ in range(p.varint()):
            side = p.varint()
            lines[number] += f" {side >> 1}{'p' if side & 1 else ''}"
    return lines


def datatypes(p: Payload) -> list[str]:
    lines = []
    for _ in range(p.varint()):
        name = p.string()
        lines.append(f"datatype {name} " + " ".join(str(p.svarint()) for _ in range(5)) + f" {p.byte()}")
    for _ in range(p.varint() if p.more() else 0):
        number, sides = p.varint(), p.varint()
        lines[number] += "".join(f" {p.varint()}/{p.varint()}" for _ in range(sides))
    return lines


def clock(p: Payload) -> list[str]:
    lines = [f"clock {p.varint()} {p.svarint()} {p.byte()}"]
    return lines + [f"compared {p.varint()} {p.svarint()} {p.varint()}" for _ in range(p.varint())]


def conditions(p: Payload) -> list[str]:
    words = [str(p.varint()), str(p.varint())]
    end = 0
    for _ in range(p.varint()):
        first = end + p.varint()
        end = first + p.varint()
        words.append(f"{first}-{end - 1}")
    words += [*(str(p.varint()) for _ in range(4)), str(p.svarint()), str(p.svarint()), p.string()]
    return [" ".join(["conditions", *words, *(str(p.varint()) for _ in range(3))])]


def regions(p: Payload) -> list[str]:
    return [f"region {i} {p.varint()} {p.string()}" for i in range(p.varint())]


def region_times(thread: int, p: Payload) -> list[str]:
    return [" ".join(["spent", str(thread), *(str(p.varint()) for _ in range(5))]) for _ in range(p.varint())]


def variables(p: Payload) -> list[str]:
    lines = []
    while p.more():
        words = [p.string(), p.string(), str(p.byte())]
        (value,) = struct.unpack("<d", bytes(p.byte() for _ in range(8)))
        lines.append(" ".join(["variable", *words, f"{value:.3f}"]))
    return lines


def settings(p: Payload) -> list[str]:
    lines = []
    while p.more():
        lines.append(f"setting {p.string()} {p.string()}")
    return lines


def samples(p: Payload) -> list[str]:
    lines = ["sampling " + " ".join(str(p.varint()) for _ in range(7))]
    return lines + ["sample " + " ".join(str(p.varint()) for _ in range(5)) for _ in range(p.varint())]


def pauses(p: Payload) -> list[str]:
    lines = ["pauses " + " ".join(str(p.varint()) for _ in range(4))]
    return [*lines, *(f"pause {p.varint()} {p.varint()}" for _ in range(p.varint()))]


def files(p: Payload) -> list[str]:
    lines = []
    for _ in range(p.varint()):
        lines.append(f"file {p.string()} {p.varint()} {p.svarint()}")
        layers = p.byte()
        for layer in range(4):
            if layers >> layer & 1:
                lines.append(f"layer {layer} " + " ".join(str(p.varint()) for _ in range(11)))
        lines += [stretches(p), stretches(p)]
    return lines


def stretches(p: Payload) -> str:
    n, more, begin = p.varint(), p.byte(), 0
    words = [f"stretches {more}"]
    for _ in range(n):
        begin += p.svarint()
        length, count = p.varint(), p.varint()
        words.append(f"{begin}+{length}*{count}/{p.varint() if count > 1 else 0}")
    return " ".join(words)


def losses(p: Payload) -> list[str]:
    amounts = [p.varint() for _ in range(p.varint())]
    return [f"loss {code} {amount}" for code, amount in zip(LOSSES, amounts, strict=False) if amount]


def frame(p: Payload) -> str:
    return f"{p.varint()}+{p.varint():x}"


def sites(thread: int, p: Payload) -> list[str]:
    functions, own_frames = [], []
    for _ in range(p.varint()):
        functions.append(p.varint())
        own_frames.append([frame(p) for _ in range(p.varint())])
    regions = [p.varint() if p.more() else 0 for _ in functions]
    tree = contexts(p) if p.more() else []
    lines, at = [], 0
    for i, function in enumerate(functions):
        at += p.svarint() if tree else 0
        frames, end = path(tree, at) if tree else (own_frames[i], 0)
        whole = "whole" if end == 1 else "cut"
        lines.append(" ".join([f"site {thread} {i} {function}", *frames, f"{whole} in {regions[i]}"]))
    return lines


def contexts(p: Payload) -> list[tuple[int, int, int]]:
    """(parent, module, offset) of each."""
    tree = [(0, 0, 0), (0, 0, 0)]
    last_child: dict[int, int] = {}
    for number in range(2, p.varint() + 2):
        control = p.varint()
        parent = number - 1 - control // 2
        _, module, offset = tree[last_child.get(parent, number - 1)]
        if control % 2:
            module = p.varint()
        tree.append((parent, module, (offset + p.svarint()) % 2**48))
        last_child[parent] = number
    return tree


def path(tree: list[tuple[int, int, int]], at: int) -> tuple[list[str], int]:
    """The frames, innermost first, and the context that the chain ends in."""
    frames = []
    while at > 1:
        at, module, offset = tree[at]
        frames.append(f"{module if module != 65535 else -1}+{offset:x}")
    return frames, at


def loops(thread: int, p: Payload) -> list[str]:
    lines, header = [], 0
    for number in range(1, p.varint() + 1):
        context, outer = p.varint(), p.varint()
        header += p.svarint()
        found, last = p.byte(), header + p.svarint()
        places = " ".join(f"{place >> 48}+{place & (1 << 48) - 1:x}" for place in (header, last))
        lines.append(f"source {thread} {number} {context} {outer} {places} {found} {p.varint()} {p.varint()}")
    around = [p.varint() for _ in range(p.varint())]
    lines.append(" ".join(map(str, ["around", thread, *around])))
    back_edges, site = [], 0
    for _ in range(p.varint() if around else 0):
        site += p.svarint()
        back_edges.append((site, site + p.svarint(), p.varint()))
    return lines + [f"back_edge {thread} {' '.join(map(str, way))}" for way in sorted(back_edges)]


def local_calls(thread: int, p: Payload) -> list[str]:
    return [f"local {thread} {p.varint()} {frame(p)} {p.varint()} {p.varint()}" for _ in range(p.varint())]


def describe(g: Generation) -> Iterator[str]:
    yield f"generation {g.thread} {g.number} {g.unordered} {g.events}"
    for i, q in enumerate(g.positions[2:], 2):
        words: list[object] = [f"position {i} {q.mode}", *q.key]
        if q.mode == COARSE:
            words += ["amount", q.amount]
        words += [q.visits, *q.times, *(f"{b}:{n}" for b, n in q.buckets.items() if n)]
        yield " ".join(map(str, words))
    for q in g.polls:
        yield " ".join(
            map(str, ["polls", *q.key, q.visits, *q.times, *(f"{b}:{n}" for b, n in q.buckets.items() if n)])
        )
    yield f"runs {g.kept} {g.dropped} {g.tail_polls}"


def expand(g: Generation) -> Iterator[str]:
    if g.unordered:
        return
    for key, times, _ in ordered(g):
        number = key[EXTRA] & 0x7FFFFFFF
        words = g.words[number] if number < len(g.words) else []
        yield " ".join(map(str, ["event", times, *key, *words]))


def positions_of(g: Generation, series: Series) -> Iterator[int]:
    """The positions of the calls in the windows."""
    wanted = [number for w in series.windows for number in range(w.first_call, w.first_call + w.calls)]
    number = at = 0
    for _, times, position in ordered(g):
        for _ in range(1 if position == POLLS else times):
            if at < len(wanted) and wanted[at] == number:
                yield position
                at += 1
            number += 1


def describe_series(g: Generation, series: Series) -> Iterator[str]:
    yield f"series {series.thread} {series.generation}"
    yield from series.lines
    for polled, duration, gap in series.values(positions_of(g, series)):
        yield f"timed {duration:.6g} {gap:.6g}{' polled' if polled else ''}"


def lines_of(path: Path) -> Iterator[str]:
    trace = read(path)
    before = "process functions modules communicators datatypes ops regions variables settings pauses samples"
    for name in [*before.split(), "clock", "conditions", "files", "losses"]:
        yield from trace.tables.get(name, [])
    for thread in sorted(trace.sites):
        yield from trace.sites[thread]
        yield from trace.loops.get(thread, [])
        yield from trace.locals.get(thread, [])
        yield from trace.region_times.get(thread, [])
        generations = [g for key, g in sorted(trace.generations.items()) if key[0] == thread]
        for g in generations:
            yield from describe(g)
        for g in generations:
            yield from expand(g)
        for g in generations:
            for series in trace.series:
                if (series.thread, series.generation) == (g.thread, g.number):
                    yield from describe_series(g, series)


if __name__ == "__main__":
    for line in lines_of(Path(sys.argv[1])):
        print(line)
