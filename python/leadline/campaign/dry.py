"""What a campaign would run, for how long, and with how many repeats it could show a difference; without running it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

from leadline.campaign.journal import Journal
from leadline.campaign.measured import Measured, measured
from leadline.campaign.node_counts import nodes_of
from leadline.campaign.plan import Cell, Plan
from leadline.statistics.repeats import repeats_for

FEWEST = 2  # runs that show how times vary


def plan_of(plan: Plan, cells: Sequence[Cell], journal: Journal) -> dict[str, Any]:
    """Times come from runs that are finished: of the cell, else of its program; a cell of a program that never ran
    takes at most its time limit."""
    found = measured(cells, journal)
    by_program: dict[str, list[float]] = {}
    for each in found:
        by_program.setdefault(each.cell.program.name, []).extend(row["wall_s"] for row in each.rows)
    rows: list[dict[str, Any]] = []
    for each in found:
        planned = plan.repeats * len(each.cell.program.recording.ways)
        left = max(0, planned - len(each.rows))
        known = [row["wall_s"] for row in each.rows] or by_program[each.cell.program.name]
        each_s = statistics.median(known) if known else each.cell.program.timeout_s
        rows.append(
            {
                **each.cell.names,
                "part": "",
                "candidate": each.cell.candidate,
                "runs": planned,
                "left": left,
                "run_s": each_s,
                "measured": bool(known),
                "left_s": left * each_s,
                "nodes": nodes_of(each.cell, plan.batch),
            }
        )
    seconds = sum(row["left_s"] for row in rows)
    return {
        "name": plan.name,
        "cells": rows,
        "runs": sum(row["runs"] for row in rows),
        "left": sum(row["left"] for row in rows),
        "seconds": seconds,
        "at_most": not all(row["measured"] for row in rows if row["left"]),
        "node_hours": sum(row["left_s"] * row["nodes"] for row in rows) / 3600,
        "repeats": _repeats(plan, cells, found),
    }


def _repeats(plan: Plan, cells: Sequence[Cell], found: Sequence[Measured]) -> dict[str, Any]:
    """The spread is that of the cells together, so that few runs of each are enough."""
    spread = spread_of([each.times for each in found])
    pairs = 0
    groups: dict[tuple[str, str, int], int] = {}
    for cell in cells:
        key = cell.program.name, cell.input.name, cell.ranks
        pairs += groups.get(key, 0)
        groups[key] = groups.get(key, 0) + 1
    needed = repeats_for(plan.difference, spread, pairs) if spread is not None and pairs else None
    return {"difference": plan.difference, "spread": spread, "pairs": pairs, "needed": needed, "planned": plan.repeats}


def spread_of(groups: Sequence[Sequence[float]]) -> float | None:
    """The standard deviation of the logarithms of times within cells, pooled; None without repeats."""
    freedom, total = 0, 0.0
    for times in groups:
        if len(times) >= FEWEST:
            freedom += len(times) - 1
            total += statistics.variance([math.log(value) for value in times]) * (len(times) - 1)
    return math.sqrt(total / freedom) if freedom else None
