"""TAU's profile folder: a file profile.N.0.0 for each rank, for ParaProf and pprof.

The application's time is the rank's, from MPI_Init to MPI_Finalize; what is left of it after MPI and file calls is the
program's own. How often a routine was entered and what it computed itself are not recorded: both are 0, and what it
spent in MPI calls beneath it is inclusive.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from leadline import __version__
from leadline.figures.run import Site
from leadline.interchange.selection import Selection, Written
from leadline.interchange.site_sums import ProcessSums, Sizes, sums_of
from leadline.text.visible import visible

APPLICATION = ".TAU application"


@dataclass
class _Timer:
    """Times in microseconds."""

    group: str
    calls: int = 0
    subroutines: int = 0
    exclusive: float = 0.0
    inclusive: float = 0.0


def export(selection: Selection, path: Path) -> Written:
    written = Written()
    path.mkdir()
    sites = selection.sites()
    labels = _numbers(selection)
    profiles = 0
    for process in sums_of(selection, written):
        file = path / f"profile.{labels[process.process]}.0.0"
        file.write_text(_text(selection, process, sites), encoding="utf-8")
        profiles += 1
    written.amounts = {"profile": profiles}
    if selection.iterations is not None:
        written.notes.append("only call times in these iterations are exported; the rest of the run has none")
    return written


def _numbers(selection: Selection) -> dict[int, int]:
    """TAU's node of each process: its rank; its place in the order of display if there are several worlds."""
    run = selection.run
    if len(run.worlds) == 1 and all(run.label(process).isdecimal() for process in selection.processes):
        return {process: int(run.label(process)) for process in selection.processes}
    return {process: row for row, process in enumerate(run.order)}


def _text(selection: Selection, process: ProcessSums, sites: dict[int, Site]) -> str:
    timers = _timers(process, sites)
    own_us = sum(each.time_ns for each in process.sites) * 1e-3
    calls = sum(each.calls for each in process.sites)
    whole_us = own_us
    if selection.iterations is None:
        whole_us = max(selection.run.processes[process.process].duration_ns * 1e-3, own_us)
    timers[APPLICATION] = _Timer("TAU_DEFAULT", 1, calls, whole_us - own_us, whole_us)
    lines = [
        f"{len(timers)} templated_functions_MULTI_TIME",
        f"# Name Calls Subrs Excl Incl ProfileCalls # {_metadata(selection, process)}",
    ]
    for name, t in timers.items():
        quoted = visible(name).replace('"', "'")
        lines.append(f'"{quoted}" {t.calls} {t.subroutines} {t.exclusive:.3f} {t.inclusive:.3f} 0 GROUP="{t.group}"')
    lines.append("0 aggregates")
    return "\n".join([*lines, *_events(process.sizes), ""])


def _metadata(selection: Selection, process: ProcessSums) -> str:
    about = selection.run.processes[process.process]
    facts = {
        "Metric Name": "TIME",
        "Hostname": about.host,
        "pid": str(about.pid),
        "Executable": about.program,
        "MPI library": about.library,
        "Recorded by": f"leadline {__version__}",
    }
    if selection.mark:
        facts["Times"] = selection.mark
    parts = (
        f"<attribute><name>{escape(name)}</name><value>{escape(visible(' '.join(value.split())))}</value></attribute>"
        for name, value in facts.items()
    )
    return f"<metadata>{''.join(parts)}</metadata>"


def _timers(process: ProcessSums, sites: dict[int, Site]) -> dict[str, _Timer]:
    timers: dict[str, _Timer] = {}
    for each in process.sites:
        site = sites[each.site]
        time_us = each.time_ns * 1e-3
        function = f"{site.function}()"
        group = "IO" if not site.function.startswith("MPI_") else "MPI"
        routines = [" ".join((location.full or location.routine).split()) for location in site.path]
        _count(timers, function, group, each.calls, time_us, time_us)
        for routine in dict.fromkeys(routines):
            _count(timers, routine, "TAU_USER", 0, 0.0, time_us, each.calls if routine == routines[-1] else 0)
        names = [APPLICATION, *routines]
        for depth in range(2, len(names) + 1):
            _count(
                timers,
                " => ".join(names[:depth]),
                "TAU_CALLPATH|TAU_USER",
                0,
                0.0,
                time_us,
                each.calls if depth == len(names) else 0,
            )
        _count(timers, " => ".join([*names, function]), f"TAU_CALLPATH|{group}", each.calls, time_us, time_us)
    return timers


def _count(
    timers: dict[str, _Timer], name: str, group: str, calls: int, exclusive: float, inclusive: float, beneath: int = 0
) -> None:
    timer = timers.setdefault(name, _Timer(group))
    timer.calls += calls
    timer.subroutines += beneath
    timer.exclusive += exclusive
    timer.inclusive += inclusive


def _events(sizes: Sizes) -> list[str]:
    """The sizes of messages, unless only their sum is known."""
    if not sizes.messages or not sizes.exact:
        return ["0 userevents"]
    mean = sizes.total / sizes.messages
    numbers = f"{sizes.messages} {sizes.most} {sizes.least} {mean:.17g} {sizes.squares:.17g}"
    return [
        "1 userevents",
        "# eventname numevents max min mean sumsqr",
        f'"Message size sent to all nodes" {numbers}',
    ]
