"""Options of both `leadline bench` and `tune`: when each rank comes to an operation (--late, --arrival), and who its
neighbours are (--dims)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from leadline.cli.saying import say
from leadline.errors import UsageError

arrival_option = click.option(
    "--arrival",
    metavar="RUN|together",
    envvar="LEADLINE_ARRIVAL",
    help="Ranks arrive as at these calls in RUN. With --from its own RUN, unless they shall arrive together.",
)

dims_option = click.option(
    "--dims",
    metavar="NxN,...",
    default="",
    envvar="LEADLINE_DIMS",
    help=(
        "For neighbourhood collectives: the periodic grid of ranks, e.g. 4x2; one for each number of ranks.  [default: "
        "two dimensions, as equal as can be]"
    ),
)

Patterns = Mapping[int, Sequence[Sequence[float]]]


def arrivals_for(operation: str, sizes: Sequence[int], ranks: int, late: str | None, arrival: str | None) -> Patterns:
    """Patterns by size, microseconds by rank; empty if ranks arrive together. Raises UsageError."""
    from leadline.tuning.arriving import chosen

    if late is None:
        found = chosen(arrival, None, [(operation, size, ranks) for size in sizes], say)
        return {n_bytes: patterns for (_, n_bytes, _), patterns in found.items()}
    if arrival is not None:
        raise UsageError("ranks arrive by --late or by --arrival, not both")
    pattern = late_ranks(late, ranks)
    return {n_bytes: [pattern] for n_bytes in sizes}


def late_ranks(text: str, ranks: int) -> list[float]:
    """Microseconds by rank, of "1:500,3:20.5". Raises UsageError."""
    delays = [0.0] * ranks
    for word in text.split(","):
        rank, _, late_us = word.partition(":")
        try:
            number, delay = int(rank), float(late_us)
        except ValueError:
            number, delay = -1, 0.0
        if not (0 <= number < ranks and 0 <= delay <= 1e7):
            raise UsageError(
                f"--late {word}: expected a rank from 0 to {ranks - 1} and up to 10 s", hint="in µs, e.g. --late 1:500"
            )
        delays[number] = delay
    return delays
