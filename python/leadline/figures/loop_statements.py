"""Where loops of the machine code are in the source, and which of them are not quite the source's loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline import _core
from leadline.figures.run import CONTEXT_BEGIN, Run
from leadline.symbols import Location
from leadline.symbols.location import STATEMENT


@dataclass(frozen=True)
class Statement:
    """place: of the loop's begin.   line: of its statement, as far as is known.   lines: of the calls in it.
    routines: its own one, and those that this is inlined in."""

    place: Location
    line: int
    lines: tuple[int, ...]
    routines: tuple[Location, ...]


def statement_of(run: Run, number: int) -> Statement:
    """Of the loop with that number in the run's list."""
    loop = run.profile.loops.all[number]
    # Of an instruction, not of where a call returns to. What it does may belong to another line than its statement.
    code = 0 if loop.by_order else STATEMENT + 1
    header = _located(run, loop.header, code)
    last = _located(run, loop.last, code)
    calls = [_located(run, call) for call in loop.calls]
    owner = _in_common([header, last, *calls])
    place = header[owner]
    lines = tuple(chain[owner].line for chain in calls if chain[owner].file == place.file)
    first = min(lines, default=0)
    line = last[owner].line
    if not 0 < line <= first:
        line = min((n for n in (place.line, first) if n), default=0)
    return Statement(place, line, lines, tuple(reversed(header[: owner + 1])))


def is_partial(run: Run, number: int) -> bool:
    """Whether the compiler made two loops, one within the other, of what is one in the source, and this is one of them.

    A call of the source that is in both, in the outer one also outside the inner one, tells. It tells nothing about the
    outer one if its statement is another: then the inner one's first iteration has a copy of its own.
    """
    loops = run.profile.loops.all
    loop = loops[number]
    if loop.outer and _shares_a_call(run, loops, loop.outer, number):
        return True
    within = [n for n in range(1, len(loops)) if loops[n].outer == number and _shares_a_call(run, loops, number, n)]
    return any(statement_of(run, n).line == statement_of(run, number).line for n in within)


def is_written_out(run: Run, number: int) -> bool:
    """Whether the compiler wrote several iterations of the source as one (unrolling).

    Each call of the source is then several of the machine code, and an iteration makes more than one of them. If only
    some are, an inner loop was written out.
    """
    loops = run.profile.loops
    loop = loops.all[number]
    within = {call for each in loops.all if each.outer == number for call in each.calls}
    copies: dict[tuple[Location, ...], set[Frame]] = {}
    for call in loop.calls:
        chain = _chain(run, call)
        if call not in within and chain[-1].line:
            copies.setdefault(chain, set()).add(call)
    if not copies or any(len(calls) == 1 for calls in copies.values()):
        return False
    several: set[Frame] = set().union(*copies.values())
    iterations = loops.iterations(number)
    contexts, sites = run.profile.contexts(), run.profile.sites()
    for site in run.sites:
        ways = {member: _frames(contexts, sites[member][2]) for member in site.members}
        members = [member for member, frames in ways.items() if _leads_through(frames, several, loop.callers)]
        rows = run.profile.rows([[member] for member in members]) if len(members) > 1 else []
        calls = [row.total.calls / max(row.processes, 1) for row in rows]
        if calls and max(calls) <= iterations and sum(calls) >= MORE_THAN_ONE * iterations:
            return True
    return False


MORE_THAN_ONE = 1.5  # calls in an iteration; some may be left to code behind the loop

Frame = tuple[int | None, int]


def _frames(contexts: Sequence[tuple[int | None, int, int]], innermost: int) -> list[Frame]:
    found = []
    while innermost > CONTEXT_BEGIN:
        module, offset, parent = contexts[innermost]
        found.append((module, offset))
        innermost = parent
    return found


def _leads_through(frames: Sequence[Frame], calls: set[Frame], callers: Sequence[Frame]) -> bool:
    """Whether one of the calls is on the way, made by a routine that these callers lead to. Innermost first."""
    return any(frame in calls and frames[n + 1 :] == callers for n, frame in enumerate(frames))


def _shares_a_call(run: Run, loops: Sequence[_core.RunLoop], outer: int, inner: int) -> bool:
    if loops[outer].callers != loops[inner].callers:
        return False
    within = {call for loop in loops if loop.outer == outer for call in loop.calls}
    own = {_chain(run, call) for call in loops[outer].calls if call not in within}
    return not own.isdisjoint(_chain(run, call) for call in loops[inner].calls)


def _chain(run: Run, call: tuple[int | None, int]) -> tuple[Location, ...]:
    return tuple(_located(run, call))


def _located(run: Run, where: tuple[int | None, int], add: int = 0) -> list[Location]:
    """Outermost first, so that inlined routines come last."""
    module, offset = where
    return list(reversed(run.places(module, offset if module is None else offset + add)))


def _in_common(chains: Sequence[Sequence[Location]]) -> int:
    """How deep the inlined routine is that all of them are in."""
    depth = 0
    while all(len(chain) > depth + 1 for chain in chains) and len({chain[depth + 1].full for chain in chains}) == 1:
        depth += 1
    return depth
