"""How times change with the number of ranks, for each program, input and candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.campaign.measured import Measured
from leadline.statistics.lines import line_through

FEWEST = 3  # numbers of ranks to fit a line to
SCALE = 1_000_000


def curves(found: Sequence[Measured]) -> list[dict[str, Any]]:
    """Those with two numbers of ranks or more. Scalability and efficiency are relative to the fewest ranks."""
    by: dict[tuple[str, str, str, str], list[Measured]] = {}
    for each in found:
        if each.times:
            key = each.cell.program.name, each.part, each.cell.input.name, each.cell.candidate
            by.setdefault(key, []).append(each)
    return [_curve(key, group) for key, group in by.items() if len(group) > 1]


def _curve(key: tuple[str, str, str, str], group: Sequence[Measured]) -> dict[str, Any]:
    kind = group[0].cell.program.scaling
    times = sorted((each.cell.ranks, each.median_s or 0.0) for each in group)
    first, first_s = times[0]
    points = [
        {
            "ranks": ranks,
            "time_s": time_s,
            "scalability": first_s / time_s,
            "efficiency": first_s / time_s * (first / ranks if kind == "strong" else 1.0),
        }
        for ranks, time_s in times
    ]
    program, part, given, candidate = key
    serial = _serial(times) if kind == "strong" else None
    return {
        "program": program,
        "part": part,
        "input": given,
        "candidate": candidate,
        "kind": kind,
        "points": points,
        "serial_share": serial,
    }


def _serial(times: Sequence[tuple[int, float]]) -> float | None:
    """The share of the time on one rank that more ranks do not shorten, by Amdahl's law fitted to the medians: time =
    constant + rest / ranks. None with too few numbers of ranks."""
    if len(times) < FEWEST:
        return None
    line = line_through([(round(SCALE / ranks), time_s) for ranks, time_s in times])
    alone = line.at(SCALE)
    return line.constant / alone if alone > 0 else None
