"""Where a library breaks the guidelines: slower than its own parts do the same, than for more data or more ranks, or
than in pieces.

Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", 2010; the parts are those of Hunold, Carpen-Amarie,
"Autotuning MPI collectives using performance guidelines", 2018, and more.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from leadline.operations import operations

Rows = Sequence[dict[str, Any]]
PARTS, MORE_DATA, PIECES, MORE_RANKS = "parts", "more data", "pieces", "more ranks"


def violations(rows: Rows, on_more_ranks: Rows = ()) -> list[dict[str, Any]]:
    """Of a collective's rows: {operation, bytes, processes, guideline, by, factor, low, high}, greatest factor first.

    on_more_ranks: rows of the library's own with a rank more.
    guideline: "parts", "more data", "pieces", "more ranks".   by: what takes less time, as "reduce+bcast",
    "4096 bytes", "8 × 512 bytes", "5 ranks". factor: the library's own time divided by that; low, high: its interval,
    where no pairs were measured that of the medians' intervals. It is clear of 1.
    """
    found = [*_by_parts(rows), *_by_more_data(rows), *_by_pieces(rows), *_by_more_ranks(rows, on_more_ranks)]
    return sorted(found, key=lambda each: -each["factor"])


def more_ranks(operation: str, ranks: int, launcher: Sequence[str] | None) -> tuple[int, str]:
    """The number of ranks to compare with; 0, and the reason, if a comparison would say nothing of the library."""
    if operations()[operation].for_neighbours:
        return 0, f"not compared with {ranks + 1} ranks: their grid would be another"
    if launcher is not None and not any("{ranks}" in word for word in launcher):
        return 0, f"not compared with {ranks + 1} ranks: --launcher has no {{ranks}}"
    cores = len(os.sched_getaffinity(0))
    if launcher is None and ranks <= cores < ranks + 1:
        return 0, f"not compared with {ranks + 1} ranks: there are {cores} cores"
    return ranks + 1, ""


def _by_parts(rows: Rows) -> list[dict[str, Any]]:
    found = []
    for row in rows:
        ratio = row["ratio_to_native"]
        parts = operations()[row["operation"]].parts
        if row["algorithm"] in parts and ratio is not None and (ratio["low"] or 0) > 1:
            found.append(_violation(row, PARTS, row["algorithm"], ratio["median"], ratio["low"], ratio["high"]))
    return found


def _native(rows: Rows) -> list[dict[str, Any]]:
    return [row for row in rows if row["algorithm"] == "native" and row["low_us"] is not None]


def _by_more_data(rows: Rows) -> list[dict[str, Any]]:
    """Of each size the larger one that takes the least time."""
    native = _native(rows)
    found = []
    for row in native:
        larger = [other for other in native if other["bytes"] > row["bytes"] and other["high_us"] < row["low_us"]]
        if larger:
            other = min(larger, key=lambda each: each["median_us"])
            found.append(_against(row, other, 1, MORE_DATA, f"{other['bytes']} bytes"))
    return found


def _by_pieces(rows: Rows) -> list[dict[str, Any]]:
    """Of each size the smaller one of which several, one after the other, take the least time."""
    native = _native(rows)
    found = []
    for row in native:
        smaller = [(-(-row["bytes"] // other["bytes"]), other) for other in native if 0 < other["bytes"] < row["bytes"]]
        less = [(times, other) for times, other in smaller if times * other["high_us"] < row["low_us"]]
        if less:
            times, other = min(less, key=lambda each: each[0] * each[1]["median_us"])
            found.append(_against(row, other, times, PIECES, f"{times} × {other['bytes']} bytes"))
    return found


def _by_more_ranks(rows: Rows, on_more_ranks: Rows) -> list[dict[str, Any]]:
    others = {row["bytes"]: row for row in _native(on_more_ranks)}
    return [
        _against(row, others[row["bytes"]], 1, MORE_RANKS, f"{others[row['bytes']]['processes']} ranks")
        for row in _native(rows)
        if row["bytes"] in others and others[row["bytes"]]["high_us"] < row["low_us"]
    ]


def _against(row: dict[str, Any], other: dict[str, Any], times: int, guideline: str, by: str) -> dict[str, Any]:
    low, high = row["low_us"] / other["high_us"], row["high_us"] / other["low_us"]
    return _violation(row, guideline, by, row["median_us"] / other["median_us"] / times, low / times, high / times)


def _violation(row: dict[str, Any], guideline: str, by: str, factor: float, low: float, high: float) -> dict[str, Any]:
    keys = ("operation", "bytes", "processes")
    return {
        **{key: row[key] for key in keys},
        "guideline": guideline,
        "by": by,
        "factor": factor,
        "low": low,
        "high": high,
    }
