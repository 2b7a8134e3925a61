"""The step that a person names: a loop of the program's source by routine and line, or a named region."""

from __future__ import annotations

from leadline.errors import UsageError
from leadline.figures.control import RegionEntry, regions
from leadline.figures.loops import NamedLoop, named_loop
from leadline.figures.run import Run

MOST_LISTED = 8


def find_step(run: Run, step: str) -> NamedLoop | RegionEntry:
    """The loop or region that `step` (ROUTINE, ROUTINE:LINE or the name of a region) stands for.

    Among several loops, the outermost counts, then the one that takes most time. If nothing has that name, raises
    UsageError with the loops and regions there are.
    """
    entries = regions(run)
    for entry in entries:
        if step in (entry.name, "/".join(entry.path)):
            return entry
    routine, line = split_place(step)
    loops = run.profile.loops
    numbers = [n for n in range(1, len(loops.all)) if loops.iterations(n) > 1]
    found = [loop for n in numbers if _is_meant(loop := named_loop(run, n), routine, line)]
    if not found:
        raise UsageError(f"no loop or region matches {step}", hint=_there_are(run, numbers, entries))
    outermost = [a for a in found if not any(a is not b and loops.within(a.number, b.number) for b in found)]
    return max(outermost, key=lambda loop: loop.time_s)


def loops_at(run: Run, place: str) -> list[int]:
    """The numbers of the loops at ROUTINE, ROUTINE:LINE or FILE:LINE."""
    name, line = split_place(place)
    loops = (named_loop(run, n) for n in range(1, len(run.profile.loops.all)) if run.profile.loops.iterations(n) > 1)
    return [loop.number for loop in loops if _is_meant(loop, name, line) or _is_in_file(loop, name, line)]


def _is_in_file(loop: NamedLoop, file: str, line: int) -> bool:
    return line > 0 and loop.file.rpartition("/")[2] == file.rpartition("/")[2] and loop.line == line


def split_place(step: str) -> tuple[str, int]:
    routine, _, line = step.rpartition(":")
    if routine and line.isdigit() and not routine.endswith(":"):
        return routine, int(line)
    return step, 0


def _is_meant(loop: NamedLoop, routine: str, line: int) -> bool:
    names = {loop.routine.lower(), loop.routine.rpartition("::")[2].lower(), loop.routine.partition(" [")[0].lower()}
    return routine.lower() in names and (not line or loop.line <= line <= max(loop.last_line, loop.line))


def _there_are(run: Run, numbers: list[int], entries: list[RegionEntry]) -> str:
    loops = sorted((named_loop(run, n) for n in numbers), key=lambda loop: -loop.time_s)
    known = [f"{loop.routine}:{loop.line}" if loop.line else loop.routine for loop in loops]
    known += [entry.name for entry in entries]
    several = list(dict.fromkeys(known))[:MOST_LISTED]
    return f"choose one of {', '.join(several)}" if several else "the run has no loops and no regions: omit --step"
