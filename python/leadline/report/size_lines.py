"""Messages, or one-sided operations, by size on a terminal."""

from __future__ import annotations

from leadline import _core
from leadline.figures.size_classes import histogram
from leadline.text import format as fmt
from leadline.text.screen import Line
from leadline.text.wrapping import wrapped


def size_lines(sizes: _core.Sizes, what: str, width: int) -> list[Line]:
    """Messages (or operations: `what`) and bytes by power of two, and exact sizes if there are few."""
    buckets = histogram(sizes, what)
    total = sum(bucket[what] for bucket in buckets)
    volume = sum(bucket["bytes"] for bucket in buckets)
    room = max(10, width - 46)
    lines: list[Line] = [(f"{'bytes':>21}  {what:>10}  {'bytes':>8}", "dim")]
    for bucket in buckets:
        low, high = bucket["from"], bucket["to"]
        name = "0" if high == 1 else f"{fmt.power(low)} … <{fmt.power(high)}"
        bar = "#" * max(1, round(bucket[what] / total * room))
        lines.append(f"{name:>21}  {bucket[what]:>10,}  {fmt.size(bucket['bytes']):>8}  {bar}")
    lines.append(f"{'all':>21}  {total:>10,}  {fmt.size(volume):>8}")
    distinct = sizes.distinct
    if sizes.distinct_complete and len(distinct) <= 6:
        exact = ", ".join(f"{distinct[size]:,} × {size:,} B" for size in sorted(distinct))
        lines += wrapped(f"exact sizes: {exact}", width)
    return lines
