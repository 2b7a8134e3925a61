"""A measurement as a drawing by matplotlib: an image, or an HTML page of one file with its table. It loads nothing."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leadline.bench.asking import POINT_TO_POINT
from leadline.bench.output import check_folder, figure, headline, notes, size
from leadline.bench.rows import Measurement
from leadline.errors import UsageError
from leadline.plots import COLORS, DASHES, IMAGES, check_form, image_of, matplotlib, style

PAGE = ".html"
Value = Callable[[dict[str, Any]], "tuple[float, float | None, float | None] | None"]


def check(path: Path) -> None:
    """Raises UsageError for a file name without a known format or a missing directory, and MissingPrerequisite without
    matplotlib.
    """
    check_form(path, (*IMAGES, PAGE))
    check_folder(path)
    matplotlib("figure")


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
    drawing = matplotlib("figure").Figure(figsize=(9.1, 6.6), layout="constrained")
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
    return image_of(drawing, form)


def _draw(panel: Any, found: Measurement, value_of: Value, unit: str) -> None:
    """A line for each candidate, with its intervals; both axes are logarithmic. Zero bytes are drawn at a half."""
    panel.set_ylabel(unit)
    style(panel)
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
    ticker = matplotlib("ticker")
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
