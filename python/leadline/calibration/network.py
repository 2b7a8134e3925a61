"""The network that the launches measured, with the interval of each figure.

A figure is that of the medians of all launches. Its interval spans the figures of each launch alone, and those of
samples that were drawn again from all of them.
"""

from __future__ import annotations

import datetime
import platform
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from leadline import _core
from leadline.calibration.fitting import FittedLink, Sizes, fit_link
from leadline.calibration.measured import Launch
from leadline.network import Described, Origin
from leadline.statistics.median import median

DRAWS = 20
NODES_LIMIT = 0.9  # several pairs that reach less than this share of their single rates are limited by a port
LARGE = 1 << 20
MOST_TRIED = 4 << 20  # longest_eager of src/bench/calibration.cpp, less what room needs
Figures = dict[str, float]  # by path in the file
Samples = Mapping[int, Sequence[float]]


@dataclass
class Calibration:
    """described: what the file says.   notes: what it cannot say; sentences."""

    described: Described
    library: str
    pairs: dict[str, tuple[int, int]]
    longest_bytes: dict[str, int] = field(default_factory=dict)
    latency_ns: dict[str, float] = field(default_factory=dict)
    bytes_per_ns: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def calibration_of(launches: Sequence[Launch], date: str | None = None) -> Calibration:
    """launches: at least one, all of the same job."""
    first = launches[0]
    network = _core.Network()
    date = date or datetime.date.today().isoformat()
    where = f"{first.ranks} ranks on {first.hosts} " + ("host" if first.hosts == 1 else "hosts")
    origin = Origin(f"leadline calibrate, {first.library.partition(',')[0]}, {where}, {platform.node()}", date)
    found = Calibration(Described(network, origin), first.library.partition(",")[0], {})
    for name in _core.network_distances:
        if name in first.pairs:
            found.pairs[name] = first.pairs[name].ranks
            _take_link(found, name, launches)
    _take_calls(found, launches)
    _take_memory(found, launches)
    _take_ports(found, launches)
    return found


def _rounded(figures: Figures) -> Figures:
    """To five digits; what is less than a millionth of a nanosecond is nothing."""
    return {path: float(f"{value:.5g}") if value > 1e-6 else 0.0 for path, value in figures.items()}


def _spread(of_all: Figures, others: Iterable[Figures]) -> dict[str, tuple[float, float]]:
    others = list(others)
    return {
        path: (
            min([value, *(each[path] for each in others if path in each)]),
            max([value, *(each[path] for each in others if path in each)]),
        )
        for path, value in of_all.items()
    }


def _drawn(samples: Sequence[Samples], seed: int) -> dict[int, float]:
    """Medians by bytes. seed: 0: of all samples; else of as many that are drawn again, launches first."""
    pooled: dict[int, list[float]] = {}
    chance = random.Random(seed)
    chosen = samples if not seed else chance.choices(samples, k=len(samples))
    for each in chosen:
        for n_bytes, ns in each.items():
            if ns:
                pooled.setdefault(n_bytes, []).extend(chance.choices(ns, k=len(ns)) if seed else ns)
    return {n_bytes: median(ns) for n_bytes, ns in pooled.items()}


def _with_draws(of: Callable[[Sequence[Launch], int], Figures], launches: Sequence[Launch]) -> tuple[Figures, dict]:
    whole = _rounded(of(launches, 0))
    others = [of([launch], 0) for launch in launches] + [of(launches, seed) for seed in range(1, DRAWS + 1)]
    return whole, _spread(whole, map(_rounded, others))


