"""An OTF2 archive, through OTF2's C library: Vampir, otf2-print, Score-P's tools."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from leadline import _core
from leadline.errors import LeadlineError, MissingPrerequisite
from leadline.figures.run import MOST_RANKS
from leadline.interchange.calls import write_calls
from leadline.interchange.selection import Selection, Written

NOWHERE = 2**32 - 1  # no calling context
SYSTEM = ("libotf2.so.10", "libopen-trace-format2.so.10", "libotf2.so")


def export(selection: Selection, path: Path) -> Written:
    lanes, of_process = _lanes(selection)
    contexts, of_site = _contexts(selection)
    profile = selection.run.profile
    try:
        writer = _core.Otf2Export(
            libraries(),
            str(path),
            profile,
            selection.loop,
            selection.iterations,
            lanes,
            of_process,
            contexts,
            of_site,
        )
    except ImportError as error:
        raise MissingPrerequisite(
            f"OTF2 library not found: {error}", hint="pip install 'leadline[otf2]', or apt-get install otf2-tools"
        ) from error
    try:
        written = write_calls(selection, writer)
    except ValueError as error:
        raise LeadlineError(f"cannot write {path}: {error}") from error
    if writer.undescribed:
        written.notes.append(
            f"{writer.undescribed:,} messages and collectives have no event: their communicators are "
            "intercommunicators or unknown"
        )
    return written


def libraries() -> list[str]:
    """Files that hold OTF2's C library: that of the Python package `otf2`, then the system's."""
    found = []
    package = importlib.util.find_spec("_otf2")
    for folder in (package.submodule_search_locations or ()) if package else ():
        found += [str(file) for file in sorted(Path(folder).glob("*.so"))]
    return [*found, *SYSTEM]


def _contexts(selection: Selection) -> tuple[list[tuple[int, str, str, str, int]], list[int]]:
    """The calling contexts of all call sites, parents first; of each of the profile's sites its own."""
    numbers: dict[tuple[int, str, str, str, int], int] = {}
    of_site = [NOWHERE] * len(selection.run.profile.sites())
    for number, site in selection.sites().items():
        at = NOWHERE
        for place in site.path:
            at = numbers.setdefault((at, place.routine, place.full, place.file, place.line), len(numbers))
        of_site[number] = at
    return list(numbers), of_site


def _lanes(selection: Selection) -> tuple[list[tuple[str, str]], list[tuple[int, int]]]:
    """(name, host) of all ranks of all worlds, recorded or not, then of processes in none; of each process its lane and
    that of rank 0 of its world.
    """
    run = selection.run
    marked = f" ({selection.mark})" if selection.mark else ""
    lanes: list[tuple[str, str]] = []
    process_lanes = [(-1, -1)] * len(run.processes)
    for number, world in enumerate(run.worlds):
        first = len(lanes)
        for rank in range(min(max(world.size, max(world.processes, default=-1) + 1), MOST_RANKS)):
            process = world.processes.get(rank)
            of = f" of MPI_COMM_WORLD {number}" if len(run.worlds) > 1 else ""
            if process is None:
                lanes.append((f"rank {rank}{of} (not recorded)", "unknown"))
                continue
            process_lanes[process] = (len(lanes), first)
            lanes.append((f"rank {rank}{of}{marked}", run.processes[process].host or "unknown"))
    for process, (lane, _) in enumerate(process_lanes):
        if lane < 0:
            process_lanes[process] = (len(lanes), -1)
            lanes.append((selection.label(process), run.processes[process].host or "unknown"))
    return lanes, process_lanes
