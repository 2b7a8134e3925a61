"""What a search kept, measured once more in another session: whether the gain holds in the machine's state of then.

Base and settings run by turns, in launches that no search had a part in, and the test of signs that confirmed the gain
decides again. Each session has a folder of its own in that of the search: again/1, again/2, ...
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.errors import UsageError
from leadline.improve import file
from leadline.improve.applied import proven
from leadline.improve.candidates import NotTried
from leadline.improve.kept import Kept, finished
from leadline.improve.results import Results
from leadline.improve.search import Search, interval_of
from leadline.improve.setting import Setting
from leadline.improve.step import Measured
from leadline.improve.telling import told_range
from leadline.improve.trials import SETTINGS, Trials
from leadline.improve.wanted import Wanted
from leadline.runs.interruption import Interruption, interruption
from leadline.statistics.sequential import gain_of
from leadline.text import format as fmt

AGAIN, RESULT = "again", "result.json"
SCHEMA = 1


@dataclass
class Again:
    """evidence: of the search, as improve.toml has it.   settings: that were measured.   left_out: that have no effect
    any more.   ratios: time unchanged / time with them, by round.   holds: None if that was not decided.
    why_over: why not."""

    evidence: dict[str, Any]
    settings: list[Setting]
    left_out: list[NotTried]
    ratios: list[float] = field(default_factory=list)
    holds: bool | None = None
    unchanged_s: float | None = None
    launches: int = 0
    wall_s: float = 0.0
    why_over: str = ""
    interruption: Interruption = field(default_factory=Interruption)

    def lines(self) -> list[str]:
        evidence = self.evidence
        before = told_range(evidence["gain"], evidence.get("low"), evidence.get("high"))
        out = [f"{self._verdict()} When it was found ({evidence.get('date', 'unknown')}): {before}."]
        out += [f"  {setting.name}: {setting.what}" for setting in self.settings]
        out += [f"Not measured: {each.what}: {each.why}" for each in self.left_out]
        times = f"{fmt.plural(self.launches, 'launch', 'launches')} in {fmt.seconds(self.wall_s)}"
        return [*out, f"Measured: {evidence['measured']}; {times}."]

    def _verdict(self) -> str:
        if not self.settings:
            return "Nothing was measured: no setting takes effect any more."
        if not self.ratios:
            return f"Nothing was measured: {self.why_over}."
        low, high = interval_of(self.ratios) or (None, None)
        figures = (
            f"{told_range(gain_of(self.ratios), low, high)}, in {fmt.plural(len(self.ratios), 'pair')} of launches"
        )
        if self.holds is None:
            return f"Not decided: {self.why_over}; so far {figures}."
        return f"The gain {'holds' if self.holds else 'does not hold'}: {figures}."

    def as_dict(self) -> dict[str, Any]:
        low, high = interval_of(self.ratios) or (None, None)
        return {
            "schema": SCHEMA,
            "holds": self.holds,
            "gain": gain_of(self.ratios) if self.ratios else None,
            "low": low,
            "high": high,
            "ratios": self.ratios,
            "found": {name: self.evidence.get(name) for name in ("gain", "low", "high", "date")},
            "settings": [setting.name for setting in self.settings],
            "left_out": [vars(each) for each in self.left_out],
            "unchanged_s": self.unchanged_s,
            "launches": self.launches,
            "wall_s": self.wall_s,
            "why_over": self.why_over,
            "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        }


def measure_again(wanted: Wanted, progress: Callable[[str], None]) -> Again:
    """Measure what the search of wanted.directory kept. Raises UsageError, CannotStart, MeasurementFailed."""
    end = time.monotonic() + wanted.for_s
    path = wanted.directory / file.NAME
    if not path.is_file():
        raise UsageError(f"{wanted.directory}: nothing was proven to help there, so there is nothing to measure again")
    settings, evidence = file.read(path)
    if not isinstance(evidence.get("gain"), float) or evidence.get("measured") not in [each.value for each in Measured]:
        raise UsageError(f"{path}: [evidence] does not say what was gained, or how it was measured")
    before = finished(wanted.directory)
    folder = _new_folder(wanted.directory / AGAIN)
    found = Again(evidence, [], [])
    with interruption():
        for setting in settings:
            progress(f"does it take effect? {setting.what}")
            (folder / SETTINGS).mkdir(exist_ok=True)
            placed, why = proven(setting, wanted.launched, wanted.environ, before.ranks, folder / SETTINGS)
            if why:
                found.left_out.append(NotTried(setting.what, f"no effect here: {why}"))
            else:
                found.settings.append(placed)
        search = Search.confirming([setting.name for setting in found.settings])
        kept = Kept(folder / "launches", wanted.command, wanted.same)
        kept.keep_plan({**before.plan, "settings": [file.as_data(setting) for setting in found.settings]})
        trials = Trials(
            wanted.launched,
            wanted.environ,
            {setting.name: setting for setting in found.settings},
            Measured(before.measured),
            wanted.pattern,
            kept,
            Results(wanted.compared),
            progress,
            longest_s=before.record_wall_s,
            ended_s=before.ended_s,
            meter=wanted.meter,
        )
        while search.wanted():
            ended = trials.round(search, max(end - time.monotonic(), 0.0))
            found.interruption = ended.interruption
            if ended.not_begun:
                found.why_over = "interrupted" if ended.interrupted else "the time of --for was over"
                break
    found.ratios, found.holds = search.fresh, search.confirmed
    found.unchanged_s, _ = kept.unchanged()
    found.launches, found.wall_s = kept.launches, kept.wall_s
    (folder / RESULT).write_text(json.dumps(found.as_dict(), indent=1) + "\n")
    return found


def _new_folder(beside: Path) -> Path:
    """The first of 1, 2, ... that is not there, made; with a folder for launches."""
    beside.mkdir(exist_ok=True)
    number = 1 + max((int(each.name) for each in beside.iterdir() if each.name.isdigit()), default=0)
    folder = beside / str(number)
    (folder / "launches").mkdir(parents=True)
    return folder
