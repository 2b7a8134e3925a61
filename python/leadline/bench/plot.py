"""A measurement as a drawing by matplotlib: an image, or an HTML page of one file with its table. It loads nothing."""

from __future__ import annotations

import html
import importlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leadline.bench.asking import POINT_TO_POINT
from leadline.bench.output import check_folder, figure, headline, notes, size
from leadline.bench.rows import Measurement
from leadline.errors import MissingPrerequisite, UsageError

IMAGES = (".svg", ".png", ".pdf")
PAGE = ".html"
# After Okabe and Ito, distinguishable with any colour vision; a second turn has dashes.
COLORS = ("#5a646e", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#7b62c4", "#3a9bd1")
DASHES = ("-", "--", ":")
# The field that says when it was drawn.
DATES = {"svg": "Date", "pdf": "CreationDate"}
# Text stays text, and nothing in the file depends on when it was drawn.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "leadline"}

Value = Callable[[dict[str, Any]], "tuple[float, float | None, float | None] | None"]


def check(path: Path) -> None:
    """Raises UsageError for a file name without a known format or a missing directory, and MissingPrerequisite without
    matplotlib.
    """
    if path.suffix not in {*IMAGES, PAGE}:
        raise UsageError(
            f"{path}: the plot's file name must be {', '.join(f'FILE{form}' for form in IMAGES)} or FILE{PAGE}"
        )
    check_folder(path)
    _matplotlib("figure")


def write_plot(found: Measurement, path: Path) -> None:
    """path: as for check(). Raises UsageError if it cannot be written."""
    check(path)
    drawn = page(found).encode() if path.suffix == PAGE else image(found, path.suffix.removeprefix("."))
    try:
        path.write_bytes(drawn)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def image(found: Measurement, form: str) -> bytes:
    """Time by size, and below it how many times as fast as native.   form: "svg", "png" or "pdf"."""
    base = "blocking" if found.asked.operation in POINT_TO_POINT else "native"
    drawing = _matplotlib("figure").Figure(figsize=(9.1, 6.6), layout="constrained")
    drawing.suptitle(f"{found.asked.operation}, {found.asked.processes} ranks, {found.asked.library}", fontsize=11)
    top, below = drawing.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    _draw(top, found, _time, "µs")
    _draw(below, found, _ratio, f"speedup over {base}")
    below.axhline(1, color="#5a646e", linewidth=1, linestyle="--")
    bounds = {row["bytes"]: row["bound_us"] for row in found.rows if row["bound_us"] and _time(row)}
    if bounds:
        top.plot([*bounds], [*bounds.values()], color="#5a646e", linewidth=1, linestyle="--", label="lower bound")
    handles, labels = top.get_legend_handles_labels()
    if handles:
        drawing.legend(handles, labels, loc="outside right upper", frameon=False, fontsize=9)
    written = io.BytesIO()
    with _matplotlib().rc_context(SETTINGS):
        drawing.savefig(written, format=form, dpi=120, metadata={DATES[form]: None} if form in DATES else None)
    return written.getvalue()


def _matplotlib(module: str = "") -> Any:
    try:
        return importlib.import_module(f"matplotlib.{module}" if module else "matplotlib")
    except ImportError as error:
        raise MissingPrerequisite("plots need matplotlib", hint="pip install 'leadline[figures]'") from error


def _draw(panel: Any, found: Measurement, value_of: Value, unit: str) -> None:
    """A line for each candidate, with its intervals; both axes are logarithmic. Zero bytes are drawn at a half."""
    panel.set_ylabel(unit)
    panel.grid(color="#dfe2e5", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    drawn = 0
    for index, candidate in enumerate(found.asked.candidates):
        own = [row for row in found.rows if row["algorithm"] == str(candidate)]
        points = [
            (max(row["bytes"], 0.5), value) for row in own if (value := value_of(row)) is not None and value[0] > 0
        ]
        color, dash = COLORS[index % len(COLORS)], DASHES[index // len(COLORS) % len(DASHES)]
        xs, middles = [x for x, _ in points], [value[0] for _, value in points]
        panel.plot(xs, middles, dash, color=color, marker="o", markersize=3.5, linewidth=1.6, label=str(candidate))
        for x, (_, low, high) in points:
            if low and high:
                panel.plot([x, x], [low, high], color=color, linewidth=5, alpha=0.28, solid_capstyle="butt")
        drawn += len(points)
    if not drawn:
        panel.text(
            0.5, 0.5, "nothing to plot: no valid measurement", transform=panel.transAxes, ha="center", color="#5a646e"
        )
        return
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    sizes = _some(found.asked.sizes)
    panel.set_xticks([max(n_bytes, 0.5) for n_bytes in sizes], [size(n_bytes) for n_bytes in sizes])
    panel.minorticks_off()
    ticker = _matplotlib("ticker")
    low, high = panel.get_ylim()
    steps = (1, 2, 5) if high / low < 300 else (1,)
    panel.yaxis.set_major_locator(ticker.LogLocator(subs=steps))
    panel.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: figure(value)))


def _some(sizes: tuple[int, ...] | list[int], most: int = 9) -> list[int]:
    """Of many sizes, as many as have room below the axis."""
    every = -(-len(sizes) // most) or 1
    return list(sizes)[::every]


def page(found: Measurement) -> str:
    head = ("bytes", "algorithm", "µs", "95 %", "× base", "95 %", "samples", "late", "bound µs", "reached", "")
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in _cells(row))}</tr>" for row in found.rows)
    said = "".join(f"<p>{html.escape(note.text)}</p>" for note in notes(found))
    picture = image(found, "svg").decode()
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>leadline bench {html.escape(found.asked.operation)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{{font:14px system-ui,sans-serif;max-width:900px;margin:24px auto;color:#1c2126;background:#fff}}
svg{{max-width:100%;height:auto}}
h1{{font-size:17px}}table{{border-collapse:collapse;font-variant-numeric:tabular-nums}}
td,th{{padding:2px 9px;text-align:right;border-bottom:1px solid #dfe2e5}}td:nth-child(2){{text-align:left}}</style>
</head><body><h1>{html.escape(headline(found))}</h1>{picture[picture.index("<svg") :]}{said}
<table><thead><tr>{"".join(f"<th>{name}</th>" for name in head)}</tr></thead><tbody>{body}</tbody></table></body></html>
"""


def _cells(row: dict[str, Any]) -> list[str]:
    ratio = row["ratio_to_native"] or {"median": None, "low": None, "high": None}
    return [
        size(row["bytes"]),
        row["algorithm"],
        figure(row["median_us"]),
        f"{figure(row['low_us'])}–{figure(row['high_us'])}",
        figure(ratio["median"]),
        f"{figure(ratio['low'])}–{figure(ratio['high'])}",
        str(row["samples"]),
        str(row["late"]),
        figure(row["bound_us"]),
        figure(row["percent_of_bound"]),
        row["problem"] or "",
    ]


def _time(row: dict[str, Any]) -> tuple[float, float | None, float | None] | None:
    return None if row["median_us"] is None else (row["median_us"], row["low_us"], row["high_us"])


def _ratio(row: dict[str, Any]) -> tuple[float, float | None, float | None] | None:
    ratio = row["ratio_to_native"]
    return None if ratio is None else (ratio["median"], ratio["low"], ratio["high"])
