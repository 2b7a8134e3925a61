"""Callgrind's profile format: the tree of call paths with the costs of the MPI calls at its leaves.

Times are those within MPI and file calls: what routines compute is not attributed to them. How often a routine was
entered is not recorded, so calls between routines are written as 0; calls of MPI functions are counted. The n-th
occurrence of a routine in one path is named as callgrind does it, routine'n, so that no cost is counted twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from leadline import __version__
from leadline.figures.run import Site
from leadline.interchange.selection import Selection, Written
from leadline.interchange.site_sums import Sum, sums_of
from leadline.text.visible import visible

EVENTS = {
    "Nanoseconds": "time in MPI and file calls, ns",
    "Calls": "calls",
    "Messages": "messages sent",
    "BytesOut": "bytes sent (messages, collectives, puts, file writes)",
    "BytesIn": "bytes received (messages, collectives, gets, file reads)",
}
UNKNOWN_FILE = "???"
Costs = list[int]
Routine = tuple[str, str]  # file, name


@dataclass
class _Entry:
    """What is known about a routine: its own costs, and by (callee, line) the calls and the costs below it."""

    own: Costs = field(default_factory=lambda: [0] * len(EVENTS))
    calls: dict[tuple[Routine, int], tuple[int, Costs]] = field(default_factory=dict)


def export(selection: Selection, path: Path) -> Written:
    written = Written()
    by_site: dict[int, Costs] = {}
    for process in sums_of(selection, written):
        for each in process.sites:
            costs = by_site.setdefault(each.site, [0] * len(EVENTS))
            _add(costs, _costs(each))
    entries, total = _tree(by_site, selection.sites())
    with path.open("x", encoding="utf-8") as out:
        out.writelines(_lines(selection, entries, total))
    on_files = {member for site in selection.run.file_sites for member in site.members}
    files = sum(costs[1] for site, costs in by_site.items() if site in on_files)
    written.amounts = {"MPI call": total[1] - files, "file call": files, "call site": len(by_site)}
    return written


def _costs(each: Sum) -> Costs:
    return [round(each.time_ns), each.calls, each.messages, each.sent, each.received]


def _add(to: Costs, costs: Costs) -> None:
    for event, cost in enumerate(costs):
        to[event] += cost


def _tree(by_site: dict[int, Costs], sites: dict[int, Site]) -> tuple[dict[Routine, _Entry], Costs]:
    entries: dict[Routine, _Entry] = {}
    total = [0] * len(EVENTS)
    for number, costs in by_site.items():
        site = sites[number]
        _add(total, costs)
        _add(entries.setdefault((UNKNOWN_FILE, site.function), _Entry()).own, costs)
        routines = [*_routines(site), (UNKNOWN_FILE, site.function)]
        for depth, location in enumerate(site.path):
            entry = entries.setdefault(routines[depth], _Entry())
            callee = routines[depth + 1]
            calls = costs[1] if depth + 1 == len(site.path) else 0
            known, beneath = entry.calls.get((callee, location.line), (0, [0] * len(EVENTS)))
            _add(beneath, costs)
            entry.calls[callee, location.line] = known + calls, beneath
    return entries, total


def _routines(site: Site) -> list[Routine]:
    seen: dict[Routine, int] = {}
    found = []
    for location in site.path:
        routine = (location.file or UNKNOWN_FILE, location.full or location.routine)
        seen[routine] = seen.get(routine, 0) + 1
        level = f"'{seen[routine]}" if seen[routine] > 1 else ""
        found.append((routine[0], routine[1] + level))
    return found


class _Names:
    """Each name is written once; then its number stands for it."""

    def __init__(self) -> None:
        self.numbers_: dict[str, int] = {}

    def __call__(self, name: str) -> str:
        name = visible(" ".join(name.split()))
        known = self.numbers_.get(name)
        if known is not None:
            return f"({known})"
        self.numbers_[name] = len(self.numbers_) + 1
        return f"({len(self.numbers_)}) {name}"


def _lines(selection: Selection, entries: dict[Routine, _Entry], total: Costs) -> Iterable[str]:
    command = " ".join(selection.run.description.get("command") or ["?"])
    yield f"# callgrind format\nversion: 1\ncreator: leadline {__version__}\n"
    marked = f"{selection.mark}: " if selection.mark else ""
    yield f"cmd: {marked}{visible(command)}\npositions: line\n"
    yield from (f"event: {name} : {meaning}\n" for name, meaning in EVENTS.items())
    yield f"events: {' '.join(EVENTS)}\nsummary: {_text(total)}\n"
    files, functions = _Names(), _Names()
    for (file, name), entry in entries.items():
        yield f"\nfl={files(file)}\nfn={functions(name)}\n0 {_text(entry.own)}\n"
        for ((callee_file, callee), line), (calls, costs) in entry.calls.items():
            yield f"cfi={files(callee_file)}\ncfn={functions(callee)}\ncalls={calls} 0\n{line} {_text(costs)}\n"
    yield f"\ntotals: {_text(total)}\n"


def _text(costs: Costs) -> str:
    return " ".join(map(str, costs))
