"""Loops of the program's source as a programmer would name them: routine, file, line, and what leads there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from leadline import _core
from leadline.figures.loop_statements import is_partial, is_written_out, statement_of
from leadline.figures.run import Run
from leadline.symbols import Location, call_path
from leadline.symbols.resolve import INTERPRETERS, WITHOUT_MODULE

DRIVERS = {*INTERPRETERS, *(location.routine for frames in WITHOUT_MODULE for location in frames)}


@dataclass(frozen=True)
class NamedLoop:
    """routine: the one that contains the loop.   file, line: those of its statement, as far as the debug information
    says, otherwise of the first call in it; "" and 0 without debug information.   last_line: that of the last call in
    it.
    path: routines that lead to it, outermost first.   share: of the ranks' time between start-up and shut-down.
    at_least: it may have had more iterations, between two calls of an inner loop without any other call, or after the
    end of the record.   cut: only the latter: the ranks died in it. around: the
    numbers of the enclosing loops of which that is true, the next one first. restarts, restart_iterations: where that
    is true, the call sequence of its inner loop restarts so many times, each time after so many of the inner loop's
    iterations; 0: it does not, or not regularly. about: the number may be off, as only
    the time between calls shows where iterations begin, or there is no machine code and the last one is cut short, or
    the compiler made two loops of the source's one.
    call_paths: that its routine is called on, where that was asked for; each is a loop of its own.   inside: of other
    candidates for the main loop, the number of the one listed before that it takes all the time of, or 0."""

    number: int
    routine: str
    file: str
    line: int
    last_line: int
    path: tuple[Location, ...]
    iterations: int
    time_s: float
    share: float
    at_least: bool
    around: tuple[int, ...]
    restarts: int
    restart_iterations: int
    about: bool = False
    call_paths: int = 1
    inside: int = 0
    cut: bool = False

    @property
    def lumps(self) -> bool:
        """Whether one of its iterations may be several."""
        return self.at_least and not self.cut

    @property
    def on_one_path(self) -> str:
        """What goes behind its number of iterations where that is not all of the source's loop."""
        return f" on one of {self.call_paths} call paths" if self.call_paths > 1 else ""

    @property
    def driver(self) -> str:
        """The interpreter, or code made at run time, that runs it: what repeats there is not seen. "" if none does."""
        callers = [location.routine for location in self.path[:-1]]
        return next((name for name in reversed(callers) if name in DRIVERS), "")

    @property
    def bound(self) -> str:
        """What goes before its number of iterations where that is not certain."""
        return "≥ " if self.at_least else "about " if self.about else ""

    @property
    def restarts_json(self) -> dict[str, int | None] | None:
        return {"times": self.restarts, "after_trips": self.restart_iterations or None} if self.restarts else None


def named_loop(run: Run, number: int) -> NamedLoop:
    """The loop with that number in the run's list."""
    loops = run.profile.loops
    loop = loops.all[number]
    locate = run.places
    statement = statement_of(run, number)
    place, line, lines = statement.place, statement.line, statement.lines
    callers = [locate(module, offset) for module, offset in loop.callers]
    locate.save()
    time_s = loops.time_ns(number) * 1e-9
    all_s = run.loop_base_s
    shape = loops.shape(number) if loop.silent else None
    return NamedLoop(
        number,
        place.routine,
        place.file,
        line if place.file else 0,
        max(lines, default=0) if place.file else 0,
        call_path([statement.routines, *callers]),
        loops.iterations(number),
        time_s,
        time_s / all_s if all_s > 0 else 0.0,
        loop.silent or loop.cut or is_written_out(run, number),
        _silent_around(loops, loop.outer),
        shape.restarts if shape is not None else 0,
        shape.restart_iterations if shape is not None else 0,
        loop.about or is_partial(run, number),
        cut=loop.cut and not loop.silent,
    )


def _silent_around(loops: _core.RunLoops, number: int) -> tuple[int, ...]:
    found = []
    while number:
        if loops.all[number].silent:
            found.append(number)
        number = loops.all[number].outer
    return tuple(found)


LEAST_OTHER = 0.5  # of the main loop's time
LEAST_RIVAL = 0.2  # of the main loop's time
LEAST_CANDIDATE = 0.1  # of the run's, where none is the main loop
ALL_OF_IT = 0.98  # of the time of a loop around it
MOST_OTHERS = 3
FEWER = 0.75  # than others: calls of such a rank do not show all iterations


