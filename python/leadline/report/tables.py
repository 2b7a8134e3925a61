"""The report's tables as lines of text.

Columns have TAU's names where they mean the same: %Time, Exclusive msec, #Call, usec/call.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from leadline.report import format as fmt
from leadline.report.content import Content, Entry, Spread, shared_chain, without_main

Line = str | tuple[str, str]  # text, or text and its style

MOST_SITES = 12
MOST_LOCAL = 4
MOST_ROUTINES = 10
NEARLY_ALL = 0.999
KEPT_ROUTINES = 3
_HEADER = "dim"

_COLUMNS = (
    ("", "%Time", 5),
    ("Exclusive", "msec", 9),
    ("", "#Call", 9),
    ("", "usec/call", 9),
    ("max", "usec", 8),
    ("", "Messages", 8),
    ("", "Bytes", 7),
)


def functions(content: Content, width: int) -> list[Line]:
    """By function. Purely local functions are one line, with the most called ones named."""
    lines = _header("Name")
    for entry in content.functions:
        if entry.local:
            continue
        line = f"{_numbers(entry)}  {entry.name}"
        lines += [line] if len(line) <= width else [_numbers(entry), f"{entry.name:>{width}}"]
    local = [entry for entry in content.functions if entry.local]
    if local:
        lines += _local_line(local, width)
    return lines


def _local_line(local: Sequence[Entry], width: int) -> list[Line]:
    calls = sum(entry.calls for entry in local)
    most = sorted(local, key=lambda entry: -entry.calls)
    named = ", ".join(f"{entry.name} {fmt.count(entry.calls)}" for entry in most[:MOST_LOCAL])
    others = len(local) - min(len(local), MOST_LOCAL)
    text = (
        f"Purely local functions: {fmt.plural(calls, 'call')} in {fmt.seconds(sum(e.time_s for e in local))} ({named}"
        f"{f', {others} others' if others else ''})"
    )
    return ["", *textwrap.wrap(text, width, break_on_hyphens=False)]


def sites(content: Content, width: int, *, all_sites: bool) -> list[Line]:
    """By call site: its call path, beneath it the numbers, and calls and time of the ranks with least and most."""
    entries = [entry for entry in content.places if all_sites or not entry.local]
    shown = entries if all_sites else entries[:MOST_SITES]
    lines = _header("")
    several = len(content.run.processes) > 1
    for entry in shown:
        path = without_main(shared_chain(entry.sites))
        lines += [(line, "bold") for line in _path_lines([*path, entry.name], _place(entry), width)]
        lines.append(_numbers(entry).rstrip())
        if several:
            lines += [(line, "dim") for line in _site_spread(entry, width)]
    rest = entries[len(shown) :]
    if rest:
        share = fmt.percent(sum(entry.share for entry in rest))
        lines.append(f"and {fmt.plural(len(rest), 'more call site')} ({share} of the time): --all")
    return lines


def routines(content: Content, width: int) -> list[Line]:
    """By routine, with all it calls; without those that make all the calls or that are seen in part only."""
    of_all = NEARLY_ALL * content.calls
    entries = [e for e in content.routines if e.calls < of_all and e.name != "main" and not e.at_least]
    if len(entries) < 2:
        return []
    lines = _header("Name")
    for entry in entries[:MOST_ROUTINES]:
        lines.append(f"{_numbers(entry)}  {_clip_front(entry.name, max(width - 63, 12))}")
    if len(entries) > MOST_ROUTINES:
        lines.append(f"and {fmt.plural(len(entries) - MOST_ROUTINES, 'more routine')}")
    return lines


def _place(entry: Entry) -> str:
    """For example "opatm/halo.cpp:41": enough to find the file, not its whole path."""
    where = entry.site.location if entry.site is not None else None
    if where is None:
        return "(call path not known)"
    place = f"{'/'.join(where.file.strip('/').split('/')[-2:])}:{where.line_text}" if where.file else where.place()
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


def spread(content: Content, width: int) -> list[Line]:
    """By function: calls and time, least, median and most over ranks."""
    label = max((len(rank.rank) for rank in content.ranks), default=1)
    calls_width, time_width = 9 + label, 10 + label
    numbers = 2 * calls_width + 2 * time_width + 20
    name_width = min(max((len(e.name) for e in content.functions if not e.local), default=4), max(12, width - numbers))
    heading = f"{'':{name_width}} {'calls':^{2 * calls_width + 8}}  {'time':^{2 * time_width + 9}}".rstrip()
    columns = (
        f"{'Name':{name_width}} {'least':>{calls_width}} {'median':>6} {'most':>{calls_width}}"
        f"  {'least':>{time_width}} {'median':>7} {'most':>{time_width}}"
    )
    lines: list[Line] = [(heading, _HEADER), (columns, _HEADER)]
    for entry in content.functions:
        if entry.local:
            continue
        calls, time = entry.calls_spread, entry.time_spread
        lines.append(
            f"{_clip(entry.name, name_width):{name_width}} "
            f"{_at(fmt.short_count(calls.min), calls.min_rank, calls_width)} {fmt.short_count(calls.median):>6} "
            f"{_at(fmt.short_count(calls.max), calls.max_rank, calls_width)}  "
            f"{_at(fmt.seconds(time.min), time.min_rank, time_width)} {fmt.seconds(time.median):>7} "
            f"{_at(fmt.seconds(time.max), time.max_rank, time_width)}"
        )
    return lines


def _at(value: str, rank: str, width: int) -> str:
    return f"{f'{value} ({rank})':>{width}}"


def _header(last: str) -> list[Line]:
    first = " ".join(f"{top:>{width}}" for top, _, width in _COLUMNS)
    second = " ".join(f"{bottom:>{width}}" for _, bottom, width in _COLUMNS)
    return [(first.rstrip(), _HEADER), (f"{second}  {last}".rstrip(), _HEADER)]


def _numbers(entry: Entry) -> str:
    cells = (
        f"{entry.share * 100:.1f}",
        _fit(entry.time_s * 1e3, 9),
        fmt.count(entry.calls) if entry.calls < 10_000_000 else fmt.short_count(entry.calls),
        _fit(entry.mean_s * 1e6, 9),
        "" if entry.local else _fit(entry.per_call_max_s * 1e6, 8),
        fmt.short_count(entry.messages) if entry.messages else "",
        fmt.size(entry.moved_bytes) if entry.moved_bytes else "",
    )
    return " ".join(f"{text:>{column[2]}}" for text, column in zip(cells, _COLUMNS, strict=True))


def _path_lines(path: Sequence[str], place: str, width: int) -> list[str]:
    """Lines like "trcadv > exchange > MPI_Isend  opatm/halo.cpp:41": one, or two where one is too short.

    Outer routines are left out where that makes one line of it, but three are kept if two lines can hold them.
    """
    shown = _elided(path, width - len(place) - 2, KEPT_ROUTINES) or _elided(path, width, 1) or list(path[-1:])
    text = _clip_front(" > ".join(shown), width)
    if len(text) + 2 + len(place) <= width:
        return [f"{text}  {place}".rstrip()]
    return [text, _clip_front(f"      {place}", width)]


def _elided(path: Sequence[str], width: int, kept: int) -> list[str] | None:
    """The path without as many outer routines as needed to fit; None if fewer than `kept` routines would be left."""
    for left_out in range(len(path)):
        shown = [*(["…"] if left_out else []), *path[left_out:]]
        if left_out and len(path) - left_out - 1 < kept:
            return None
        if len(" > ".join(shown)) <= width:
            return shown
    return None


def _fit(value: float, width: int) -> str:
    """A number of milli- or microseconds with as many decimals as help, in at most `width` characters."""
    for decimals in (2 if value < 100 else 1 if value < 10_000 else 0, 1, 0):
        text = f"{value:,.{decimals}f}"
        if len(text) <= width:
            return text
    return f"{value:.2e}"


def _clip(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def _clip_front(text: str, width: int) -> str:
    return text if len(text) <= width else "…" + text[len(text) - max(width - 1, 0) :]
