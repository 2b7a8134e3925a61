"""What leadline predict --ranks prints: the curve of efficiency, and the forms of what was extrapolated."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from leadline.text import format as fmt

MOST_FORMS = 20


def ranks_data(found: Any) -> dict[str, Any]:
    return {
        "ranks": found.curve[-1].ranks,
        "grid": found.grid,
        "curve": [asdict(one) for one in found.curve],
        "bends": found.bends,
        "quantities": [asdict(one) for one in found.quantities],
    }


def ranks_lines(found: Any) -> list[str]:
    lines = [f"extrapolated to {found.curve[-1].ranks:,} ranks, arranged as {found.grid}"]
    for one in found.curve:
        how = "recorded" if one.recorded else f"{fmt.seconds(one.low)} to {fmt.seconds(one.high)}"
        each = f", {fmt.seconds(one.iteration_s)} an iteration" if one.iteration_s else ""
        lines.append(
            f"{one.ranks:>6,} ranks: {fmt.seconds(one.seconds)} ({how}){each}, efficiency {fmt.percent(one.efficiency)}"
        )
    if found.bends is not None:
        lines.append(f"efficiency falls below half at {found.bends:,} ranks")
    forms: dict[tuple[str, str], Any] = {}
    for one in found.quantities:
        forms.setdefault((one.what, one.form), []).append(one)
    for (what, form), several in list(forms.items())[:MOST_FORMS]:
        where = several[0].where + (f" and {len(several) - 1:,} others" if len(several) > 1 else "")
        error = max(one.error for one in several)
        close = f", off by up to {fmt.percent(error)}" if error else ""
        sure = "" if all(one.sure for one in several) else ", not checked: too few numbers of ranks"
        lines.append(f"{what} of {where}: {form}{close}{sure}")
    if len(forms) > MOST_FORMS:
        lines.append(f"and {len(forms) - MOST_FORMS:,} other forms: --json lists all")
    return lines
