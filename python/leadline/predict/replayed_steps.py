"""An iteration of the main loop as it is replayed, call by call: in the form in which recorded ones are drawn."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.figures.run import Run, Site
from leadline.figures.timeline.reading import IterationTime, StepCalls, groups_of
from leadline.figures.timeline.steps import Step
from leadline.figures.timeline.waiting import CallWait
from leadline.predict.prediction import Change, Replays

LATE = ""  # the replay does not tell why a call waits
NOBODY = -1  # nor for whom


@dataclass(frozen=True)
class ReplayedStep:
    """kind of `step`: "replayed", of the run as recorded, or "predicted"."""

    step: Step
    calls: StepCalls


class ReplayedSteps:
    """Of some ranks.   processes: indices into run.processes, in display order.   sites: that calls are at."""

    def __init__(self, replays: Replays, processes: Sequence[int]) -> None:
        self.run: Run = replays.run
        self.processes = tuple(processes)
        self.sites: list[Site] = [*self.run.sites, *self.run.file_sites]
        self._replays = replays
        self._groups = groups_of(self.run, self.sites)
        self._ranks = {index: rank for rank, index in self.run.worlds[0].processes.items()}

    def of(self, change: Change) -> ReplayedStep | None:
        """None if there is no main loop, or if an iteration of it has too many calls to draw.

        Raises UsageError as Replays.predict() does.
        """
        traced = self._replays.trace(change)
        lanes = [traced[self._ranks[process]] for process in self.processes]
        if not all(calls for _, calls in lanes):
            return None
        took = [calls[-1][3] - start_s for start_s, calls in lanes]
        longest = max(range(len(took)), key=took.__getitem__)
        time = IterationTime(-1, sum(took) / len(took), took[longest], self.processes[longest])
        kind = "replayed" if change == Change(network=change.network) else "predicted"
        return ReplayedStep(Step((kind,), time), self._columns(lanes))

    def _columns(self, lanes: Sequence[tuple[float, list[tuple[int, str, float, float, float]]]]) -> StepCalls:
        kinds: dict[tuple[int, str], int] = {}
        lane, kind, begin, end, gap = array("i"), array("i"), array("d"), array("d"), array("d")
        waits: dict[int, CallWait] = {}
        for number, (start_s, calls) in enumerate(lanes):
            before_s = start_s
            for site, function, begin_s, end_s, waited_s in calls:
                group = self._groups[site] if 0 <= site < len(self._groups) else -1
                if waited_s > 0:
                    waits[len(lane)] = CallWait(LATE, waited_s, NOBODY)
                lane.append(number)
                kind.append(kinds.setdefault((group, function), len(kinds)))
                begin.append(begin_s)
                end.append(end_s)
                gap.append(begin_s - before_s)
                before_s = end_s
        none, unknown = array("q", [-1] * len(lane)), array("d", [float("nan")] * len(lane))
        return StepCalls(
            -1,
            lane=lane,
            kind=kind,
            kinds=list(kinds),
            begin_s=begin,
            end_s=end,
            gap_s=gap,
            polled=bytes(len(lane)),
            completion=none,
            completed_s=unknown,
            sent=none,
            received=none,
            sends=array("q"),
            receives=array("q"),
            unmatched=0,
            waits=waits,
        )
