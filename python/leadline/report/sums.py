"""Whether a report's figures add up: where they do not, Leadline is wrong, not the program. Tests of reports look at
every one that they make."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from leadline.figures.time_parts import LOST
from leadline.findings import share_lost

PARTS_OF_PHASE = ("computation_s", "mpi_s", "io_s")
PARTS_OF_RANK = (*PARTS_OF_PHASE, "own_between_s")
PERCENT = re.compile(r"([\d,.]+) %")
ROUNDING = 1e-6
OF_CAUSES = 1.05  # uneven computation is measured in computation, what is lost in MPI and files
TIMES_ARE_KEPT = {
    *("bytes-unknown", "vectors-dropped", "parameters-coarse", "requests-unknown", "path-unknown"),
    *("clocks-not-compared", "clock-drift-unknown", "local-callers-merged", "not-crash-safe", "regions-merged"),
}
"""Losses after which all calls and their times are still in the traces."""
OF_PHASES = 1e-2  # calls to local functions are in no phase
TOO_SHORT_S = 0.1  # of all ranks: calls to local functions, and what two ways of looking at waits differ by, weigh more


def contradictions(data: dict[str, Any]) -> list[str]:
    """What does not add up in the JSON object of a report."""
    whole_s = data["time_s"]
    if data["ended_at_start"]:
        return []  # there is no time yet
    return [
        *_unequal("all parts of the time", (part["time_s"] for part in data["time_parts"]), whole_s),
        *_unequal("all ranks", (rank["time_s"] for rank in data["ranks_detail"]), whole_s),
        *(
            text
            for rank in data["ranks_detail"]
            for text in _unequal(f"rank {rank['rank']}", (rank[part] for part in PARTS_OF_RANK), rank["time_s"])
        ),
        # Of what is missing in traces, the phase is unknown.
        *([] if _lacks_calls(data) else _of_phases(data)),
        *_of_findings(data),
    ]


def _lacks_calls(data: dict[str, Any]) -> bool:
    lost = {loss["code"] for loss in data["losses"]}
    return bool(lost - TIMES_ARE_KEPT or data["paused"] or not data["complete"])


def _of_phases(data: dict[str, Any]) -> Iterator[str]:
    """All phases and Leadline's own time are the whole; none is longer than what it is a part of."""
    phases = data["phases"]
    if data["time_s"] - data["startup_s"] < TOO_SHORT_S:
        return
    outermost = [phase["time_s"] for phase in phases if phase["parent"] is None]
    if outermost:
        base_s = data["time_s"] - data["startup_s"]
        yield from _unequal("all phases", [*outermost, data["own_between_s"]], base_s, OF_PHASES)
    for phase in phases:
        yield from _unequal(f"phase {phase['name']}", (phase[part] for part in PARTS_OF_PHASE), phase["time_s"])
        around = phases[phase["parent"]] if phase["parent"] is not None else phase
        if _exceeds(phase["time_s"], around["time_s"]):
            yield f"{phase['name']} takes {phase['time_s']:g} s of {around['time_s']:g} s of {around['name']}"


def _of_findings(data: dict[str, Any]) -> Iterator[str]:
    """Findings cost no more than what is lost, and no part of anything is more than all of it."""
    is_short = data["time_s"] - data["startup_s"] < TOO_SHORT_S
    lost_s = sum(part["time_s"] for part in data["time_parts"] if part["kind"] in LOST)
    cost_s = sum(finding["cost_s"] or 0.0 for finding in data["findings"])
    if not is_short and _exceeds(cost_s, lost_s * OF_CAUSES):
        yield f"findings cost {cost_s:g} s of {lost_s:g} s that are not computation"
    for finding in data["findings"]:
        share = share_lost(finding["id"], finding["evidence"])
        if _exceeds(share, 1.0):
            yield f"{finding['id']} costs {share:g} times what it is a part of"
    for text in (data["verdict"], *(finding["text"] for finding in data["findings"])):
        if any(float(number.replace(",", "")) > 100 for number in PERCENT.findall(text)):
            yield f'more than all: "{text}"'


def _unequal(what: str, parts: Iterable[float], whole: float, but: float = ROUNDING) -> Iterator[str]:
    found = sum(parts)
    if not math.isclose(found, whole, rel_tol=but, abs_tol=1e-9):
        yield f"{what}: {found:.9g} s of {whole:.9g} s"


def _exceeds(part: float, whole: float) -> bool:
    return part > whole * (1 + ROUNDING) + 1e-9