def other_loops(run: Run) -> list[NamedLoop]:
    """The next best candidates for the main loop: of three iterations or more, most time first, then the outermost.

    Of loops at one place, the one that takes most time counts.
    """
    loops = run.profile.loops
    main = loops.main
    time_ns = [0.0, *(loops.time_ns(number) for number in range(1, len(loops.all)))]
    least = LEAST_OTHER * time_ns[main] if main else LEAST_CANDIDATE * 1e9 * run.base_s
    numbers = [n for n in range(1, len(time_ns)) if n != main and time_ns[n] >= least and loops.iterations(n) >= 3]
    named = [named_loop(run, n) for n in sorted(numbers, key=lambda n: -time_ns[n])]
    taken = {_place(named_loop(run, main))} if main else set()
    found: list[NamedLoop] = []
    for loop in named:
        if _place(loop) not in taken:
            taken.add(_place(loop))
            around = (each.number for each in found if loops.within(loop.number, each.number))
            inside = next((n for n in around if time_ns[loop.number] >= ALL_OF_IT * time_ns[n]), 0)
            found.append(replace(loop, inside=inside))
    headers = [loop.header for loop in loops.all] if found else []
    return [replace(loop, call_paths=headers.count(headers[loop.number])) for loop in found[:MOST_OTHERS]]


def _place(loop: NamedLoop) -> tuple[object, ...]:
    return (loop.file, loop.line) if loop.line else (loop.routine, loop.iterations)


def commanding(run: Run, number: int) -> tuple[str, NamedLoop] | None:
    """The one rank that is not in the loop, and the loop of fewer iterations that it makes most of its calls in: it may
    give the others what they do in theirs."""
    loops = run.profile.loops
    iterations = [{cell.process: cell.repeats + cell.entries for cell in loop.cells} for loop in loops.all]
    apart = [process for process in range(len(run.processes)) if not iterations[number].get(process)]
    if len(apart) != 1:
        return None
    calls = [sum(cell.calls for cell in loop.cells if cell.process == apart[0]) for loop in loops.all]
    least = LEAST_OTHER * max(calls)
    own = [
        n
        for n in range(1, len(loops.all))
        if calls[n] and calls[n] >= least and 3 <= iterations[n].get(apart[0], 0) < loops.iterations(number)
    ]
    steps = max(own, key=lambda n: (iterations[n][apart[0]], n), default=0)  # of equal ones, the innermost
    # One that goes round as often gives a piece at a time to any of them.
    often = any(calls[n] >= least and i.get(apart[0], 0) >= loops.iterations(number) for n, i in enumerate(iterations))
    return (run.label(apart[0]), named_loop(run, steps)) if steps and not often else None


def rival(run: Run, number: int) -> NamedLoop | None:
    """A loop apart from the main one that makes more calls of MPI, though in less time, if that one has less than half
    of the run's: a long preparation may be taken for the steps. Of several, the one that takes most time."""
    loops = run.profile.loops
    time_ns = [0.0, *(loops.time_ns(n) for n in range(1, len(loops.all)))]
    if time_ns[number] >= LEAST_OTHER * 1e9 * run.loop_base_s:
        return None
    calls = [sum(cell.calls for cell in loop.cells) for loop in loops.all]
    found = [
        n
        for n in range(1, len(loops.all))
        if calls[n] > calls[number]
        and time_ns[n] >= LEAST_RIVAL * time_ns[number]
        and loops.iterations(n) >= 3
        and loops.all[n].header != loops.all[number].header
        and not loops.within(n, number)
        and not loops.within(number, n)
    ]
    return named_loop(run, max(found, key=lambda n: (time_ns[n], -n))) if found else None


def lumps_steps(run: Run, number: int) -> bool:
    """Whether an iteration that is seen of the loop may well be several: it may have had more, and a loop within that
    takes half of its time has more, all of which are seen."""
    loops = run.profile.loops
    if not loops.all[number].silent:
        return False
    return any(
        not loops.all[n].silent
        and loops.within(n, number)
        and loops.iterations(n) > loops.iterations(number)
        and loops.time_ns(n) >= LEAST_OTHER * loops.time_ns(number)
        for n in range(1, len(loops.all))
    )


def unseen_on_some_ranks(run: Run) -> bool:
    """Whether some ranks' calls show fewer iterations of the main loop than most ranks' do."""
    loops = run.profile.loops
    if not loops.all[loops.main].silent:
        return False
    usual = loops.iterations(loops.main)
    return any(0 < cell.repeats + cell.entries < FEWER * usual for cell in loops.all[loops.main].cells)


def main_loop(run: Run, found: _core.RunIterations) -> NamedLoop | None:
    return named_loop(run, found.loop) if found.loop else None