def _take_link(found: Calibration, name: str, launches: Sequence[Launch]) -> None:
    pairs = [launch.pairs[name] for launch in launches if name in launch.pairs]
    eager = min(pair.eager_bytes for pair in pairs)
    path = f"link.{name}"

    def sizes(chosen: Sequence[Launch], seed: int, segments: tuple[tuple[int, ...], ...]) -> Sizes:
        asked = {
            question: _drawn([launch.pairs[name].asked.get(question, {}) for launch in chosen], seed)
            for question in ("round_trip", "send", "receive", "stream")
        }
        return Sizes(eager, asked, segments)

    fitted = fit_link(sizes(launches, 0, ()))

    def figures(chosen: Sequence[Launch], seed: int) -> Figures:
        return _figures_of(path, fit_link(sizes(chosen, seed, fitted.segments)))

    whole, spread = _with_draws(figures, launches)
    link = _core.NetworkLink()
    link.pieces = [
        _piece(f"{path}.piece.{number}.", piece.from_bytes, whole) for number, piece in enumerate(fitted.pieces)
    ]
    if eager < _core_most():
        link.eager_bytes = max(eager, 0)
        if (most := max(pair.eager_bytes for pair in pairs)) != eager:  # as where the system buffers messages
            found.described.intervals[f"{path}.eager_bytes"] = (float(max(eager, 0)), float(most))
        if eager < 0:
            found.notes.append(f"{name}: not even an empty message is sent before it is received")
    _take_copied(found, path, link, [pair.copied_bytes for pair in pairs])
    if f"{path}.handshake_ns" in whole:
        link.handshake_ns = whole[f"{path}.handshake_ns"]
    link.progresses = _progresses(pairs, found, name)
    found.described.network.set(name, link)
    found.described.intervals.update({at: ends for at, ends in spread.items() if whole[at] or ends[1]})
    times = _drawn([pair.asked["round_trip"] for pair in pairs], 0)
    longest = max(times)
    found.longest_bytes[name] = longest
    found.latency_ns[name] = times[min(times)]
    last = link.pieces[-1]
    more_ns = last.message_ns(2 * longest) - last.message_ns(longest)
    found.bytes_per_ns[name] = longest / more_ns if more_ns > 0 else 0.0
    if longest < 64 << 20:
        found.notes.append(f"{name}: messages longer than {longest:,} bytes took too long, and follow the longest ones")


def _take_copied(found: Calibration, path: str, link: _core.NetworkLink, copied: Sequence[int | None]) -> None:
    """What is sent without waiting for a call of the receiver."""
    known = [n_bytes for n_bytes in copied if n_bytes is not None]
    if not known:
        found.notes.append(f"{path.rpartition('.')[2]}: other work hid whether short sends wait for the receiver")
    elif (least := max(min(known), 0)) < min(link.eager_bytes, MOST_TRIED):
        link.copied_bytes = least
        if max(known) != min(known):
            found.described.intervals[f"{path}.copied_bytes"] = (float(least), float(max(known)))


def _core_most() -> int:
    return 2**63 - 1


def _figures_of(path: str, link: FittedLink) -> Figures:
    found: Figures = {}
    for number, piece in enumerate(link.pieces):
        at = f"{path}.piece.{number}."
        found[f"{at}latency_ns"] = piece.latency_ns
        found[f"{at}overhead_ns"] = piece.send.constant
        found[f"{at}overhead_per_byte_ns"] = piece.send.slope
        found[f"{at}receive_overhead_ns"] = piece.receive.constant
        found[f"{at}receive_overhead_per_byte_ns"] = piece.receive.slope
        found[f"{at}gap_ns"] = piece.gap_ns
        found[f"{at}per_byte_ns"] = piece.per_byte_ns
    if link.handshake_ns is not None:
        found[f"{path}.handshake_ns"] = link.handshake_ns
    return found


def _piece(at: str, from_bytes: int, figures: Figures) -> _core.NetworkPiece:
    piece = _core.NetworkPiece()
    piece.from_bytes = from_bytes
    for path, value in figures.items():
        if path.startswith(at):
            setattr(piece, path.removeprefix(at), value)
    return piece


def _progresses(pairs: Sequence, found: Calibration, name: str) -> bool:
    """Whether the receiver of a long message, after it has computed for twice as long as that takes, waits for less
    than half of it."""
    waits = _drawn([pair.asked.get("overlap", {}) for pair in pairs], 0)
    times = _drawn([pair.asked["round_trip"] for pair in pairs], 0)
    for n_bytes, ns in waits.items():
        return ns < times[n_bytes] / 2
    found.notes.append(f"{name}: no message waits for its receiver, so nothing is said of its progress")
    return False


