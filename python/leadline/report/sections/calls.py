"""By call site: function, routine, file and line, and the chain of routines that leads there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from leadline.figures.content import Content
from leadline.figures.entries import Entry, Spread
from leadline.figures.json_entries import entry_json, line_json, site_json
from leadline.figures.paths import shared_chain, short_place, without_main
from leadline.report.entry_lines import clip_front, header, numbers
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen

MOST_SITES = 12
KEPT_ROUTINES = 3


def figures(content: Content) -> dict[str, Any]:
    return {"sites": [site_json(entry) for entry in content.sites], "places": _places(content)}


def _places(content: Content) -> list[dict[str, Any]]:
    """Call sites as the terminal lists them: those of one function at one line with one chain of routines are one."""
    index_of = {id(entry.site): index for index, entry in enumerate(content.sites)}
    places = []
    for entry in content.places:
        site = entry.site
        assert site is not None
        where = site.location
        places.append(
            {
                "function": site.function,
                "routine": site.routine,
                "file": where.file if where is not None and where.file else None,
                **line_json(where),
                "path": shared_chain(entry.sites),
                "sites": sorted(index_of[id(site)] for site in entry.sites if id(site) in index_of),
                **entry_json(entry),
            }
        )
    return places


def draw(content: Content, out: Screen) -> None:
    out.section(SECTION.title, "below each: min … median … max over ranks (rank)")
    out.lines(_sites(content, out.width, all_sites=out.complete))


def _sites(content: Content, width: int, *, all_sites: bool) -> list[Line]:
    """For each call site its call path, then the numbers, then calls and time of the ranks with least and most."""
    entries = [entry for entry in content.places if all_sites or not entry.local]
    shown = entries if all_sites else entries[:MOST_SITES]
    lines = header("", width)
    several = len(content.run.processes) > 1
    for entry in shown:
        path = without_main(shared_chain(entry.sites))
        lines += [(line, "bold") for line in _path_lines([*path, entry.name], _place(entry), width)]
        lines.append(numbers(entry, width).rstrip())
        if several:
            lines += [(line, "dim") for line in _site_spread(entry, width)]
    rest = entries[len(shown) :]
    if rest:
        share = fmt.percent(sum(entry.share or 0.0 for entry in rest))
        lines.append(f"and {fmt.plural(len(rest), 'more call site')} ({share} of the time): --all")
    return lines


def _place(entry: Entry) -> str:
    """For example "opatm/halo.cpp:41": enough to find the file, without its whole path."""
    where = entry.site.location if entry.site is not None else None
    if where is None:
        return "(call path unknown)"
    place = short_place(where) or where.place()
    return f"{place} ({len(entry.sites)} paths)" if len(entry.sites) > 1 else place


def _site_spread(entry: Entry, width: int) -> list[str]:
    calls, time = entry.calls_spread, entry.time_spread
    if calls.min == calls.max:
        of_calls = f"{fmt.plural(round(calls.max), 'call')} on each rank"
    else:
        of_calls = f"calls {_range(calls, fmt.count)}"
    of_time = f"time {_range(time, fmt.seconds)}"
    one = f"      {of_calls}; {of_time}"
    return [one] if len(one) <= width else [f"      {of_calls}", f"      {of_time}"]


def _range(spread: Spread, shown: Callable[[float], str]) -> str:
    return f"{shown(spread.min)} ({spread.min_rank}) … {shown(spread.median)} … {shown(spread.max)} ({spread.max_rank})"


def _path_lines(path: Sequence[str], place: str, width: int) -> list[str]:
    """Lines like "trcadv > exchange > MPI_Isend  opatm/halo.cpp:41": one line, or two if one is too short.

    Outer routines are left out if the rest then fits on one line, but three are kept if two lines can hold them.
    """
    shown = _elided(path, width - len(place) - 2, KEPT_ROUTINES) or _elided(path, width, 1) or list(path[-1:])
    text = clip_front(" > ".join(shown), width)
    if len(text) + 2 + len(place) <= width:
        return [f"{text}  {place}".rstrip()]
    return [text, clip_front(f"      {place}", width)]


def _elided(path: Sequence[str], width: int, kept: int) -> list[str] | None:
    """The path without as many outer routines as needed to fit; None if fewer than `kept` routines would be left."""
    for left_out in range(len(path)):
        shown = [*(["…"] if left_out else []), *path[left_out:]]
        if left_out and len(path) - left_out - 1 < kept:
            return None
        if len(" > ".join(shown)) <= width:
            return shown
    return None


SECTION = Section(
    id="calls",
    title="Call sites",
    order=50,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report["places"]),
)
