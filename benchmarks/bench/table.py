"""The figures as tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from bench.cases import MEMORY_WANTED_KB, SIZE_WANTED_BYTES, SIZE_WANTED_RATIO, Case
from bench.measure import CaseCost, MemoryCost, TraceSize


def _verdict(holds: bool) -> str:
    return "yes" if holds else "missed"


def _wanted(case: Case, added: str, ratio: str) -> str:
    if case.added_ns is not None:
        return added.format(case.added_ns)
    return ratio.format(case.ratio) if case.ratio is not None else ""


def print_costs(console: Console, costs: Sequence[CaseCost], clock: str) -> None:
    table = Table(title=f"Nanoseconds per call ({clock} time), medians of paired launches, 95 % intervals")
    for name in ("case", "library"):
        table.add_column(name)
    for name in ("base", "recorded", "added", "interval", "fastest blocks", "noise", "ratio", "wanted"):
        table.add_column(name, justify="right")
    table.add_column("holds")
    for c in costs:
        t = c.typical
        wanted = _wanted(c.case, "≤ {:g} ns", "≤ × {:g}")
        table.add_row(
            c.case.what,
            c.library,
            f"{t.base.value:.1f}",
            f"{t.recorded.value:.1f}",
            f"{t.added.value:+.1f}",
            f"{t.added.low:+.1f} … {t.added.high:+.1f}",
            f"{c.best.added.value:+.1f}",
            f"± {t.noise:.1f}",
            f"{t.ratio.value:.3f}",
            wanted,
            c.verdict,
        )
    console.print(table)


def print_memory(console: Console, rows: Sequence[MemoryCost]) -> None:
    table = Table(title="Largest resident set of a rank")
    table.add_column("case")
    table.add_column("library")
    for name in ("base", "recorded", "added", "wanted"):
        table.add_column(name, justify="right")
    table.add_column("holds")
    for m in rows:
        table.add_row(
            m.case,
            m.library,
            f"{m.base_kb / 1024:.1f} MB",
            f"{m.recorded_kb / 1024:.1f} MB",
            f"{m.added_kb / 1024:+.1f} MB",
            f"≤ {MEMORY_WANTED_KB / 1024:.0f} MB",
            _verdict(m.added_kb <= MEMORY_WANTED_KB),
        )
    console.print(table)


def print_sizes(console: Console, rows: Sequence[TraceSize]) -> None:
    table = Table(title="Size of the trace of the step of 409 calls, all ranks")
    table.add_column("library")
    for name in ("steps", "calls of a rank", "bytes", "wanted"):
        table.add_column(name, justify="right")
    table.add_column("holds")
    first: dict[str, int] = {}
    for s in rows:
        begin = first.setdefault(s.library, s.total_bytes)
        limit = SIZE_WANTED_BYTES if s.total_bytes == begin else int(SIZE_WANTED_RATIO * begin)
        table.add_row(
            s.library,
            f"{s.steps:,}",
            f"{s.calls:,}",
            f"{s.total_bytes:,}",
            f"≤ {limit:,}",
            _verdict(s.total_bytes <= limit),
        )
    console.print(table)


def markdown_costs(costs: Sequence[CaseCost]) -> str:
    """The same rows as docs/record/performance.md has them."""
    lines = ["| case | library | base | added | interval | noise | ratio | wanted | holds |", "|---" * 9 + "|"]
    for c in costs:
        t = c.typical
        wanted = _wanted(c.case, "≤ {:g}", "× ≤ {:g}")
        cells = [
            c.case.what,
            c.library,
            f"{t.base.value:.1f}",
            f"{t.added.value:+.1f}",
            f"{t.added.low:+.1f} … {t.added.high:+.1f}",
            f"± {t.noise:.1f}",
            f"{t.ratio.value:.3f}",
            wanted,
            c.verdict,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
