"""A measurement as a drawing: SVG alone, or an HTML page of one file with its table. It loads nothing."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from leadline.bench.asking import POINT_TO_POINT
from leadline.bench.output import check_folder, figure, headline, notes, size
from leadline.bench.rows import Measurement
from leadline.errors import UsageError

# After Okabe and Ito, distinguishable with any colour vision; a second turn has dashes.
COLORS = ("#5a646e", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#7b62c4", "#3a9bd1")
DASHES = ("", "6 3", "2 3")
WIDTH, LEFT, RIGHT = 910, 74, 240
STYLE = """svg{font:13px system-ui,sans-serif;background:#fff}text{fill:#1c2126}.m{fill:#5a646e}
.g{stroke:#dfe2e5}.one{stroke:#5a646e;stroke-dasharray:4 3}"""

Value = Callable[[dict[str, Any]], "tuple[float, float | None, float | None] | None"]


def check(path: Path) -> None:
    """Raises UsageError for a name that says neither of the formats, or a folder that is not there."""
    if path.suffix not in {".svg", ".html"}:
        raise UsageError(f"{path}: a plot is FILE.svg or FILE.html")
    check_folder(path)


def write_plot(found: Measurement, path: Path) -> None:
    """path: as for check(). Raises UsageError if it cannot be written."""
    check(path)
    try:
        path.write_text(svg(found) if path.suffix == ".svg" else page(found), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def svg(found: Measurement) -> str:
    """Time by size, and below it how many times as fast as native."""
    base = "blocking" if found.asked.operation in POINT_TO_POINT else "native"
    top = _panel(found, 40, 300, "µs", _time)
    below = _panel(found, 400, 200, f"times as fast as {base}", _ratio)
    title = f"{found.asked.operation}, {found.asked.processes} ranks, {found.asked.library}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 660" role="img" '
        f'aria-label="{html.escape(title)}"><style>{STYLE}</style>'
        f'<text x="{LEFT}" y="16" font-weight="600">{html.escape(title)}</text>{top}{below}{_legend(found)}</svg>\n'
    )


def page(found: Measurement) -> str:
    head = ("bytes", "algorithm", "µs", "95 %", "× base", "95 %", "samples", "late", "bound µs", "% of it", "")
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in _cells(row))}</tr>" for row in found.rows)
    said = "".join(f"<p>{html.escape(line)}</p>" for line in notes(found))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>leadline bench {html.escape(found.asked.operation)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{{font:14px system-ui,sans-serif;max-width:900px;margin:24px auto;color:#1c2126;background:#fff}}
h1{{font-size:17px}}table{{border-collapse:collapse;font-variant-numeric:tabular-nums}}
td,th{{padding:2px 9px;text-align:right;border-bottom:1px solid #dfe2e5}}td:nth-child(2){{text-align:left}}</style>
</head><body><h1>{html.escape(headline(found))}</h1>{svg(found)}{said}
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


class _Scale:
    """A logarithmic scale. Zero bytes are drawn where a half would be."""

    def __init__(self, values: Sequence[float], start: float, length: float) -> None:
        logs = [math.log(max(value, 0.5)) for value in values] or [0.0]
        pad = 0.04 * (max(logs) - min(logs)) or 0.5
        self.low, self.high = min(logs) - pad, max(logs) + pad
        self.start, self.length = start, length

    def __call__(self, value: float) -> float:
        share = (math.log(max(value, math.exp(self.low))) - self.low) / (self.high - self.low)
        return round(self.start + share * self.length, 1)


def _panel(found: Measurement, y: int, height: int, unit: str, value_of: Value) -> str:
    drawn = [(row, value) for row in found.rows if (value := value_of(row)) is not None and value[0] > 0]
    if not drawn:
        return f'<text class="m" x="{LEFT}" y="{y + 20}">{html.escape(unit)}: nothing to draw</text>'
    bounds = [(row["bytes"], row["bound_us"]) for row, _ in drawn if row["bound_us"]] if unit == "µs" else []
    ends = [bound for _, bound in bounds] + [end for _, value in drawn for end in value if end is not None and end > 0]
    x = _Scale(found.asked.sizes, LEFT, WIDTH - LEFT - RIGHT)
    scale = _VerticalScale(ends, y + height, -height)
    parts = [_grid(found, x, scale, ends, y, height, unit)]
    line = " ".join(f"{x(n_bytes)},{scale(bound)}" for n_bytes, bound in dict(bounds).items())
    parts.append(f'<polyline class="one" points="{line}" fill="none"/>')
    for index, candidate in enumerate(found.asked.candidates):
        own = [(row["bytes"], value) for row, value in drawn if row["algorithm"] == str(candidate)]
        parts.append(_series(own, x, scale, index))
    return "".join(parts)


class _VerticalScale(_Scale):
    def __init__(self, values: Sequence[float], start: float, length: float) -> None:
        logs = [math.log(value) for value in values]
        pad = 0.06 * (max(logs) - min(logs)) or 0.3
        self.low, self.high = min(logs) - pad, max(logs) + pad
        self.start, self.length = start, length


def _grid(found: Measurement, x: _Scale, scale: _Scale, ends: Sequence[float], y: int, height: int, unit: str) -> str:
    parts = [f'<text class="m" x="{LEFT}" y="{y - 6}">{html.escape(unit)}</text>']
    for tick in _ticks(min(ends), max(ends)):
        at = scale(tick)
        line = "one" if tick == 1 and unit != "µs" else "g"
        parts.append(f'<line class="{line}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>')
        parts.append(f'<text class="m" x="{LEFT - 6}" y="{at + 4}" text-anchor="end">{figure(tick)}</text>')
    last = -math.inf
    for n_bytes in found.asked.sizes:
        at = x(n_bytes)
        if at - last < 54:
            continue
        last = at
        parts.append(f'<line class="g" x1="{at}" x2="{at}" y1="{y}" y2="{y + height}"/>')
        parts.append(f'<text class="m" x="{at}" y="{y + height + 17}" text-anchor="middle">{size(n_bytes)}</text>')
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Powers of ten, with 2 and 5 if there are few, and 1 if it is near."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    few = math.log10(high / low) < 2.5
    ticks = [step * 10.0**power for power in powers for step in ((1, 2, 5) if few else (1,))]
    return [tick for tick in ticks if 0.85 * low <= tick <= 1.18 * high] or [low]


def _series(
    points: Sequence[tuple[int, tuple[float, float | None, float | None]]], x: _Scale, y: _Scale, index: int
) -> str:
    color, dash = COLORS[index % len(COLORS)], DASHES[index // len(COLORS) % len(DASHES)]
    line = " ".join(f"{x(n_bytes)},{y(value[0])}" for n_bytes, value in points)
    parts = [f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.6" stroke-dasharray="{dash}"/>']
    for n_bytes, (middle, low, high) in points:
        at = x(n_bytes)
        if low and high:
            parts.append(
                f'<line x1="{at}" x2="{at}" y1="{y(low)}" y2="{y(high)}" stroke="{color}" stroke-width="5" '
                'stroke-opacity="0.28"/>'
            )
        parts.append(f'<circle cx="{at}" cy="{y(middle)}" r="2.6" fill="{color}"/>')
    return "".join(parts)


def _legend(found: Measurement) -> str:
    parts = []
    for index, candidate in enumerate(found.asked.candidates):
        color, dash = COLORS[index % len(COLORS)], DASHES[index // len(COLORS) % len(DASHES)]
        y = 52 + 19 * index
        parts.append(
            f'<line x1="{WIDTH - RIGHT + 12}" x2="{WIDTH - RIGHT + 34}" y1="{y}" y2="{y}" stroke="{color}" '
            f'stroke-width="2.4" stroke-dasharray="{dash}"/>'
            f'<text x="{WIDTH - RIGHT + 40}" y="{y + 4}">{html.escape(str(candidate))}</text>'
        )
    y = 52 + 19 * len(found.asked.candidates)
    return "".join(parts) + (
        f'<line class="one" x1="{WIDTH - RIGHT + 12}" x2="{WIDTH - RIGHT + 34}" y1="{y}" y2="{y}"/>'
        f'<text class="m" x="{WIDTH - RIGHT + 40}" y="{y + 4}">lower bound</text>'
    )
