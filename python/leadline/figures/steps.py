"""The step that a person names: a loop of the program's source by routine, file and line, or a named region."""

from __future__ import annotations

from leadline.errors import UsageError
from leadline.figures.control import RegionEntry, regions
from leadline.figures.loops import NamedLoop, named_loop
from leadline.figures.run import Run

MOST_LISTED = 8


def settle_step(run: Run) -> None:
    """Make the loop that a person named the run's main loop, for all figures. Raises UsageError if there is none."""
    step = find_step(run, run.step) if run.step else None
    if isinstance(step, NamedLoop):
        run.profile.loops.choose(step.number)


def find_step(run: Run, step: str) -> NamedLoop | RegionEntry:
    """The loop or region that `step` stands for: ROUTINE, ROUTINE:LINE, FILE:LINE, "FILE:LINE in ROUTINE" as reports
    print it, or the name of a region.

    Loops that begin at the line come before those that contain it. Among several, the outermost counts, then the one
    that takes most time. If nothing has that name, raises UsageError with the loops and regions there are.
    """
    entries = regions(run)
    for entry in entries:
        if step in (entry.name, "/".join(entry.path)):
            return entry
    loops = run.profile.loops
    numbers = [n for n in range(1, len(loops.all)) if loops.iterations(n) > 1]
    found = _loops_of(run, numbers, step)
    if not found:
        raise UsageError(f"no loop or region matches {step}", hint=_there_are(run, numbers, entries))
    outermost = [a for a in found if not any(a is not b and loops.within(a.number, b.number) for b in found)]
    return max(outermost, key=lambda loop: loop.time_s)


def loops_at(run: Run, place: str) -> list[int]:
    """The numbers of the loops at ROUTINE, ROUTINE:LINE or FILE:LINE."""
    loops = run.profile.loops
    numbers = [n for n in range(1, len(loops.all)) if loops.iterations(n) > 1]
    return [loop.number for loop in _loops_of(run, numbers, place)]


def _loops_of(run: Run, numbers: list[int], step: str) -> list[NamedLoop]:
    named = [named_loop(run, n) for n in numbers]
    place, _, routine = step.partition(" in ")
    name, line = split_place(place)
    if routine:
        named = [loop for loop in named if loop.routine == routine]
    if not line:
        return [loop for loop in named if _has_name(loop, name, file=False)]
    known = [loop for loop in named if _has_name(loop, name) and _holds(loop, line)]
    return [loop for loop in known if loop.line == line] or known


def split_place(step: str) -> tuple[str, int]:
    routine, _, line = step.rpartition(":")
    if routine and line.isdigit() and not routine.endswith(":"):
        return routine, int(line)
    return step, 0


def _has_name(loop: NamedLoop, name: str, *, file: bool = True) -> bool:
    """Whether it is the loop's routine, or its file with as much of the path as is given."""
    names = {loop.routine.lower(), loop.routine.rpartition("::")[2].lower(), loop.routine.partition(" [")[0].lower()}
    return name.lower() in names or (file and f"/{loop.file}".endswith(f"/{name.removeprefix('/')}"))


def _holds(loop: NamedLoop, line: int) -> bool:
    return loop.line <= line <= max(loop.last_line, loop.line)


def _there_are(run: Run, numbers: list[int], entries: list[RegionEntry]) -> str:
    loops = sorted((named_loop(run, n) for n in numbers), key=lambda loop: -loop.time_s)
    known = [f"{loop.routine}:{loop.line}" if loop.line else loop.routine for loop in loops]
    known += [entry.name for entry in entries]
    several = list(dict.fromkeys(known))[:MOST_LISTED]
    return f"choose one of {', '.join(several)}" if several else "the run has no loops and no regions: omit --step"
