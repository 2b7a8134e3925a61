"""A matrix of ranks, drawn with characters: numbers for few, shades for many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leadline.figures.content import Content
from leadline.figures.traffic import MatrixEntry
from leadline.text import format as fmt
from leadline.text.screen import Line

MOST_NUMBERS = 8  # ranks a matrix of numbers can show
MOST_SHADES = 32  # rows of a heat map
_SHADES = " ·░▒▓█"


@dataclass(frozen=True)
class Flow:
    """The contents of a matrix, and the words for it."""

    bytes_of: Callable[[MatrixEntry], int]
    there: Callable[[MatrixEntry], bool]  # whether the entry has any of it
    row: str  # "from": what the rank of a row is
    column: str
    does: str  # with its partners

    def amount(self, entries: list[MatrixEntry]) -> str:
        """For example "7 messages" or, for one-sided operations, "560 B"."""
        if self is SENT:
            return fmt.plural(sum(entry.messages for entry in entries), "message")
        return fmt.size(sum(self.bytes_of(entry) for entry in entries))


SENT = Flow(lambda e: e.n_bytes, lambda e: e.messages > 0, "from", "to", "sends to")
PUT = Flow(lambda e: e.bytes_put, lambda e: e.bytes_put > 0, "by", "to", "puts to")
GOT = Flow(lambda e: e.bytes_got, lambda e: e.bytes_got > 0, "by", "from", "gets from")


def matrix_lines(content: Content, flow: Flow, width: int) -> list[Line]:
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
        lines.append(f"Not shown: {flow.amount(others)} {flow.column} unrecorded or unknown ranks")
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
    lines.append(f"{'':>{label}}  each cell: {each}; █ = {fmt.size(greatest)}")
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
    return f"{pairs} of ranks; each rank {flow.does} {counts[0]} to {counts[-1]} partners"
