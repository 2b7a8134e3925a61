"""The pieces of a link, from the times of messages.

A piece says that a message of n bytes takes c + n s, with c and s not negative. Where one such line does not fit all
sizes up to the eager limit, or all above it, several do: as few as describe the measured times to within a few percent.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leadline.statistics.lines import Line, line_through
from leadline.statistics.median import median

TOLERANCE = 0.02  # of a time: an error of that much at one size costs as much as
NEW_PIECE = 2.0  # a new piece divided by this number
MOST_STARTS = 28  # of short messages, and of long ones
PARTS = 4  # of an interval between two sizes in which no line fits


def _error(line: Line, points: Sequence[tuple[int, float]]) -> float:
    return sum(((line.at(n) / ns - 1) / TOLERANCE) ** 2 for n, ns in points if ns > 0)


def _covered(points: Sequence[tuple[int, float]], start: int, end: int) -> Sequence[tuple[int, float]]:
    """What a piece is fitted to: also the first point of the next one, so that sizes between them are right. Nothing
    lies between 0 bytes and 1."""
    return points[start : end if points[end - 1][0] == 0 else end + 1]


def groups(points: Sequence[tuple[int, float]], floor: float = 0.0, new_piece: float = NEW_PIECE) -> list[int]:
    """Where each piece begins, as indices of the points, which ascend."""
    n = len(points)
    best = [0.0] + [math.inf] * n
    begin = [0] * (n + 1)
    for end in range(1, n + 1):
        for start in range(end):
            covered = _covered(points, start, end)
            if len(covered) == 1 and end == n > 1:
                continue  # the longest size alone says nothing about longer ones
            cost = best[start] + _error(line_through(covered, floor), covered) + new_piece
            if cost < best[end]:
                best[end], begin[end] = cost, start
    starts: list[int] = []
    at = n
    while at:
        at = begin[at]
        starts.append(at)
    return starts[::-1]


@dataclass(frozen=True)
class Sizes:
    """Medians by bytes of each question, of a pair; segments: of short and of long messages, where pieces begin."""

    eager_bytes: int
    asked: Mapping[str, Mapping[int, float]]
    segments: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class FittedPiece:
    from_bytes: int
    latency_ns: float
    send: Line
    receive: Line
    gap_ns: float
    per_byte_ns: float


@dataclass(frozen=True)
class FittedLink:
    """handshake_ns: None: there are no long messages, or no short ones."""

    pieces: tuple[FittedPiece, ...]
    handshake_ns: float | None = None
    segments: tuple[tuple[int, ...], ...] = field(default=())


def fit_link(sizes: Sizes) -> FittedLink:
    """segments: taken as given, so that resampled times give the same pieces; else found."""
    times = sorted(sizes.asked["round_trip"].items())
    short = [point for point in times if point[0] <= sizes.eager_bytes]
    long = [point for point in times if point[0] > sizes.eager_bytes]
    starts = sizes.segments[0] if sizes.segments else _starts(short)
    pieces = [_short_piece(points, sizes) for points in _split(short, starts)]
    if not long:
        return FittedLink(tuple(pieces), None, (tuple(starts), ()))
    ways = _ends_of_long(sizes, pieces, long[0][1])
    more = sizes.segments[1] if sizes.segments else _starts(long, ways.floor_ns)
    rest = [_long_piece(points, sizes, ways) for points in _split(long, more)]
    return FittedLink((*pieces, *rest), ways.handshake_ns, (tuple(starts), tuple(more)))


def _starts(points: Sequence[tuple[int, float]], floor: float = 0.0) -> list[int]:
    """Where time grows faster than the size, as where messages outgrow a cache, no line fits two sizes: there are more
    pieces between them."""
    between = []
    for (n, ns), (larger, longer) in itertools.pairwise(points):
        if n and longer - floor > 1.05 * (ns - floor) * larger / n:
            between += [round(n * (larger / n) ** (part / PARTS)) for part in range(1, PARTS)]
    denser = _with(points, between)
    new_piece, starts = NEW_PIECE, groups(denser, floor)
    while len(starts) > MOST_STARTS:  # times that scatter, as on busy cores
        new_piece *= 4
        starts = groups(denser, floor, new_piece)
    return [denser[at][0] for at in starts]


def _with(points: Sequence[tuple[int, float]], sizes: Sequence[int]) -> list[tuple[int, float]]:
    """Also with those sizes that are not measured: on the power law through their neighbours."""
    known = [n for n, _ in points]
    found = dict(points)
    for n in sizes:
        if n in found:
            continue
        after = bisect.bisect(known, n)
        (less, ns), (more, longer) = points[after - 1], points[after]
        found[n] = ns * (longer / ns) ** (math.log(n / less) / math.log(more / less))
    return sorted(found.items())


def _split(points: Sequence[tuple[int, float]], starts: Sequence[int]) -> list[list[tuple[int, float]]]:
    points = _with(points, starts)
    sizes = [n for n, _ in points]
    at = [sizes.index(start) for start in starts]
    return [list(_covered(points, start, end)) for start, end in zip(at, [*at[1:], len(points)], strict=True)]


def _within(times: Mapping[int, float], points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    return [(n, times[n]) for n, _ in points if n in times]


def _short_piece(points: Sequence[tuple[int, float]], sizes: Sizes) -> FittedPiece:
    whole = line_through(points)
    send = line_through(_within(sizes.asked.get("send", {}), points))
    receive = line_through(_within(sizes.asked.get("receive", {}), points))
    stream = _within(sizes.asked.get("stream", {}), points)
    send, receive = _no_more_than(whole, _at_most(stream, send), _at_most(stream, receive))
    rest = Line(
        max(whole.constant - send.constant - receive.constant, 0.0), max(whole.slope - send.slope - receive.slope, 0.0)
    )
    gap = _gap(stream, send, receive, rest)
    return FittedPiece(points[0][0], rest.constant - gap, send, receive, gap, rest.slope)


def _at_most(stream: Sequence[tuple[int, float]], end: Line) -> Line:
    """A single wait also looks for other messages, which many messages share: each of a stream takes less."""
    shares = [ns / end.at(n) for n, ns in stream if end.at(n) > 0]
    share = min(median(shares), 1.0) if shares else 1.0
    return Line(end.constant * share, end.slope * share)


def _no_more_than(whole: Line, send: Line, receive: Line) -> tuple[Line, Line]:
    """The message as a whole is measured best, so what its ends take is at most that."""
    constants, slopes = send.constant + receive.constant, send.slope + receive.slope
    shrink = min(1.0, whole.constant / constants) if constants else 1.0
    level = min(1.0, whole.slope / slopes) if slopes else 1.0
    return Line(send.constant * shrink, send.slope * level), Line(receive.constant * shrink, receive.slope * level)


def _gap(stream: Sequence[tuple[int, float]], send: Line, receive: Line, rest: Line) -> float:
    """What a port needs between messages. If the processors at the ends limit a stream, nothing is known of the port,
    and it is taken to be no limit."""
    gaps = [
        ns - rest.slope * n if ns > 1.1 * max(send.at(n), receive.at(n), rest.slope * n) else 0.0 for n, ns in stream
    ]
    return min(max(median(gaps), 0.0), rest.constant) if gaps else 0.0


@dataclass(frozen=True)
class _Ends:
    """What each long message takes, whatever its size."""

    send_ns: float
    receive_ns: float
    latency_ns: float
    handshake_ns: float

    @property
    def floor_ns(self) -> float:
        return self.send_ns + self.receive_ns + self.latency_ns + self.handshake_ns


def _ends_of_long(sizes: Sizes, short: Sequence[FittedPiece], first_ns: float) -> _Ends:
    """The call, what an empty message takes to receive, and three times on the way: question, answer, message. No
    measurement tells them apart, but together they are at most half of the shortest long message's time."""
    called = [ns for n, ns in sizes.asked.get("send", {}).items() if n > sizes.eager_bytes]
    way = short[0].latency_ns if short else first_ns / 6
    ends = _Ends(median(called) if called else 0.0, short[0].receive.constant if short else 0.0, way, 2 * way)
    shrink = min(1.0, first_ns / 2 / ends.floor_ns) if ends.floor_ns else 1.0
    return _Ends(*(each * shrink for each in (ends.send_ns, ends.receive_ns, ends.latency_ns, ends.handshake_ns)))


def _long_piece(points: Sequence[tuple[int, float]], sizes: Sizes, ends: _Ends) -> FittedPiece:
    """Several at once say how much of what they take besides keeps the port busy; the rest is on the way."""
    whole = line_through(points, ends.floor_ns)
    rest = max(whole.constant - ends.floor_ns, 0.0)
    gaps = [ns - whole.slope * n for n, ns in _within(sizes.asked.get("stream", {}), points)]
    gap = min(max(median(gaps), 0.0), rest) if gaps else 0.0
    latency = ends.latency_ns + rest - gap
    return FittedPiece(points[0][0], latency, Line(ends.send_ns), Line(ends.receive_ns), gap, whole.slope)
