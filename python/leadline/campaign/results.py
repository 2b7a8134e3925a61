"""What the runs of a campaign say: medians with intervals, ratios, rankings, scaling; as plain data for all outputs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline.campaign.journal import Journal
from leadline.campaign.measured import Measured, measured
from leadline.campaign.plan import Cell, Plan
from leadline.campaign.scaling import curves
from leadline.campaign.words import paragraphs, verdict
from leadline.compare.environment import differences
from leadline.statistics import welch
from leadline.statistics.interval import interval
from leadline.statistics.outliers import outliers
from leadline.statistics.paired import paired
from leadline.statistics.ranking import groups

SCHEMA = "leadline.campaign/1"
MUCH_STOLEN = 0.02
MOST_PAIRWISE = 40  # candidates of a comparison of which all pairs are compared; of more, each with the first
APART = {"Ranks", "Program", "Program build", "Arguments", "Recorded with", "Library build", "Library path"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass
class Comparison:
    """The cells of one program, input and number of ranks. ratios: by pair, first by second's place in `of`."""

    of: list[Measured]
    ratios: dict[tuple[int, int], welch.Ratio] = field(default_factory=dict)
    claimed: set[tuple[int, int]] = field(default_factory=set)


def comparisons(found: Sequence[Measured]) -> list[Comparison]:
    """Those with two cells or more that were run twice or more, the fastest first. A difference is claimed if the
    probability of any false claim in the whole campaign is at most 5 % (Holm)."""
    by: dict[tuple[str, str, str, int], list[Measured]] = {}
    for each in found:
        key = each.cell.program.name, each.part, each.cell.input.name, each.cell.ranks
        by.setdefault(key, []).append(each)
    made: list[Comparison] = []
    for group in by.values():
        ordered = sorted((each for each in group if each.times), key=lambda each: each.median_s or 0.0)
        if len(ordered) > 1:
            made.append(Comparison(ordered))
    asked: list[tuple[Comparison, tuple[int, int], float]] = []
    for comparison in made:
        n = len(comparison.of)
        base = 0 if n > MOST_PAIRWISE else None
        for a, b in itertools.combinations(range(n), 2):
            one, other = comparison.of[a].times, comparison.of[b].times
            if (base is None or a == base) and min(len(one), len(other)) > 1:
                ratio = welch.of_repeats(one, other)
                if ratio is not None:
                    comparison.ratios[a, b] = ratio
                    asked.append((comparison, (a, b), ratio.p))
    for (comparison, pair, _), rejected in zip(asked, welch.holm([p for _, _, p in asked]), strict=True):
        if rejected:
            comparison.claimed.add(pair)
    return made


def document(plan: Plan, cells: Sequence[Cell], journal: Journal) -> dict[str, Any]:
    """Everything that is shown, as JSON has it."""
    found = measured(cells, journal, parts=True)
    made = comparisons(found)
    planned = plan.repeats * sum(len(cell.program.recording.ways) for cell in cells)
    rows = [row for each in found if not each.part for row in each.rows]
    failed = [row for row in rows if not row["ok"]]
    ids = {cell.id for cell in cells}
    others = sum(cell_id not in ids for cell_id, _, _ in journal.rows)
    content: dict[str, Any] = {
        "schema": SCHEMA,
        "name": plan.name,
        "repeats": plan.repeats,
        "runs": {"planned": planned, "finished": len(rows), "failed": len(failed)},
        "notes": _notes(found, others),
        "environments": _environments(found, journal),
        "cells": [],
        "comparisons": [_comparison(each) for each in made],
        "scaling": curves(found),
    }
    places = {
        (each.cell.id, each.part): (comparison, place)
        for comparison in made
        for place, each in enumerate(comparison.of)
    }
    letters = {
        id_: word
        for comparison, of in zip(made, content["comparisons"], strict=True)
        for id_, word in zip(((each.cell.id, each.part) for each in comparison.of), of["groups"], strict=True)
    }
    keys = [(each.cell.id, each.part) for each in found]
    content["cells"] = [
        _cell(each, places.get(key), letters.get(key, "")) for key, each in zip(keys, found, strict=True)
    ]
    content["paragraphs"] = paragraphs(content)
    content["verdict"] = verdict(content)
    return content


def _notes(found: Sequence[Measured], others: int) -> list[str]:
    whole = dict.fromkeys(each.cell.program.name for each in found if not each.cell.program.time)
    busy = max((row.get("stolen") or 0.0 for each in found for row in each.rows), default=0.0)
    notes = [f"{others} runs of cells that the file no longer has are omitted"] if others else []
    notes += (
        [f"times of {', '.join(whole)} include the launcher and MPI_Init: no time pattern is given"] if whole else []
    )
    notes += [f"the hypervisor took up to {100 * busy:.0f} % of the time of a run"] if busy > MUCH_STOLEN else []
    return notes


