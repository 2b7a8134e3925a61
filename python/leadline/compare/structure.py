"""What differs in structure: calls that appeared or went, counts, sizes, partners, iterations of loops. Exact, so it
needs no statistics: per iteration of the main loop inside it, per run outside of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.compare.subject import Group, Part, Subject
from leadline.text import format as fmt

# How often these are called depends on when messages come.
BY_CHANCE = ("MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Waitsome", "MPI_Waitany", "MPI_Request_get_status")
STAND_ALONE = ("iterations", "all_messages", "partners", "appeared", "went")  # whatever their factors
FACTOR_DIGITS = 4  # factors that agree in so many have one cause


@dataclass(frozen=True)
class Change:
    """kind: "appeared", "went", "calls", "messages", "bytes", "partners", "iterations", "trips" or "all_messages".

    where: a call site, a loop, or a rank; of all messages, what they carry.
    before, after: per iteration if per_iteration, otherwise per run.
    time_s: in the site, in both runs.   lines: that tell the site apart from others of its name: of A, if A has it.
    bounds: what stands before the two numbers if they are not certain.
    """

    kind: str
    where: str
    before: float
    after: float
    per_iteration: bool
    time_s: float
    key: tuple[str, ...] = ()
    lines: str = ""
    bounds: tuple[str, str] = ("", "")

    @property
    def place(self) -> str:
        return f"{self.where} ({self.lines})" if self.lines else self.where

    @property
    def factor(self) -> float:
        return self.after / self.before if self.before else 0.0

    @property
    def text(self) -> str:
        each = " per iteration" if self.per_iteration else ""
        if self.kind in ("appeared", "went"):
            which, n = ("not in A", self.after) if self.kind == "appeared" else ("only in A", self.before)
            return f"{self.place}: {which}, {fmt.plural_of(n, 'call')}{each}"
        if self.kind == "bytes":
            return f"{self.place}: {fmt.size(self.before)} → {fmt.size(self.after)} each"
        if self.kind == "all_messages":
            return f"all messages: {fmt.number(self.before)} → {fmt.number(self.after)}{each}, {self.where}"
        if self.kind == "trips":
            each = " per iteration of the main loop" if self.per_iteration else ""
        unit = "iterations" if self.kind == "trips" else self.kind
        return f"{self.place}: {self.numbers} {unit}{each}"

    @property
    def numbers(self) -> str:
        """ "8 → 9", "about 20 → 40"."""
        before, after = self.bounds
        return f"{before}{fmt.number(self.before)} → {after}{fmt.number(self.after)}"


@dataclass(frozen=True)
class Cause:
    """Changes by the same factor, which have one cause as far as counts can show."""

    changes: tuple[Change, ...]

    @property
    def time_s(self) -> float:
        return sum(change.time_s for change in self.changes)

    @property
    def first(self) -> Change:
        return self.changes[0]


@dataclass(frozen=True)
class _Figures:
    """error: how far each may be off."""

    calls: float
    messages: float
    size: float
    calls_error: float = 0.0
    size_error: float = 0.0

    def span(self, of: str) -> tuple[float, float]:
        value, error = getattr(self, of), getattr(self, f"{of}_error", 0.0)
        return value - error, value + error


def causes(a: Group, b: Group) -> list[Cause]:
    """Most important first. Not for runs with different numbers of ranks."""
    found = [*_iterations(a.first, b.first), *_partners(a.first, b.first)]
    site_changes = [*_sites(a, b)]
    found += [*_all_messages(a, b, site_changes), *site_changes]
    factors = {_rounded(change.factor) for change in site_changes}
    loops = [change for change in _loops(a.first, b.first) if _rounded(change.factor) in factors]
    groups: dict[object, list[Change]] = defaultdict(list)
    for change in [*loops, *found]:
        one = change.kind if change.kind in STAND_ALONE else _rounded(change.factor)
        groups[one].append(change)
    order = {"iterations": 0, "all_messages": 1, "appeared": 2, "went": 2, "partners": 2}
    weight = _weight if a.first.has_structure else _weight_of_calls
    every = [Cause(tuple(sorted(changes, key=weight))) for changes in groups.values()]
    return sorted(every, key=lambda cause: (order.get(cause.first.kind, 3), -cause.time_s))


def _weight(change: Change) -> tuple[int, float]:
    return ({"trips": 0, "messages": 1, "bytes": 2}.get(change.kind, 3), -change.time_s)


def _weight_of_calls(change: Change) -> tuple[int, float]:
    """If messages are unknown, calls are compared instead."""
    return (int(change.kind != "calls"), -change.time_s)


def _rounded(factor: float) -> float:
    return round(factor, FACTOR_DIGITS)


def _iterations(a: Subject, b: Subject) -> list[Change]:
    if a.iterations == b.iterations or not (a.iterations and b.iterations):
        return []
    bounds = (a.bound, b.bound)
    time_s = a.elapsed_s + b.elapsed_s
    return [Change("iterations", "main loop", a.iterations, b.iterations, False, time_s, bounds=bounds)]


def _partners(a: Subject, b: Subject) -> list[Change]:
    if a.partners is None or b.partners is None or a.ranks != b.ranks:
        return []
    changed = [rank for rank in a.partners if a.partners[rank] != b.partners.get(rank)]
    if not changed:
        return []
    mine, other = a.partners, b.partners
    rank = max(changed, key=lambda each: len(set(mine[each]) ^ set(other.get(each, ()))))
    where = f"partners of {fmt.plural(len(changed), 'rank')}, e.g. rank {rank}"
    return [Change("partners", where, len(mine[rank]), len(other.get(rank, ())), False, 0.0)]


def _all_messages(a: Group, b: Group, sites: Sequence[Change]) -> list[Change]:
    """If an exchange was rewritten, its calls went and others appeared; the messages of all calls tell what became of
    it."""
    if not any(change.kind in ("appeared", "went") for change in sites):
        return []
    in_loop = bool(a.first.iterations and b.first.iterations)
    before, after = ({_sent(run, in_loop) for run in group.runs} for group in (a, b))
    if len(before) != 1 or len(after) != 1 or before == after:
        return []
    (one, one_bytes), (other, other_bytes) = before.pop(), after.pop()
    if not one or not other or one == other:
        return []
    carries = f"{fmt.size(one_bytes / one)} → {fmt.size(other_bytes / other)} each"
    return [Change("all_messages", carries, one, other, in_loop, a.first.elapsed_s + b.first.elapsed_s)]


def _sent(run: Subject, in_loop: bool) -> tuple[float, float]:
    """Messages and their bytes, of all ranks: in an iteration of the main loop, or in the run."""
    parts = [part for part in run.counted if part.messages and (part.in_loop or not in_loop)]
    times = run.iterations if in_loop else 1
    return sum(part.messages for part in parts) / times, sum(part.n_bytes for part in parts) / times


def _sites(a: Group, b: Group) -> list[Change]:
    ours = [_by_key(run) for run in a.runs]
    theirs = [_by_key(run) for run in b.runs]
    found = []
    for key in dict.fromkeys([*ours[0], *theirs[0]]):
        if key[0].startswith(BY_CHANCE):
            continue
        x, y = ours[0].get(key), theirs[0].get(key)
        some = x or y
        if some is None or some.local:
            continue
        repeated = any((key in each) != (key in ours[0]) for each in ours) or any(
            (key in each) != (key in theirs[0]) for each in theirs
        )
        if not repeated:
            found += _changes(a, b, key, [e.get(key) for e in ours], [e.get(key) for e in theirs])
    return found


def _changes(
    a: Group, b: Group, key: tuple[str, ...], xs: Sequence[Part | None], ys: Sequence[Part | None]
) -> list[Change]:
    x, y = xs[0], ys[0]
    in_loop = all(part.in_loop for part in (x, y) if part is not None) and a.first.iterations and b.first.iterations
    before = [_figures(run, part, bool(in_loop)) for run, part in zip(a.runs, xs, strict=True)]
    after = [_figures(run, part, bool(in_loop)) for run, part in zip(b.runs, ys, strict=True)]
    part = x or y or Part((), "")
    time_s = sum(part.time_s for part in (x, y) if part is not None)

    def change(kind: str, one: float, other: float) -> Change:
        return Change(kind, part.name, one, other, bool(in_loop), time_s, key, part.lines)

    if (x is None and not a.first.all_sites) or (y is None and not b.first.all_sites):
        return []
    if x is None or y is None:
        return [change("appeared" if x is None else "went", before[0].calls, after[0].calls)]
    found = []
    for kind, of in (("messages", "messages"), ("calls", "calls"), ("bytes", "size")):
        one, other = ([each.span(of) for each in side] for side in (before, after))
        apart = max(high for _, high in one) < min(low for low, _ in other) or max(high for _, high in other) < min(
            low for low, _ in one
        )
        if apart and min(getattr(each, of) for each in (*before, *after)) > 0:
            found.append(change(kind, getattr(before[0], of), getattr(after[0], of)))
    kinds = {each.kind for each in found}
    return [each for each in found if not (each.kind == "calls" and "messages" in kinds)]


def _figures(run: Subject, part: Part | None, in_loop: bool) -> _Figures:
    if part is None:
        return _Figures(0, 0, 0)
    times = run.iterations if in_loop and run.iterations else 1
    moved = part.messages or part.calls
    size = part.n_bytes / moved if moved else 0.0
    size_error = part.bytes_error / moved if moved else 0.0
    return _Figures(part.calls / times, part.messages / times, size, part.calls_error / times, size_error)


def _loops(a: Subject, b: Subject) -> list[Change]:
    theirs = {part.key: part for part in b.loops}
    found = []
    for part in a.loops:
        other = theirs.get(part.key)
        if other is None or not (part.in_loop and other.in_loop and a.iterations and b.iterations):
            continue
        before, after = part.loop_iterations / a.iterations, other.loop_iterations / b.iterations
        if before > 0 and after > 0 and before != after:
            found.append(Change("trips", part.name, before, after, True, part.time_s + other.time_s, part.key))
    return found


def _by_key(run: Subject) -> dict[tuple[str, ...], Part]:
    return {part.key: part for part in run.counted}


def common_share(a: Subject, b: Subject) -> float:
    """Of the call sites (functions, without them) of the run that has fewer, how many the other one has, too."""
    x, y = ({part.key[:-1] for part in run.counted if not part.local} for run in (a, b))
    return len(x & y) / min(len(x), len(y)) if x and y else 0.0
