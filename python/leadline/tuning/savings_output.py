"""What a run's collectives would save, for people."""

from __future__ import annotations

import sys

from leadline.bench.output import PIPE_WIDTH, About, figure, notes, size
from leadline.text import format as fmt
from leadline.text.printing import console
from leadline.tuning.savings import OfRun

LEGEND = (
    "calls: on the rank that makes most of them. × native: speedup over the library default (95 % CI). saved: in all "
    "of them, if they took what they take here, all ranks arriving together"
)


def print_savings(found: OfRun) -> None:
    from rich.table import Table

    screen = console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    table = Table(box=None, pad_edge=False)
    for column in ("operation", "ranks", "bytes", "calls", "native µs", "best", "× native", "95 %", "saved"):
        words = column in {"operation", "best"}
        table.add_column(column, justify="left" if words else "right", no_wrap=not words)
    for saving in found.savings:
        call = saving.call
        cells = [call.operation, str(call.processes), size(call.n_bytes), f"{call.times:,}", figure(saving.native_us)]
        if saving.algorithm == "native":
            table.add_row(*cells, "native", "", "", "")
            continue
        ratio = saving.ratio
        interval = f"{figure(ratio['low'])}–{figure(ratio['high'])}"
        saved = fmt.seconds(saving.saved_us[0] * 1e-6)
        table.add_row(*cells, saving.algorithm, figure(ratio["median"]), interval, saved)
    screen.print(headline(found))
    screen.print(table)
    screen.print(LEGEND, style="dim")
    for line in _notes(found):
        screen.print(line, style="yellow")


def headline(found: OfRun, by: str = "the best algorithms") -> str:
    """For example: "12 distinct collectives of the run, mpich: 45.1 ms with the library default, 4.50 ms less with the
    best algorithms (3.90 ms to 5.12 ms)"."""
    if not found.savings:
        return "Nothing could be measured (see the notes below)"
    saved, low, high = (us * 1e-6 for us in found.saved_us)
    what = f"{fmt.plural(len(found.savings), 'distinct collective')} of the run"
    text = f"{what}, {found.library}: {fmt.seconds(found.total_us * 1e-6)} with the library default"
    if not saved:
        return f"{text}; no algorithm is clearly faster"
    text += f", {fmt.seconds(saved)} less with {by} ({fmt.seconds(low)} to {fmt.seconds(high)})"
    if found.iterations is None:
        return text
    steps = fmt.plural(found.iterations, "iteration")
    return f"{text}; over {steps} of the main loop {fmt.seconds(saved / found.iterations)} each"


def _notes(found: OfRun) -> list[str]:
    lines = []
    for calls, why in ((found.unable, "only sums of whole doubles are"), (found.missing, "see the reason below")):
        if calls:
            which = [f"{c.operation} of {c.n_bytes:,} bytes on {c.processes} ranks" for c in calls]
            more = f" and {len(which) - 4} more" if len(which) > 4 else ""
            lines.append(f"Not measured ({why}): {', '.join(which[:4])}{more}")
    for measured in found.measurements:
        what = f"{measured.asked.operation} on {fmt.plural(measured.asked.processes, 'rank')}"
        lines += [f"{what}. {note.text}" for note in notes(measured) if note.about is not About.NOISE]
    return lines
