"""Bars, the histogram and the communication matrix, drawn with characters."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from leadline import _core
from leadline.report import format as fmt
from leadline.report.content import Content, MatrixEntry, RankEntry
from leadline.report.json_report import histogram
from leadline.report.tables import Line

MOST_BARS = 16
MOST_NUMBERS = 8  # ranks a matrix of numbers can show
MOST_SHADES = 32  # rows of a heat map
_KINDS = (
    ("startup", "start-up"),
    ("point_to_point", "point to point"),
    ("completion", "waiting"),
    ("collective", "collectives"),
    ("one_sided", "one-sided"),
    ("io", "file I/O"),
    ("setup", "set-up"),
    ("local", "local"),
)
_SHADES = " ·░▒▓█"


def rank_bars(content: Content, width: int) -> list[Line]:
    """A bar a rank: computation, file I/O, then MPI. Of many ranks those with least, median and most MPI time."""
    ranks = content.ranks
    shown = ranks if len(ranks) <= MOST_BARS else _extremes(ranks)
    label = max(len(rank.rank) for rank in shown)
    longest = max(rank.time_s for rank in shown) or 1.0
    room = max(10, width - label - 34)
    has_io = any(rank.io_s >= 0.001 * rank.time_s > 0 for rank in ranks)
    legend = f"# computation{'  o file I/O' if has_io else ''}  = MPI  - its start and end"
    lines: list[Line] = [(f"{'rank':>{max(label, 4)}}  {'computation':>11} {'MPI':>9}        {legend}", "dim")]
    for rank in shown:
        whole = round(rank.time_s / longest * room)
        computing = round(whole * rank.computation_s / rank.time_s) if rank.time_s > 0 else 0
        share = fmt.percent(rank.mpi_s / rank.time_s) if rank.time_s > 0 else ""
        times = f"{fmt.seconds(rank.computation_s):>11} {fmt.seconds(rank.mpi_s):>9} {share:>6}"
        starting = round(whole * rank.category_s["startup"] / rank.time_s) if rank.time_s > 0 else 0
        moving = min(round(whole * rank.io_s / rank.time_s), whole - computing) if rank.time_s > 0 else 0
        starting = min(starting, whole - computing - moving)
        bar = "#" * computing + "o" * moving + "=" * (whole - computing - moving - starting) + "-" * starting
        lines.append(f"{rank.rank:>{max(label, 4)}}  {times} {bar}".rstrip())
    if len(shown) < len(ranks):
        lines.append(f"({len(shown)} of {len(ranks)} ranks: by share of MPI from least to most)")
    lines.append(_kinds(ranks))
    return lines


def _extremes(ranks: list[RankEntry]) -> list[RankEntry]:
    """MOST_BARS ranks, evenly from the least to the most share of MPI."""
    ordered = sorted(ranks, key=lambda rank: rank.mpi_s / rank.time_s if rank.time_s > 0 else 0.0)
    return [ordered[round(i * (len(ordered) - 1) / (MOST_BARS - 1))] for i in range(MOST_BARS)]


def _kinds(ranks: list[RankEntry]) -> str:
    """For example "MPI time: waiting 61 %, collectives 30 %"."""
    total = sum(rank.mpi_s for rank in ranks)
    if total <= 0:
        return "MPI time: none"
    sums = {key: sum(rank.category_s[key] for rank in ranks) for key, _ in _KINDS}
    parts = [
        f"{name} {fmt.percent(sums[key] / total)}"
        for key, name in sorted(_KINDS, key=lambda kind: -sums[kind[0]])
        if sums[key] >= 0.001 * total
    ]
    return "MPI time: " + ", ".join(parts)


def size_histogram(sizes: _core.Sizes, what: str, width: int) -> list[Line]:
    """Messages (or operations: `what`) and bytes by power of two; the exact sizes where they are few."""
    buckets = histogram(sizes, what)
    total = sum(bucket[what] for bucket in buckets)
    volume = sum(bucket["bytes"] for bucket in buckets)
    room = max(10, width - 46)
    lines: list[Line] = [(f"{'bytes':>21}  {what:>10}  {'bytes':>8}", "dim")]
    for bucket in buckets:
        low, high = bucket["from"], bucket["to"]
        name = "0" if high == 1 else f"{_power(low)} … <{_power(high)}"
        bar = "#" * max(1, round(bucket[what] / total * room))
        lines.append(f"{name:>21}  {bucket[what]:>10,}  {fmt.size(bucket['bytes']):>8}  {bar}")
    lines.append(f"{'all':>21}  {total:>10,}  {fmt.size(volume):>8}")
    distinct = sizes.distinct
    if sizes.distinct_complete and len(distinct) <= 6:
        exact = ", ".join(f"{distinct[size]:,} of {size:,} B" for size in sorted(distinct))
        lines += textwrap.wrap(f"Exactly: {exact}", width)
    return lines


def _power(value: int) -> str:
    for unit, shift in (("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if value >= 1 << shift:
            return f"{value >> shift} {unit}"
    return str(value)


@dataclass(frozen=True)
class Flow:
    """What a matrix shows, and its words."""

    bytes_of: Callable[[MatrixEntry], int]
    there: Callable[[MatrixEntry], bool]  # whether the entry has any of it
    row: str  # "from": what the rank of a row is
    column: str
    does: str  # with its partners

    def amount(self, entries: list[MatrixEntry]) -> str:
        """For example "7 messages" or, of one-sided operations, "560 B"."""
        if self is SENT:
            return fmt.plural(sum(entry.messages for entry in entries), "message")
        return fmt.size(sum(self.bytes_of(entry) for entry in entries))


SENT = Flow(lambda e: e.n_bytes, lambda e: e.messages > 0, "from", "to", "sends to")
PUT = Flow(lambda e: e.bytes_put, lambda e: e.bytes_put > 0, "by", "to", "puts to")
GOT = Flow(lambda e: e.bytes_got, lambda e: e.bytes_got > 0, "by", "from", "gets from")


def matrix(content: Content, flow: Flow, width: int) -> list[Line]:
    """Bytes between each rank (row) and each (column): numbers for few ranks, shades for many."""
    labels = [rank.rank for rank in content.ranks]
    known = set(labels)
    entries = [entry for entry in content.matrix if flow.there(entry)]
    drawn = [entry for entry in entries if entry.target in known]
    cells: dict[tuple[str, str], int] = {}
    for entry in drawn:
        pair = (entry.source, str(entry.target))
        cells[pair] = cells.get(pair, 0) + flow.bytes_of(entry)
    label_width = max(len(label) for label in labels)
    fits = (label_width + 3) + 9 * len(labels) <= width
    draw = _numbers if len(labels) <= MOST_NUMBERS and fits else _shades
    lines = [*draw(labels, cells, flow, width), _partners(content, entries, flow)]
    others = [entry for entry in entries if entry.target not in known]
    if others:
        lines.append(
            f"Not drawn: {flow.amount(others)} {flow.column} ranks without a trace or that cannot be identified"
        )
    return lines


def _numbers(labels: list[str], cells: dict[tuple[str, str], int], flow: Flow, width: int) -> list[Line]:
    label = max(max(len(label) for label in labels), 7)
    corner = f"{flow.row}/{flow.column}"
    lines: list[Line] = [(f"{corner:>{label}} " + "".join(f"{target:>9}" for target in labels), "dim")]
    for source in labels:
        row = "".join(
            f"{fmt.size(cells[source, target]) if (source, target) in cells else '·':>9}" for target in labels
        )
        lines.append(f"{source:>{label}} {row}")
    return lines


def _shades(labels: list[str], cells: dict[tuple[str, str], int], flow: Flow, width: int) -> list[Line]:
    """Each character the mean over a block of ranks, in six steps of the greatest."""
    label = max(max(len(label) for label in labels), 4)
    most = min(MOST_SHADES, (width - label - 3) // 2)
    block = -(-len(labels) // most)
    n = -(-len(labels) // block)
    place = {name: i // block for i, name in enumerate(labels)}
    sums = [[0] * n for _ in range(n)]
    for (source, target), n_bytes in cells.items():
        sums[place[source]][place[target]] += n_bytes
    greatest = max((value for row in sums for value in row), default=0)
    lines: list[Line] = [(f"{flow.row:>{label}}  {flow.column} rank {labels[0]} … {labels[-1]}", "dim")]
    for i, row in enumerate(sums):
        drawn = "".join(2 * _shade(value, greatest) for value in row)
        lines.append(f"{labels[i * block]:>{label}} |{drawn}|")
    each = f"{block} × {block} ranks" if block > 1 else "one pair of ranks"
    lines.append(f"{'':>{label}}  a cell is {each}; █ = {fmt.size(greatest)}")
    return lines


def _shade(value: int, greatest: int) -> str:
    if value <= 0 or greatest <= 0:
        return _SHADES[0]
    return _SHADES[1 + min(int(value / greatest * (len(_SHADES) - 1)), len(_SHADES) - 2)]


def _partners(content: Content, entries: list[MatrixEntry], flow: Flow) -> str:
    partners: dict[str, int] = {}
    for entry in entries:
        partners[entry.source] = partners.get(entry.source, 0) + 1
    counts = sorted(partners.get(rank.rank, 0) for rank in content.ranks)
    pairs = fmt.plural(sum(counts), "pair")
    if counts[0] == counts[-1]:
        return f"{pairs} of ranks; each rank {flow.does} {fmt.plural(counts[0], 'partner')}"
    return f"{pairs} of ranks; a rank {flow.does} {counts[0]} … {counts[-1]} partners"
