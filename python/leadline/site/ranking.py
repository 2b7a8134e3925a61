"""Sums of a site's runs by program, user, library or finding: where most is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from leadline.site.catalogue import Entry

BY = ("program", "user", "library", "finding")


@dataclass
class Sum:
    """Of the runs with one name. Times are rank-seconds. counted_s: of the runs from which losses are taken.

    kinds: what is lost by kind of finding.   example: the run that loses most, its loss, and the finding that says why.
    """

    name: str
    runs: int = 0
    users: set[str] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)
    time_s: float = 0.0
    counted_s: float = 0.0
    mpi_s: float = 0.0
    waiting_s: float = 0.0
    io_s: float = 0.0
    own_s: float = 0.0
    lost_s: float = 0.0
    trace_bytes: int = 0
    kinds: dict[str, float] = field(default_factory=dict)
    example: tuple[str, float, str] = ("", 0.0, "")

    def add(self, entry: Entry) -> None:
        account = entry.account
        self.runs += 1
        self.users.add(entry.user)
        self.programs.add(account.program)
        self.time_s += account.time_s
        self.counted_s += 0.0 if account.why_not_counted else account.time_s
        self.mpi_s += account.mpi_s
        self.waiting_s += account.waiting_s
        self.io_s += account.io_s
        self.own_s += account.own_s
        self.trace_bytes += entry.trace_bytes

    def add_loss(self, entry: Entry, kinds: Iterable[str] | None = None) -> None:
        """kinds: only these; None: all of the run's."""
        costs = [cost for cost in entry.account.costs if kinds is None or cost.kind in kinds]
        lost_s = sum(cost.lost_s for cost in costs)
        self.lost_s += lost_s
        for cost in costs:
            self.kinds[cost.kind] = self.kinds.get(cost.kind, 0.0) + cost.lost_s
        if costs and lost_s > self.example[1]:
            self.example = (entry.path, lost_s, max(costs, key=lambda cost: cost.lost_s).text)


@dataclass(frozen=True)
class Ranking:
    """by: one of BY.   rows: those that lose most first.   unread: runs that cannot be read."""

    by: str
    total: Sum
    rows: tuple[Sum, ...]
    unread: tuple[Entry, ...]
    not_counted: dict[str, int]


def ranked(entries: Sequence[Entry], by: str) -> Ranking:
    readable = [entry for entry in entries if not entry.account.why]
    total = Sum("all")
    rows: dict[str, Sum] = {}
    not_counted: dict[str, int] = {}
    for entry in readable:
        total.add(entry)
        total.add_loss(entry)
        if why := entry.account.why_not_counted:
            not_counted[why] = not_counted.get(why, 0) + 1
        if by == "finding":
            for kind in dict.fromkeys(cost.kind for cost in entry.account.costs):
                row = rows.setdefault(kind, Sum(kind))
                row.add(entry)
                row.add_loss(entry, (kind,))
        else:
            row = rows.setdefault(_name(by)(entry), Sum(_name(by)(entry)))
            row.add(entry)
            row.add_loss(entry)
    order = sorted(rows.values(), key=lambda row: (-row.lost_s, -row.time_s, row.name))
    return Ranking(by, total, tuple(order), tuple(entry for entry in entries if entry.account.why), not_counted)


def _name(by: str) -> Callable[[Entry], str]:
    return {
        "program": lambda entry: entry.account.program,
        "user": lambda entry: entry.user,
        "library": lambda entry: entry.account.library,
    }[by]
