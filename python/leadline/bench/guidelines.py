"""Where a library breaks the guidelines: slower than its own parts do the same, or than for more data.

Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.operations import operations


def violations(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of a collective's rows: {operation, bytes, processes, by, factor, low, high}, the greatest factor first.

    by: the parts, as "reduce+bcast", or "N bytes": that much takes less time. factor: the library's own time divided by
    that; low, high: its interval, of sizes that of the medians' intervals. It is clear of 1.
    """
    found = [*_by_parts(rows), *_by_more_data(rows)]
    return sorted(found, key=lambda each: -each["factor"])


def _by_parts(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for row in rows:
        ratio = row["ratio_to_native"]
        parts = operations()[row["operation"]].parts
        if row["algorithm"] in parts and ratio is not None and (ratio["low"] or 0) > 1:
            found.append(_violation(row, row["algorithm"], ratio["median"], ratio["low"], ratio["high"]))
    return found


def _by_more_data(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each size the larger one that takes the least time."""
    native = [row for row in rows if row["algorithm"] == "native" and row["low_us"] is not None]
    found = []
    for row in native:
        larger = [other for other in native if other["bytes"] > row["bytes"] and other["high_us"] < row["low_us"]]
        if larger:
            other = min(larger, key=lambda each: each["median_us"])
            low, high = row["low_us"] / other["high_us"], row["high_us"] / other["low_us"]
            found.append(_violation(row, f"{other['bytes']} bytes", row["median_us"] / other["median_us"], low, high))
    return found


def _violation(row: dict[str, Any], by: str, factor: float, low: float, high: float) -> dict[str, Any]:
    keys = ("operation", "bytes", "processes")
    return {**{key: row[key] for key in keys}, "by": by, "factor": factor, "low": low, "high": high}
