"""By MPI function, all ranks together, and the spread over ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.figures.content import Content
from leadline.figures.entries import COLLECTIVE, Entry
from leadline.figures.json_entries import entry_json
from leadline.report.entry_lines import HEADER, clip, header, numbers
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen
from leadline.text.wrapping import wrapped

MOST_LOCAL = 4
LEAST_NAME = 12


def figures(content: Content) -> dict[str, Any]:
    local = [entry for entry in content.functions if entry.local]
    return {
        "functions": [{"function": entry.name, **entry_json(entry)} for entry in content.functions],
        "collectives": [_collective(entry) for entry in content.functions if entry.cls in COLLECTIVE],
        "locals": [{"function": entry.name, "calls": entry.calls, "time_s": entry.time_s} for entry in local],
    }


def _collective(entry: Entry) -> dict[str, Any]:
    return {
        "function": entry.name,
        "calls": entry.calls,
        "bytes": entry.n_bytes,
        "bytes_received": entry.bytes_received,
        "time_s": entry.time_s,
    }


def draw(content: Content, out: Screen) -> None:
    out.section(SECTION.title, f"summed over ranks; %Time of the {content.time_of}' time")
    out.lines(_functions(content, out.width))
    out.section("Spread over ranks", "rank of min and max in brackets")
    out.lines(_spread(content, out.width))


def _functions(content: Content, width: int) -> list[Line]:
    """By function. Local functions are one line, with the most called ones named."""
    lines = header("Name", width)
    for entry in content.functions:
        if entry.local:
            continue
        cells = numbers(entry, width)
        line = f"{cells}  {entry.name}"
        lines += [line] if len(line) <= width else [cells, f"{clip(entry.name, width):>{width}}"]
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
        f"Local functions: {fmt.plural(calls, 'call')} in {fmt.seconds(sum(e.time_s for e in local))} ({named}"
        f"{f', {others} others' if others else ''})"
    )
    return ["", *wrapped(text, width)]


def _spread(content: Content, width: int) -> list[Line]:
    """By function: calls and time, least, median and most over ranks."""
    label = max((len(rank.rank) for rank in content.ranks), default=1)
    calls_width, time_width = 9 + label, 10 + label
    numbers = 2 * calls_width + 2 * time_width + 20
    if width < numbers + LEAST_NAME:
        return _narrow_spread(content, calls_width, time_width)
    name_width = min(
        max((len(e.name) for e in content.functions if not e.local), default=4), max(LEAST_NAME, width - numbers)
    )
    heading = f"{'':{name_width}} {'calls':^{2 * calls_width + 8}}  {'time':^{2 * time_width + 9}}".rstrip()
    columns = (
        f"{'Name':{name_width}} {'min':>{calls_width}} {'median':>6} {'max':>{calls_width}}"
        f"  {'min':>{time_width}} {'median':>7} {'max':>{time_width}}"
    )
    lines: list[Line] = [(heading, HEADER), (columns, HEADER)]
    for entry in content.functions:
        if entry.local:
            continue
        calls, time = entry.calls_spread, entry.time_spread
        lines.append(
            f"{clip(entry.name, name_width):{name_width}} "
            f"{_at(fmt.short_count(calls.min), calls.min_rank, calls_width)} {fmt.short_count(calls.median):>6} "
            f"{_at(fmt.short_count(calls.max), calls.max_rank, calls_width)}  "
            f"{_at(fmt.seconds(time.min), time.min_rank, time_width)} {fmt.seconds(time.median):>7} "
            f"{_at(fmt.seconds(time.max), time.max_rank, time_width)}"
        )
    return lines


def _narrow_spread(content: Content, calls_width: int, time_width: int) -> list[Line]:
    """Where a line has no room for both: the function, then its calls, then its times."""
    wide = max(calls_width, time_width)
    lines: list[Line] = [(f"{'Name':8} {'min':>{wide}} {'median':>7} {'max':>{wide}}", HEADER)]
    for entry in content.functions:
        if entry.local:
            continue
        lines.append(entry.name)
        for what, spread, shown in (
            ("calls", entry.calls_spread, fmt.short_count),
            ("time", entry.time_spread, fmt.seconds),
        ):
            lines.append(
                f"  {what:6} {_at(shown(spread.min), spread.min_rank, wide)} {shown(spread.median):>7} "
                f"{_at(shown(spread.max), spread.max_rank, wide)}"
            )
    return lines


def _at(value: str, rank: str, width: int) -> str:
    return f"{f'{value} ({rank})':>{width}}"


SECTION = Section(
    id="functions",
    title="MPI functions",
    order=40,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report["functions"]),
)
