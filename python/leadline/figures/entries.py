"""A line of the report's tables: what a function, a call site, a routine or a chain of routines did on all ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from leadline import _core
from leadline.figures.run import Site

_CLASSES = _core.CALL_CLASSES
# Classes of functions whose bytes are those they receive.
RECEIVING = {name for name, cls in _CLASSES.items() if cls.moves == ("receives",)}
COLLECTIVE = {name for name, cls in _CLASSES.items() if cls.category == "collective"}
STARTUP = {name for name, cls in _CLASSES.items() if cls.category == "startup"}
FILE_IO = {name for name, cls in _CLASSES.items() if cls.event == "file" and cls.moves}
# Calls of libc, which are no MPI.
LIBC = {name for name, cls in _CLASSES.items() if cls.event == "libc"}


@dataclass(frozen=True)
class Spread:
    """Over all ranks, with 0 for those that never called; the ranks are the first with the extreme."""

    min: float
    median: float
    max: float
    min_rank: str
    max_rank: str


@dataclass(frozen=True)
class Entry:
    """One line of a table: a function, a call site or a routine.

    n_bytes: of sends posted, of receives received, of collectives contributed, of writes and puts moved.
    bytes_received: of receives, collectives, reads and gets.   per_call_*: of single calls, 0 where not known.
    share: None of functions that start and end MPI.   operations: one-sided; bytes_put and bytes_got are theirs, and
    among n_bytes and bytes_received.
    """

    name: str
    calls: int
    messages: int
    n_bytes: int
    bytes_received: int
    time_s: float
    share: float | None
    mean_s: float
    per_call_min_s: float
    per_call_max_s: float
    per_call_max_rank: str
    ranks: int
    calls_spread: Spread
    messages_spread: Spread
    bytes_spread: Spread
    time_spread: Spread
    sizes: _core.Sizes
    operations: int
    bytes_put: int
    bytes_got: int
    operation_sizes: _core.Sizes
    cls: str = ""
    local: bool = False
    site: Site | None = None
    sites: Sequence[Site] = ()  # of a place: the call sites it stands for
    key: Any = None  # what it was grouped by
    at_least: bool = False  # for a routine: it may have made more calls, see partly_seen

    @property
    def moved_bytes(self) -> int:
        """The bytes that a table shows. They include bytes put, bytes got and bytes read."""
        return self.n_bytes + (self.bytes_received if self.cls in FILE_IO else self.bytes_got)


def entry_of(
    name: str,
    row: _core.Row,
    whole_s: float,
    label: Callable[[int], str],
    cls: str = "",
    *,
    local: bool = False,
    site: Site | None = None,
) -> Entry:
    """whole_s: the time that shares are of, without start-up, which therefore has none.   label: from a process to its
    rank."""
    total = row.total
    receives = cls in RECEIVING
    received = total.received + total.collected
    sent = total.sent + total.contributed
    time_s = total.time_ns * 1e-9
    return Entry(
        name=name,
        calls=total.calls,
        messages=total.messages,
        n_bytes=received if receives else sent,
        bytes_received=received,
        time_s=time_s,
        share=None if cls in STARTUP else time_s / whole_s if whole_s > 0 else 0.0,
        mean_s=time_s / total.calls if total.calls else 0.0,
        per_call_min_s=row.min_ns * 1e-9,
        per_call_max_s=row.max_ns * 1e-9,
        per_call_max_rank=label(row.max_ns_process),
        ranks=row.processes,
        calls_spread=_spread(row.calls, label),
        messages_spread=_spread(row.messages, label),
        bytes_spread=_spread(row.received if receives else row.bytes, label),
        time_spread=_spread(row.time_ns, label, 1e-9),
        sizes=row.sizes,
        operations=total.operations,
        bytes_put=total.put,
        bytes_got=total.got,
        operation_sizes=row.operation_sizes,
        cls=cls,
        local=local,
        site=site,
    )


def _spread(spread: _core.Spread, label: Callable[[int], str], factor: float = 1.0) -> Spread:
    return Spread(
        spread.min * factor,
        spread.median * factor,
        spread.max * factor,
        label(spread.min_process),
        label(spread.max_process),
    )


def most_time_first(entry: Entry) -> tuple[float, int, str]:
    return (-entry.time_s, -entry.calls, entry.name)
