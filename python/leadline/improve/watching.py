"""Whether a run with what was kept is still as fast as it was when it was measured: `leadline apply --watch`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.improve.step import Measured, recorded_s
from leadline.text import format as fmt


@dataclass(frozen=True)
class Watched:
    """seconds: of this run.   with_s, unchanged_s: as they were measured.   why_not: why nothing is compared."""

    measured: str
    seconds: float | None = None
    with_s: float | None = None
    unchanged_s: float | None = None
    why_not: str = ""

    @property
    def shows_gain(self) -> bool | None:
        """Whether its time is nearer to the one with the settings than to the unchanged one; None if unknown."""
        if self.why_not or not self.seconds or not self.with_s or not self.unchanged_s:
            return None
        return self.seconds < math.sqrt(self.with_s * self.unchanged_s)

    def as_dict(self) -> dict[str, Any]:
        return {**vars(self), "shows_gain": self.shows_gain, "told": self.told()}

    def told(self) -> str:
        if self.shows_gain is None:
            return f"the gain was not looked for: {self.why_not or 'times are missing'}"
        times = (
            f"{self.measured} took {fmt.seconds(self.seconds or 0)}; when it was measured, "
            f"{fmt.seconds(self.with_s or 0)} with the settings and {fmt.seconds(self.unchanged_s or 0)} without"
        )
        if self.shows_gain:
            return f"the gain is there: {times}"
        return f"the gain is gone: {times}. Measure again: leadline improve in a new directory"


def records(evidence: Mapping[str, Any]) -> bool:
    """Whether a run has to be recorded to be compared."""
    return evidence.get("measured") == Measured.ITERATION.value


def why_not_watched(evidence: Mapping[str, Any], command: list[str]) -> str:
    """Why this command cannot be compared with what was measured; "" if it can."""
    if evidence.get("measured") == Measured.PRINTED.value:
        return "it was measured by what the program prints (--time)"
    if evidence.get("measured") == Measured.ENERGY.value:
        return "it was measured by its energy (--goal energy)"
    if not evidence.get("with_s") or not evidence.get("unchanged_s"):
        return "the file has no times: an older version wrote it"
    if evidence.get("command") != command:
        return f"another command was measured: {' '.join(map(str, evidence.get('command') or []))}"
    return ""


def watched(evidence: Mapping[str, Any], command: list[str], wall_s: float, directory: Path) -> Watched:
    """What a run of the command shows.   directory: of its recording, if records() asks for one."""
    measured = str(evidence.get("measured"))
    if why := why_not_watched(evidence, command):
        return Watched(measured, why_not=why)
    seconds = recorded_s(directory, ended=bool(evidence.get("ended"))) if records(evidence) else wall_s
    if seconds is None:
        return Watched(measured, why_not="its recording shows no main loop")
    return Watched(measured, seconds, float(evidence["with_s"]), float(evidence["unchanged_s"]))
