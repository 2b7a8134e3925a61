"""The traffic between pairs of ranks: messages, and operations on each other's memory."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.figures.run import Run


@dataclass(frozen=True)
class MatrixEntry:
    """Messages from one rank to another; target None: a partner that could not be identified.

    And one-sided operations, whose source is the rank that calls: bytes_put flow to the target, bytes_got from it.
    """

    source: str
    target: str | None
    messages: int
    n_bytes: int
    operations: int
    bytes_put: int
    bytes_got: int


def matrix_of(run: Run) -> list[MatrixEntry]:
    """Messages by sender and receiver (sends only), operations by origin and target, in display order."""
    entries = []
    place = {index: n for n, index in enumerate(run.order)}
    for edge in run.profile.edges():
        target = run.process_of(edge.source, edge.target)
        if target is not None:
            label: str | None = run.label(target)
        else:  # a rank without a trace still has its number
            label = str(edge.target) if edge.target >= 0 and len(run.worlds) == 1 else None
        order = place[target] if target is not None else len(place)
        source = run.label(edge.source)
        entry = MatrixEntry(source, label, edge.messages, edge.bytes, edge.operations, edge.put, edge.got)
        entries.append((place[edge.source], order, entry))
    return [entry for _, _, entry in sorted(entries, key=lambda e: (e[0], e[1]))]
