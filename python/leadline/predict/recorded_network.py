"""The network that a recorded run's own messages show, for `leadline calibrate RUN`.

Each figure is that of all messages (message_costs.py). Its interval spans those of the quarters of the run. A run has
messages of few sizes: a line leads through the times of these, and what has one size only is the same for all.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from leadline import _core
from leadline.errors import UsageError
from leadline.figures.run import Run
from leadline.network import Described, Origin
from leadline.predict.eager_limit import EagerLimit, eager_limit_of
from leadline.predict.message_costs import ALL_COPIED, RecordedCosts, costs_of, messages_of
from leadline.statistics.lines import line_through
from leadline.statistics.median import median

QUARTERS = 4
Figures = dict[str, float]  # by path in the file
Messages = Sequence[_core.MessageTime]


@dataclass
class RecordedNetwork:
    """described: what the file says.   lines, notes: what was found, and what the file cannot say; sentences."""

    described: Described
    messages: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, list[int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def network_of(run: Run, default_eager_bytes: int, default_copied_bytes: int = ALL_COPIED) -> RecordedNetwork:
    """default_eager_bytes, default_copied_bytes: of the library, the latter within a node.

    Raises UsageError if too few messages have their times."""
    date = datetime.date.fromtimestamp(run.processes[0].start_unix_ns * 1e-9).isoformat()
    where = f"{len(run.processes)} ranks on {len({process.host for process in run.processes})} host(s)"
    origin = Origin(f"messages of the run {run.path.name}, {run.library.partition(',')[0]}, {where}", date)
    found = RecordedNetwork(Described(_core.Network(), origin))
    functions = [run.profile.functions[function].name for function, *_ in run.profile.sites()]
    for name, within_host in (("node", True), ("other_node", False)):
        messages = messages_of(run, within_host=within_host)
        in_place = range(default_copied_bytes + 1 if within_host else ALL_COPIED, default_eager_bytes + 1)
        limit = eager_limit_of(messages, functions, in_place)
        eager, copied = limit.nearest(default_eager_bytes), limit.copied(in_place)
        costs = costs_of(messages, functions, eager, copied)
        if costs is None:
            continue
        _take_link(found, name, costs, limit, eager)
        _take_copied(found, name, copied, eager)
        quarters = [costs_of(part, functions, eager, copied) for part in _parts(messages)]
        of_quarters = [figures_of(each) for each in quarters if each is not None]
        _take_intervals(found, name, figures_of(costs), of_quarters, costs.assumed)
        found.messages[name] = costs.messages
        found.sizes[name] = sorted(
            {*costs.sends, *costs.received, *(costs.busy if "busy" not in costs.assumed else ())}
        )
        found.notes += _notes(name, costs)
    if not found.messages:
        raise UsageError(
            "the run says nothing of a network: too few of its messages have the times of both ends",
            hint="leadline record --series full, or leadline calibrate -- mpiexec -n 2",
        )
    return found


def figures_of(costs: RecordedCosts) -> Figures:
    """Of a piece of short messages, and one of long ones: without their places in the file."""
    send, receive = (line_through(sorted(each.items())) for each in (costs.sends, costs.received))
    found = {
        "0.latency_ns": costs.latency.value,
        "0.overhead_ns": send.constant if costs.sends else costs.send,
        "0.overhead_per_byte_ns": send.slope,
        "0.receive_overhead_ns": receive.constant if costs.received else costs.call + costs.send,
        "0.receive_overhead_per_byte_ns": receive.slope,
    }
    busy = sorted(costs.busy.items())
    gap = line_through(busy) if len(busy) > 1 else line_through([])
    found |= {
        "1.latency_ns": costs.latency.value,
        "1.overhead_ns": costs.send,
        "1.receive_overhead_ns": costs.call + costs.send,
        "1.gap_ns": gap.constant,
        "1.per_byte_ns": gap.slope if len(busy) > 1 else median(ns / n_bytes for n_bytes, ns in busy),
    }
    return {path: float(f"{value:.5g}") for path, value in found.items()}


def _take_link(found: RecordedNetwork, name: str, costs: RecordedCosts, limit: EagerLimit, eager: int) -> None:
    link, figures = _core.NetworkLink(), figures_of(costs)
    link.eager_bytes = eager
    pieces = []
    for number, from_bytes in enumerate((0, eager + 1)):
        piece = _core.NetworkPiece()
        piece.from_bytes = from_bytes
        for path, value in _of_piece(figures, number):
            setattr(piece, path, value)
        if number:
            piece.receive_overhead_per_byte_ns = 0.0
        pieces.append(piece)
    link.pieces = pieces
    found.described.network.set(name, link)
    most = float(limit.high - 1) if limit.high is not None else float(max(eager, *costs.busy))
    found.described.intervals[f"link.{name}.eager_bytes"] = (float(limit.low), max(most, float(eager)))


def _take_copied(found: RecordedNetwork, name: str, copied: int, eager: int) -> None:
    if copied >= eager:
        return
    link = found.described.network.own(name)
    link.copied_bytes = copied
    found.described.network.set(name, link)
    found.described.origins[f"link.{name}.copied_bytes"] = Origin("assumed: the default of the library")


def _of_piece(figures: Figures, number: int) -> Iterator[tuple[str, float]]:
    for path, value in figures.items():
        piece, _, figure = path.partition(".")
        if int(piece) == number:
            yield figure, value


# What is assumed, and where that is.
ASSUMED = {
    "latency": ("0.latency_ns", "1.latency_ns"),
    "send": ("0.overhead_ns", "0.receive_overhead_ns", "1.overhead_ns", "1.receive_overhead_ns"),
    "busy": ("1.per_byte_ns", "1.gap_ns"),
}


def _take_intervals(
    found: RecordedNetwork, name: str, whole: Figures, parts: Sequence[Figures], assumed: set[str]
) -> None:
    unknown = {path for figure in assumed for path in ASSUMED[figure]}
    for path, value in whole.items():
        if path in unknown:
            if value:
                found.described.origins[f"link.{name}.piece.{path}"] = Origin("assumed, not in the run")
            continue
        values = [value, *(each[path] for each in parts)]
        if max(values) > 0:
            found.described.intervals[f"link.{name}.piece.{path}"] = (min(values), max(values))


def _parts(messages: Messages) -> list[list[_core.MessageTime]]:
    """By the time of the calls that complete them."""
    ordered = sorted(messages, key=lambda each: each.done_end_ns)
    size = max(len(ordered) // QUARTERS, 1)
    return [ordered[at : at + size] for at in range(0, size * QUARTERS, size)]


def _notes(name: str, costs: RecordedCosts) -> Iterator[str]:
    if "latency" in costs.assumed:
        yield f"{name}: the latency is assumed, since all receives waited, or none did"
    if "send" in costs.assumed:
        yield f"{name}: no message was sent without waiting for its receiver, so the overheads are assumed"
    elif len(costs.sends) == 1:
        yield f"{name}: short messages of one size only, so those of other sizes are assumed to cost as much"
    if "busy" in costs.assumed:
        yield f"{name}: no message waited for its receiver, so the rate of longer ones is assumed"
