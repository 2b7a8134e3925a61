"""A measurement for people: tables in the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any

from leadline.bench.asking import POINT_TO_POINT
from leadline.bench.grid import in_words
from leadline.bench.guidelines import PARTS, violations
from leadline.bench.rows import Measurement
from leadline.errors import UsageError
from leadline.run_directory import why_not_written
from leadline.text import format as fmt
from leadline.text.printing import console

WIDE = 100  # columns from which a table also holds the intervals of times
NARROW = 76  # below it there is room for neither intervals nor the bound
PIPE_WIDTH = 120


def check_folder(path: Path) -> None:
    """Raises UsageError if the file's folder does not exist, or if the file may not be written there."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(
            f"cannot write {path}: no such directory: {path.parent}", hint="make it first, or choose another file"
        )
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a directory; give a file name")
    if path.exists():
        why = "" if os.access(path, os.W_OK) else "permission denied"
    else:
        why = why_not_written(folder)
    if why:
        raise UsageError(
            f"cannot write {path}: {why[:1].lower()}{why[1:]}", hint="choose another file, in a directory of yours"
        )


def print_tables(found: Measurement) -> None:
    from rich.table import Table

    screen = console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    screen.print(headline(found), highlight=False)
    wide, narrow = screen.width >= WIDE, screen.width < NARROW
    table = Table(box=None, pad_edge=False)
    table.add_column("bytes", justify="right", no_wrap=True)
    table.add_column("algorithm", no_wrap=not narrow, overflow="fold")
    base = "blocking" if found.asked.operation in POINT_TO_POINT else "native"
    intervals = ["95 %"] if wide else []
    for name in ("µs", *intervals, f"× {base}", *([] if narrow else ["95 %", "bound µs"]), "reached"):
        table.add_column(name, justify="right", no_wrap=True)
    if any("model_us" in row for row in found.rows):
        table.add_column("model µs", justify="right", no_wrap=True)
    if found.asked.operation in POINT_TO_POINT:
        table.add_column("MB/s", justify="right")
    for row in found.rows:
        table.add_row(*_cells(row, wide, narrow))
    screen.print(table)
    screen.print(legend(base, narrow), style="dim", highlight=False)
    for note in notes(found):
        screen.print(note.text, style="yellow", highlight=False)


def print_violations(found: Measurement) -> None:
    screen = console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    for line in guidelines_said(found.rows, on_more_ranks(found)):
        screen.print(line, highlight=False)


def on_more_ranks(found: Measurement) -> list[dict[str, Any]]:
    return [] if found.on_more_ranks is None else found.on_more_ranks.rows


def guidelines_said(rows: list[dict[str, Any]], more: Sequence[dict[str, Any]] = ()) -> list[str]:
    """What leadline.bench.guidelines finds in a collective's rows, in words.   more: those of more ranks."""
    found = violations(rows, more)
    measured = any(row["algorithm"] == "native" and row["median_us"] is not None for row in rows)
    if not found:
        return ["Guidelines: nothing clearly beats the library's own operation"] if measured else []
    return [violation_said(each) for each in found]


def violation_said(each: dict[str, Any]) -> str:
    does = f"{each['by']} does the same in less time" if each["guideline"] == PARTS else f"{each['by']} take less"
    unit = "" if size(each["bytes"]).endswith("B") else " bytes"
    factor = f"{each['factor']:.2f}× ({figure(each['low'])}–{figure(each['high'])})"
    return f"Guideline broken: {each['operation']} of {size(each['bytes'])}{unit}: {does}: {factor}"


def legend(base: str, narrow: bool) -> str:
    """What the columns mean."""
    whose = "blocking send" if base == "blocking" else "library default"
    least = "the least by messages of this network (shared memory may take less)"
    bound = f"reached: {least} / µs" if narrow else f"bound: {least}. reached: bound / µs"
    interval = "" if narrow else " (95 % CI)"
    return f"µs: median time. × {base}: speedup over the {whose}{interval}, > 1 is faster. {bound}"


def _cells(row: dict[str, Any], wide: bool, narrow: bool) -> list[str]:
    ratio = row["ratio_to_native"] or {"median": None, "low": None, "high": None}
    cells = [size(row["bytes"]), row["algorithm"]]
    if row["median_us"] is None:
        return [*cells, "–"]
    cells += [
        figure(row["median_us"]),
        *([_interval(row["low_us"], row["high_us"])] if wide else []),
        figure(ratio["median"]),
        *([] if narrow else [_interval(ratio["low"], ratio["high"]), figure(row["bound_us"])]),
        "" if row["percent_of_bound"] is None else f"{row['percent_of_bound']:.0f} %",
    ]
    if "model_us" in row:
        cells.append("" if row["model_us"] is None else figure(row["model_us"]))
    if "bandwidth_mb_s" in row:
        cells.append(figure(row["bandwidth_mb_s"]))
    return cells