def _take_calls(found: Calibration, launches: Sequence[Launch]) -> None:
    """A wait for a completed request, and a receive that is posted: the interval spans both."""

    def times(chosen: Sequence[Launch], seed: int) -> list[float]:
        return [
            _drawn([pair.asked.get(question, {}) for launch in chosen for pair in launch.pairs.values()], seed).get(
                0, 0.0
            )
            for question in ("call", "post")
        ]

    both = times(launches, 0)
    each = [*both, *(ns for launch in launches for ns in times([launch], 0))]
    ends = _rounded({"low": min(each), "call_ns": sum(both) / 2, "high": max(each)})
    found.described.network.call_ns = ends["call_ns"]
    found.described.intervals["call_ns"] = (ends["low"], ends["high"])


MEMORY: tuple[tuple[str, Callable[[Iterable[int]], int], str], ...] = (
    ("copy", min, "copy_per_byte_ns"),
    ("copy", lambda _: 2 << 20, "copy_2_mib_per_byte_ns"),
    ("copy", lambda _: 8 << 20, "copy_8_mib_per_byte_ns"),
    ("copy", max, "copy_uncached_per_byte_ns"),
    ("strided", min, "copy_strided_per_byte_ns"),
    ("strided", max, "copy_strided_uncached_per_byte_ns"),
    ("reduction", min, "reduce_per_byte_ns"),
    ("flag", max, "flag_ns"),  # of one
)


def _take_memory(found: Calibration, launches: Sequence[Launch]) -> None:
    def figures(chosen: Sequence[Launch], seed: int) -> Figures:
        out = {}
        for kind, which, key in MEMORY:
            times = _drawn([launch.memory.get(kind, {}) for launch in chosen], seed)
            if times and which(times) in times:
                out[key] = times[which(times)] / which(times)
        return out

    whole, spread = _with_draws(figures, launches)
    for key, value in whole.items():
        setattr(found.described.network, key, value)
    found.described.intervals.update(spread)


def _take_ports(found: Calibration, launches: Sequence[Launch]) -> None:
    """Of nodes, if pairs between two of them slow each other down."""
    counts = sorted({pairs for name, pairs, _ in launches[0].flows if name == "other_node"})
    for name in sorted({name for name, _, _ in launches[0].flows if name != "other_node"}):
        share = _share(launches, name)
        found.notes.append(
            f"{name}: {share[0]} pairs that send at once each get {share[1]:.0%} of the rate of one alone"
        )
    if not counts:
        if "other_node" in found.pairs:
            found.notes.append("other_node: one pair only, so nothing is said of what several pairs of two nodes share")
        return
    most, share_of_rate = _share(launches, "other_node")
    if share_of_rate >= NODES_LIMIT:
        found.notes.append(f"other_node: {most} pairs at once do not slow each other down")
        return

    def figures(chosen: Sequence[Launch], seed: int) -> Figures:
        large = _flow(chosen, "other_node", most, LARGE, seed) / LARGE
        return {"port.per_byte_ns": large, "port.gap_ns": _flow(chosen, "other_node", most, 8, seed)}

    whole, spread = _with_draws(figures, launches)
    port = _core.NetworkPort()
    port.per_byte_ns, port.gap_ns = whole["port.per_byte_ns"], whole["port.gap_ns"]
    found.described.network.port = port
    found.described.intervals.update(spread)


def _flow(launches: Sequence[Launch], name: str, pairs: int, n_bytes: int, seed: int = 0) -> float:
    return _drawn([{0: launch.flows.get((name, pairs, n_bytes), [])} for launch in launches], seed)[0]


def _share(launches: Sequence[Launch], name: str) -> tuple[int, float]:
    """The most pairs that sent at once, and what each got of the rate of a pair alone."""
    most = max(pairs for each, pairs, _ in launches[0].flows if each == name)
    return most, _flow(launches, name, 1, LARGE) / (most * _flow(launches, name, most, LARGE))
