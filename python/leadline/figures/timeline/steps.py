"""The iterations that stand for the others: a typical one, the slowest, and one that makes other calls."""

from __future__ import annotations

from dataclasses import dataclass

from leadline import _core
from leadline.figures.timeline.reading import IterationTime, StepTimeline

TYPICAL, SLOWEST, OUTPUT, FILES, OTHER, CHOSEN = "typical", "slowest", "output", "files", "other_calls", "chosen"


@dataclass(frozen=True)
class Step:
    """kinds: one or more of the words above."""

    kinds: tuple[str, ...]
    time: IterationTime

    @property
    def number(self) -> int:
        return self.time.number


def representative_steps(timeline: StepTimeline, also: IterationTime | None = None) -> list[Step]:
    """First `also`, which the user chose.

    Typical: its mean over the ranks is nearest the median of the run. Slowest: of the kept ones, the one that took
    longest on any rank. Output: of those that call at sites where the typical one does not, one that writes files, else
    one with other file I/O, else one with the most such sites. One iteration may be several of these.
    """
    if not timeline.times:
        return []
    chosen: dict[int, list[str]] = {}
    by_number = {time.number: time for time in timeline.times}
    if also is not None:
        chosen[also.number] = [CHOSEN]
    chosen.setdefault(typical_of(timeline).number, []).append(TYPICAL)
    chosen.setdefault(slowest_of(timeline).number, []).append(SLOWEST)
    if besides := _with_other_calls(timeline, typical_of(timeline).number):
        number, kind = besides
        chosen.setdefault(number, []).append(kind)
    return [Step(tuple(kinds), by_number[number]) for number, kinds in chosen.items()]


def find(timeline: StepTimeline, which: int | str) -> IterationTime | None:
    """The kept iteration of that number, "typical" or "slowest"; None if there is none."""
    if timeline.times and which in (TYPICAL, SLOWEST):
        return typical_of(timeline) if which == TYPICAL else slowest_of(timeline)
    return next((time for time in timeline.times if time.number == which), None)


def typical_of(timeline: StepTimeline) -> IterationTime:
    median = median_s(timeline)
    return min(timeline.times, key=lambda time: (abs(time.mean_s - median), time.number))


def slowest_of(timeline: StepTimeline) -> IterationTime:
    return max(timeline.times, key=lambda time: (time.longest_s, -time.number))


def median_s(timeline: StepTimeline) -> float:
    """Of the means of all iterations of the run, as far as they are known; else of those whose calls were kept."""
    parts = sorted((entry.mean_ns * 1e-9, entry.timed) for entry in timeline.found.strip)
    half = sum(count for _, count in parts) / 2
    for mean_s, count in parts:
        half -= count
        if half <= 0:
            return mean_s
    return sorted(time.mean_s for time in timeline.times)[len(timeline.times) // 2]


def _with_other_calls(timeline: StepTimeline, typical: int) -> tuple[int, str] | None:
    best: tuple[tuple[int, int, int, int], str] | None = None
    classes = {function.name: function.cls for function in timeline.run.profile.functions}
    for number, sites in timeline.sites_besides(typical).items():
        names = [timeline.sites[site].function for site in sites]
        writing = sum(_writes(name, classes[name]) for name in names)
        filing = sum(_on_files(classes[name]) for name in names)
        rating = (writing, filing, len(names), -number)
        if best is None or rating > best[0]:
            best = rating, OUTPUT if writing else FILES if filing else OTHER
    return None if best is None else (-best[0][3], best[1])


def _on_files(cls: str) -> bool:
    return _core.CALL_CLASSES[cls].category == "io"


def _writes(function: str, cls: str) -> bool:
    return "writes" in _core.CALL_CLASSES[cls].moves or (_on_files(cls) and "write" in function)