def _interval(low: float | None, high: float | None) -> str:
    return "too few samples" if low is None or high is None else f"{figure(low)}–{figure(high)}"


def figure(value: float | None) -> str:
    """Three significant digits."""
    if value is None:
        return "?"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def size(n_bytes: int) -> str:
    """Exact: 64 KiB, 1,000 (bytes)."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if n_bytes and n_bytes % (1 << shift) == 0:
            return f"{n_bytes >> shift} {unit}"
    return f"{n_bytes:,}"


def headline(found: Measurement) -> str:
    """The fastest algorithm, in words with numbers."""
    document = found.document()
    asked = found.asked
    grid = f" in {in_words(asked.dims)}" if asked.dims else ""
    text = (
        f"{asked.operation} on {fmt.plural(asked.processes, 'rank')}{grid}, "
        f"{document['library_version'] or asked.library}, {fmt.plural(len(found.launches), 'launch', 'launches')}"
    )
    if asked.operation in POINT_TO_POINT:
        return text
    if not any(row["median_us"] is not None for row in found.rows):
        return f"{text}: no valid measurement (see the notes below)"
    clear = [
        row
        for row in found.rows
        if row["ratio_to_native"] and row["algorithm"] != "native" and (row["ratio_to_native"]["low"] or 0) > 1
    ]
    if not clear:
        return f"{text}: no algorithm beats the library default (95 % CI)"
    best = max(clear, key=lambda row: row["ratio_to_native"]["median"])
    sizes = len({row["bytes"] for row in clear})
    return (
        f"{text}: the library default is beaten at {sizes} of {fmt.plural(len(asked.sizes), 'size')}, "
        f"by the largest factor with {best['algorithm']}: {best['ratio_to_native']['median']:.2f}× at "
        f"{size(best['bytes'])}"
    )


class About(Enum):
    """What a note is about, so that nobody has to look into its words."""

    NOISE = auto()
    OVERSUBSCRIPTION = auto()
    ROWS = auto()  # with a wrong result, or without a time
    LATE = auto()
    FAILURE = auto()


@dataclass(frozen=True)
class Note:
    about: About
    text: str


def notes(found: Measurement) -> list[Note]:
    """The facts needed to judge the figures."""
    about = found.document()["machine"]
    lines = []
    noise = about["noise"]
    if noise is not None:
        text = (
            f"OS noise: {100 * noise['lost_share_median']:.1f} % of the time went to other processes (worst rank "
            f"{100 * noise['lost_share_worst']:.1f} %), longest interruption {noise['longest_us']:.0f} µs"
        )
        lines.append(Note(About.NOISE, text))
    if about["oversubscribed"]:
        text = (
            f"Oversubscribed: {about['ranks_on_host']} ranks on {about['cores_on_host']} cores. Ranks cannot start "
            "at the same time, so late samples are kept and times include waiting for a core."
        )
        lines.append(Note(About.OVERSUBSCRIPTION, text))
    for problem in sorted({row["problem"] for row in found.rows if row["problem"]}):
        of = [f"{row['algorithm']} at {size(row['bytes'])}" for row in found.rows if row["problem"] == problem]
        lines.append(Note(About.ROWS, f"{_capital(problem)}: {', '.join(of[:4])}{' …' if len(of) > 4 else ''}"))
    lines += [Note(About.LATE, text) for text in _late(found, kept=about["oversubscribed"])]
    if found.failed:
        lines.append(Note(About.FAILURE, _capital(found.failed)))
    return lines


def _late(found: Measurement, *, kept: bool) -> list[str]:
    """kept: late samples are among the others, because the ranks cannot start at the same time."""
    late = sum(row["late"] for row in found.rows)
    samples = sum(row["samples"] for row in found.rows) + (0 if kept else late)
    if not late:
        return []
    texts = [f"{late} of {samples} samples started late on some rank" + ("" if kept else ": dropped")]
    if late > samples / 2 and not kept:
        texts.append(
            "More than half the samples started late because other processes were using the cores. Measure on an idle "
            "machine, or longer (--seconds)."
        )
    return texts


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
