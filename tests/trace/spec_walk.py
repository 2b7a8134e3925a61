"""The generations of a trace: graphs, tokens and the walk over them, written from docs/reference/format.md alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

COARSE, VARIES = 19, 32
LITERALS = 1  # a token's target
POLLS = 1  # in place of a position
NOTHING = 1 << 28  # in the communicator's place: polls that found nothing


class Damaged(Exception):
    """The bytes are no trace, or only the beginning of one."""


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Payload:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def more(self) -> bool:
        return self.at < len(self.data)

    def byte(self) -> int:
        if not self.more():
            raise Damaged("a payload ends too early")
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            b = self.byte()
            value |= (b & 0x7F) << shift
            if not b & 0x80:
                return value & 0xFFFFFFFFFFFFFFFF
        raise Damaged("a number of more than ten bytes")

    def svarint(self) -> int:
        v = self.varint()
        return (v >> 1) ^ -(v & 1)

    def block(self) -> bytes:
        n = self.varint()
        if n > len(self.data) - self.at:
            raise Damaged("a payload ends too early")
        self.at += n
        return self.data[self.at - n : self.at]

    def string(self) -> str:
        return self.block().decode(errors="replace")


# Fields in the order of a key: site, communicator, count, peer, tag, datatype, extra, value.
Key = tuple[int, int, int, int, int, int, int, int]
ZEROS: Key = (0, 0, 0, 0, 0, 0, 0, 0)
SITE, COMMUNICATOR, COUNT, PEER, TAG, DATATYPE, EXTRA, VALUE = range(8)
WIDTH = {SITE: 32, COMMUNICATOR: 32, DATATYPE: 32, EXTRA: 32}
SIGNED_WIDTH = {COUNT: 64, PEER: 32, TAG: 32, VALUE: 64}


def moved(key: Key, payload: Payload, mask: int, fields: list[int]) -> Key:
    """The key plus the differences of those fields whose bit in the mask is set."""
    new = list(key)
    for bit, which in enumerate(fields):
        if mask >> bit & 1:
            total = new[which] + payload.svarint()
            new[which] = total & 0xFFFFFFFF if which in WIDTH else signed(total, SIGNED_WIDTH[which])
    return (new[0], new[1], new[2], new[3], new[4], new[5], new[6], new[7])


@dataclass
class Position:
    key: Key = ZEROS
    following: int = 0
    mode: int = 0
    fixed_visits: int = 0
    visits: int = 0
    times: tuple[int, int, int, int] = (0, 0, 0, 0)
    buckets: dict[int, int] = field(default_factory=dict)
    amount: int = 0


@dataclass
class Graph:
    tail_run: int
    following: list[int]
    symbols: list[tuple[int, ...]]
    literals: bytes = b""


@dataclass
class Tokens:
    graphs: list[Graph]
    stream: bytes


@dataclass
class Generation:
    thread: int
    number: int
    unordered: int = 0
    events: int = 0
    tail_run: int = 0
    tail_repeats: int = 0
    words: list[list[int]] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    literals: bytes = b""
    tokens: Tokens | None = None
    variations: Graph | None = None
    variation_tokens: Tokens | None = None
    polls: list[Position] = field(default_factory=list)
    tail_polls: int = 0
    tail_site: int = 0
    dropped: int = 0
    kept: int = 0
    poll_runs: Graph | None = None
    poll_tokens: Tokens | None = None


ReadSymbol = Callable[[Payload], tuple[int, ...]]


def read_token(p: Payload) -> tuple[int, ...]:
    return (p.varint(), p.varint())


def read_variation(p: Payload) -> tuple[int, ...]:
    """Position, then the differences of count, peer, tag, extra, value."""
    position, mask = p.varint(), p.byte()
    return (position, *(p.svarint() if mask >> bit & 1 else 0 for bit in range(5)))


def read_poll_run(p: Payload) -> tuple[int, ...]:
    """Events before it, polls, number of its site."""
    packed = p.varint()
    return (packed >> 5, 1 << (packed >> 1 & 15), p.varint() if packed & 1 else 0)


def read_graph(p: Payload, read_symbol: ReadSymbol) -> Graph:
    tail_run, n = p.varint(), p.varint()
    graph = Graph(tail_run, [p.varint() if n else 0, 0], [(), ()])
    for i in range(2, n):
        graph.symbols.append(read_symbol(p))
        graph.following.append(i + 1 + p.svarint())
    graph.literals = p.block()
    return graph


def read_tokens(p: Payload) -> Tokens:
    return Tokens([read_graph(p, read_token) for _ in range(3)], p.block())


def read_positions(p: Payload) -> list[Position]:
    n = p.varint()
    positions = [Position(following=p.varint() if n else 0), Position()]
    follower: dict[int, int] = {}
    last: dict[int, Key] = {}
    before = 0
    for i in range(2, n):
        control = p.byte()
        site = follower.get(before, 0) if control & 1 else p.varint()
        following = i + 1 if control & 2 else i + p.svarint()
        mode = 0 if control & 4 else p.varint()
        fixed = p.varint() if mode == VARIES else 0
        before_here = last.get(site, ZEROS)
        reference: Key = (site, *before_here[1:])
        key = moved(reference, p, p.byte(), [COMMUNICATOR, COUNT, PEER, TAG, DATATYPE, EXTRA, VALUE])
        positions.append(Position(key, following, mode, fixed))
        follower[before] = site
        last[site] = key
        before = site
    return positions


def read_structure(p: Payload) -> Generation:
    g = Generation(p.varint(), p.varint(), p.byte(), p.varint())
    p.varint()  # misses
    g.tail_run, g.tail_repeats = p.varint(), p.varint()
    for _ in range(p.varint()):
        words, word = [], 0
        for _ in range(p.varint()):
            word = signed(word + p.svarint(), 64)
            words.append(word)
        g.words.append(words)
    g.positions = read_positions(p)
    g.literals = p.block()
    g.tokens = read_tokens(p)
    g.variations = read_graph(p, read_variation)
    g.variation_tokens = read_tokens(p)
    return g


def read_statistics(p: Payload, position: Position, before: int) -> int:
    """Returns the number of visits."""
    position.visits = visits = before + p.svarint()
    if visits:
        total, gaps, shortest = p.varint(), p.varint(), p.varint()
        position.times = (total, gaps, shortest, shortest + p.varint())
        first, span = p.byte(), p.byte()
        left = visits
        for bucket in range(first, first + span - 1):
            position.buckets[bucket] = p.varint()
            left -= position.buckets[bucket]
        if span:
            position.buckets[first + span - 1] = left
    return visits


def read_times(p: Payload, g: Generation) -> None:
    visits = 0
    for position in g.positions[2:]:
        visits = read_statistics(p, position, visits)
        if position.mode == COARSE:
            position.amount = p.svarint()
    if p.more():
        read_polls(p, g)


def read_polls(p: Payload, g: Generation) -> None:
    visits = 0
    for _ in range(p.varint()):
        site = Position((p.varint(), NOTHING, 0, 0, 0, 0, 1, 0))
        visits = read_statistics(p, site, visits)
        g.polls.append(site)
    g.tail_polls = p.varint()
    if g.tail_polls:
        g.tail_site = p.varint()
    g.dropped, g.kept = p.varint(), p.varint()
    if g.kept:
        g.poll_runs = read_graph(p, read_poll_run)
        g.poll_tokens = read_tokens(p)


def steps(tail_run: int, tokens: Iterator[tuple[int, ...]]) -> Iterator[int]:
    """Targets of a walk: -1 stands for following `next` once."""
    for run, target in tokens:
        for _ in range(run):
            yield -1
        yield target
    for _ in range(tail_run):
        yield -1


def walk(graph: Graph, tokens: Iterator[tuple[int, ...]], read_symbol: ReadSymbol) -> Iterator[tuple[int, ...]]:
    literals = Payload(graph.literals)
    at = 0
    for target in steps(graph.tail_run, tokens):
        if target == LITERALS:
            last = False
            while not last and literals.more():
                last = bool(literals.byte() & 1)
                yield read_symbol(literals)
            at = 0
        else:
            at = graph.following[at] if target < 0 else target
            yield graph.symbols[at]


def walk_tokens(tokens: Tokens) -> Iterator[tuple[int, ...]]:
    stream = Payload(tokens.stream)
    symbols: Iterator[tuple[int, ...]] = (read_token(stream) for _ in iter(stream.more, False))
    for graph in reversed(tokens.graphs):
        symbols = walk(graph, symbols, read_token)
    return symbols


def walk_variations(g: Generation) -> Iterator[tuple[int, ...]]:
    assert g.variations is not None
    assert g.variation_tokens is not None
    return walk(g.variations, walk_tokens(g.variation_tokens), read_variation)


class EventWalk:
    """The events of a generation without the polls: (key, how many times)."""

    def __init__(self, g: Generation) -> None:
        self.g = g
        self.variations = walk_variations(g)
        self.literals = Payload(g.literals)
        self.visits = [0] * len(g.positions)
        self.last: dict[int, Key] = {}
        self.position = 0  # of the event just given; 0: a literal without one

    def events(self) -> Iterator[tuple[Key, int]]:
        assert self.g.tokens is not None
        at = 0
        for target in steps(self.g.tail_run, walk_tokens(self.g.tokens)):
            if target == LITERALS:
                yield from self.block()
                at = 0
            else:
                at = self.position = self.g.positions[at].following if target < 0 else target
                yield self.visit(at)

    def visit(self, at: int) -> tuple[Key, int]:
        position = self.g.positions[at]
        self.visits[at] += 1
        if position.mode != VARIES or self.visits[at] <= position.fixed_visits:
            return position.key, 1
        key = list(self.last.get(at, position.key))
        differences = next(self.variations)[1:]
        for which, difference in zip((COUNT, PEER, TAG, EXTRA, VALUE), differences, strict=True):
            total = key[which] + difference
            key[which] = total & 0xFFFFFFFF if which in WIDTH else signed(total, SIGNED_WIDTH[which])
        self.last[at] = (key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7])
        return self.last[at], 1

    def block(self) -> Iterator[tuple[Key, int]]:
        previous, position = ZEROS, 0
        while self.literals.more():
            head = self.literals.byte()
            times = 1
            if head >> 1 == 0:
                position = self.literals.varint()
                previous = self.g.positions[position].key
            elif head >> 1 == 1:
                position = 0
                previous = moved(previous, self.literals, self.literals.byte(), list(range(8)))
            else:
                times = self.literals.varint()
            self.visits[position] += times
            self.position = position
            yield previous, times
            if head & 1:
                return
        if self.g.tail_repeats:
            yield previous, self.g.tail_repeats


def ordered(g: Generation) -> Iterator[tuple[Key, int, int]]:
    """Events and runs of polls: (key, how many times, position)."""
    runs: Iterator[tuple[int, ...]] = iter(())
    if g.poll_runs:
        assert g.poll_tokens is not None
        runs = walk(g.poll_runs, walk_tokens(g.poll_tokens), read_poll_run)
    run = next(runs, None)
    distance = run[0] if run else 0
    events = EventWalk(g)
    for key, times in events.events():
        while times:
            if run and distance == 0:
                yield g.polls[run[2]].key, run[1], POLLS
                run = next(runs, None)
                distance = run[0] if run else 0
            now = min(times, distance) if run else times
            yield key, now, events.position
            distance -= now
            times -= now
    if run:
        yield g.polls[run[2]].key, run[1], POLLS
    if g.tail_polls:
        yield g.polls[g.tail_site].key, g.tail_polls, POLLS