def _cell(each: Measured, at: tuple[Comparison, int] | None, group: str) -> dict[str, Any]:
    middle = interval([[value] for value in each.times])
    far = iter(outliers(each.times))
    runs = []
    for row in each.rows:
        counts = each.counts(row)
        runs.append(
            {
                "repeat": row["repeat"],
                "recorded": row["recorded"],
                "time_s": row["time_s"],
                "outlier": next(far) if counts else False,
                "counts": counts,
                "reason": str(row.get("reason", "")),
                "stolen": row.get("stolen"),
                "load": row.get("load"),
                "environment": row.get("environment"),
            }
        )
    return {
        **each.cell.names,
        "part": each.part,
        "id": each.cell.id,
        "candidate": each.cell.candidate,
        "n": len(each.times),
        "failed": each.failed,
        "reason": next((run["reason"] for run in runs if run["reason"]), ""),
        **(middle.as_dict() if middle is not None else {"median": None, "low": None, "high": None}),
        "outliers": sum(run["outlier"] for run in runs),
        "to_best": _to_best(at),
        "group": group,
        "overhead": _overhead(each),
        "settings": _settings(each),
        "runs": runs,
    }


def _to_best(at: tuple[Comparison, int] | None) -> dict[str, Any] | None:
    """The time relative to that of the fastest."""
    if at is None or at[1] == 0:
        return None
    comparison, place = at
    return _ratio(comparison, (0, place))


def _ratio(comparison: Comparison, pair: tuple[int, int]) -> dict[str, Any] | None:
    ratio = comparison.ratios.get(pair)
    if ratio is None:
        return None
    claimed = pair in comparison.claimed
    return {"value": ratio.value, "low": ratio.low, "high": ratio.high, "p": ratio.p, "claimed": claimed}


def _overhead(each: Measured) -> dict[str, float | None] | None:
    """Recorded by not recorded, repeat by repeat, where both were run."""
    by: Mapping[bool, dict[int, float]] = {True: {}, False: {}}
    for row in each.rows:
        if row["ok"] and row["time_s"]:
            by[row["recorded"]][row["repeat"]] = row["time_s"]
    both = sorted(by[True].keys() & by[False].keys())
    ratio = paired([by[True][number] for number in both], [by[False][number] for number in both])
    return ratio.interval() if ratio is not None else None


def _settings(each: Measured) -> dict[str, str]:
    """Whether the ranks had each variable, in the last run that says so."""
    for row in reversed(each.rows):
        if isinstance(row.get("settings"), dict):
            return {str(name): str(value) for name, value in row["settings"].items()}
    return {}


def _comparison(each: Comparison) -> dict[str, Any]:
    sets = groups(len(each.of), sorted(each.claimed))
    words = ["".join(_letter(i) for i, members in enumerate(sets) if place in members) for place in range(len(each.of))]
    cell = each.of[0].cell
    return {
        "program": cell.program.name,
        "part": each.of[0].part,
        "input": cell.input.name,
        "ranks": cell.ranks,
        "ranking": [one.cell.candidate for one in each.of],
        "medians": [one.median_s for one in each.of],
        "n": [len(one.times) for one in each.of],
        "groups": words,
        "best": [p for p in range(len(each.of)) if p == 0 or (0, p) not in each.claimed],
        "to_best": [None, *(_ratio(each, (0, place)) for place in range(1, len(each.of)))],
        "claims": len(each.claimed),
        "pairs": len(each.ratios),
    }


def _letter(number: int) -> str:
    return LETTERS[number] if number < len(LETTERS) else f"({number + 1})"


def _environments(found: Sequence[Measured], journal: Journal) -> dict[str, Any]:
    """What differs between the candidates, besides their settings; listed before any figure."""
    by: dict[str, dict[str, dict[str, str | None]]] = {}
    recorded = any(row["recorded"] and row["ok"] for each in found for row in each.rows)  # those know more
    for each in found:
        for row in each.rows:
            facts = journal.environments.get(str(row.get("environment")))
            if facts is not None and row["ok"] and row["recorded"] == recorded:
                by.setdefault(each.cell.candidate, {})[str(row["environment"])] = facts
    known = {
        name: [{title: value for title, value in facts.items() if title not in APART} for facts in of.values()]
        for name, of in by.items()
    }
    differing = differences([*known.values()]) if known else []
    return {
        "candidates": [*known],
        "differences": [{"title": each.title, "values": list(each.values)} for each in differing],
        "alike": {
            title: value
            for title, value in (next(iter(known.values()))[0] if known else {}).items()
            if value and title not in {each.title for each in differing}
        },
    }
