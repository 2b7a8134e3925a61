"""The launches of a search: the program with some settings, by turns, each round measured once and kept."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline.errors import MeasurementFailed, UsageError
from leadline.improve.energy import Meter
from leadline.improve.kept import Kept
from leadline.improve.results import PATIENCE, Results
from leadline.improve.search import BASE, TOGETHER, Search, Stage
from leadline.improve.setting import RANKS, Setting, command_with, laid_out, variables_of
from leadline.improve.step import FEWEST, LIGHT, Measured, recorded, seconds_of
from leadline.improve.stopping import UntilIterations
from leadline.libraries.rule import Table
from leadline.runs.launch import Launch
from leadline.runs.order import Order, Turn, turns
from leadline.runs.outcome import Outcome
from leadline.runs.runner import Done, Finished, Runner
from leadline.tuning.applying import Outcome as Applied
from leadline.tuning.protocol import LONGEST
from leadline.tuning.shim import judge_reports, library_of_all_nodes, words_with_shim, write_for_shim
from leadline.tuning.table import told_as

SETTINGS, TRIAL, OUTPUTS = "settings", "trial", "outputs"
RUN = f"run-{os.getpid()}"  # the launch of a search that was killed may still record into its own
KEPT_OUTPUTS = 5
ALWAYS = (3.0, 5.0)  # a launch has so many seconds more than so many times the longest unchanged one
PART_OF_LEFT = 20
SHOWN = {Stage.RACE: "race", Stage.COMBINE: "combinations", Stage.CONFIRM: "fresh launches"}


@dataclass
class Trials:
    """command: the user's.   settings: the candidates, by name.   longest_s: of the unchanged program, so far.
    ended_s: after which a launch is ended, because it has done enough; None: none is.   meter: of energy, if that is
    measured."""

    command: Sequence[str]
    environ: Mapping[str, str]
    settings: Mapping[str, Setting]
    what: Measured
    pattern: str | None
    kept: Kept
    results: Results
    progress: Callable[[str], None]
    longest_s: float = 0.0
    ended_s: float | None = None
    meter: Meter | None = None
    _counters: dict[Path, int] = field(default_factory=dict)
    _left_s: float = 0.0
    _outputs: dict[str, tuple[str, list[str]]] = field(default_factory=dict)

    def round(self, search: Search, left_s: float) -> Finished[str]:
        """Run what the search wants next and give it the times, unless the launches came to an end before.

        Raises MeasurementFailed if the unchanged program fails.
        """
        self._outputs.clear()
        self._left_s = left_s
        stage, number, wanted = search.stage, search.round, search.wanted()
        places = turns(wanted, 1, Order.SHUFFLED, seed=1000 * list(Stage).index(stage) + number)

        # Half a round of an earlier session is run again: ratios are of launches that were next to each other.
        is_kept = all(self.kept.has(stage, number, name) for name in wanted)

        def launch_of(turn: Turn[str]) -> Launch | None:
            return None if is_kept else self._launch(turn.candidate)

        def take(done: Done[str]) -> None:
            self._take(stage, number, done)

        def show(text: str) -> None:
            self.progress(f"{SHOWN[stage]}, round {number + 1}: {text}")

        finished = Runner(show, left_s).run(places, launch_of, take)
        if not finished.not_begun:
            self._compare(stage, number)
            search.take({name: self.kept.seconds(stage, number, name) for name in wanted})
            for name, standing in search.standings.items():
                standing.why = standing.why or self.kept.why_failed(name)
        return finished

    def record_with(self, name: str, directory: Path) -> Launch:
        """A launch that records the program with these settings, as it was recorded first."""
        shutil.rmtree(directory, ignore_errors=True)
        words, environ = self._prepared(name)
        limit_s = LONGEST[0] + LONGEST[1] * self.longest_s
        return Launch(name, recorded(words, directory), environ, limit_s=limit_s, enough=self._enough(directory))

    def _launch(self, name: str) -> Launch:
        words, environ = self._prepared(name)
        limit_s = None if name == BASE else longest_trial_s(self.longest_s, self._left_s)
        argv = tuple(words)
        directory = self.kept.directory / TRIAL / RUN
        if self.what is Measured.ITERATION:
            argv, environ = recorded(words, directory), {**environ, **LIGHT}
        if self.meter is not None:
            self._counters = self.meter.now()
        return Launch(name, argv, environ, limit_s=limit_s, enough=self._enough(directory))

    def _enough(self, directory: Path) -> Callable[[float], bool] | None:
        """Ended when the first recording was; later if it has too few iterations by then."""
        return None if self.ended_s is None else UntilIterations(directory, FEWEST, self.ended_s)

    def _prepared(self, name: str) -> tuple[list[str], dict[str, str]]:
        folder = self.kept.directory / TRIAL
        shutil.rmtree(folder, ignore_errors=True)
        chosen = [self.settings[each] for each in name.split(TOGETHER)] if name != BASE else []
        chosen = [laid_out(setting, self.kept.directory / SETTINGS) for setting in chosen]
        variables = variables_of(chosen, self.kept.directory / SETTINGS)
        words, environ = command_with(self.command, self.environ, chosen, variables)
        if table := _table_of(chosen):
            reports = folder / "shim"
            reports.mkdir(parents=True)
            write_for_shim(reports, table)
            library = library_of_all_nodes(self.command)
            words, environ = words_with_shim(words, environ, reports, library, told_as("improve", table))
        return words, environ

    def _take(self, stage: Stage, number: int, done: Done[str]) -> None:
        name, outcome = done.turn.candidate, done.outcome
        folder = self.kept.directory / TRIAL
        joules = None if self.meter is None else self.meter.joules_since(self._counters)
        seconds, why = None, "" if outcome.ok else outcome.explained
        if outcome.ok:
            seconds, why = self._seconds_of(name, outcome, folder)
            seconds = seconds if joules is None else joules or None
        self.kept.add(stage, number, name, None if why else seconds, wall_s=outcome.wall_s, at=time.time(), why=why)
        if name == BASE:
            if why:
                raise MeasurementFailed(f"the unchanged program: {why}")
            self.longest_s = max(self.longest_s, outcome.wall_s)
            if self.ended_s is None:
                self._add_unchanged(outcome.output)
        elif not why and not any(self.settings[each].kind == RANKS for each in name.split(TOGETHER)):
            self._outputs[name] = outcome.output, self.results.digests()
        shutil.rmtree(folder, ignore_errors=True)

    def _seconds_of(self, name: str, outcome: Outcome, folder: Path) -> tuple[float | None, str]:
        """Its time, and why it does not count. Raises UsageError if --time finds nothing in the unchanged output."""
        try:
            seconds = seconds_of(outcome, self.what, self.pattern, folder / RUN, ended=self.ended_s is not None)
        except UsageError as error:
            if name == BASE:
                raise
            return None, str(error)
        return seconds, self._why_not_served(name, folder) or ("" if seconds else "its recording shows no time")

    def _why_not_served(self, name: str, folder: Path) -> str:
        """Why the shim served none of the calls; "" if it did, or had nothing to do."""
        table = _table_of([self.settings[each] for each in name.split(TOGETHER)] if name != BASE else [])
        if table is None:
            return ""
        found = Applied("shim")
        judge_reports(table, folder / "shim", found)
        return "" if found.applied else "; ".join(dict.fromkeys(each["why"] for each in found.not_applied))

    def read_outputs(self) -> None:
        """Of unchanged runs in earlier sessions. The digests of files were not kept: they are compared from here on."""
        if not self.results.files:
            for path in sorted((self.kept.directory / OUTPUTS).glob("*")):
                self.results.add_unchanged(path.read_text(errors="replace"), ())

    def _add_unchanged(self, output: str) -> None:
        self.results.add_unchanged(output, self.results.digests())
        folder = self.kept.directory / OUTPUTS
        folder.mkdir(exist_ok=True)
        number = len(list(folder.iterdir()))
        if number < KEPT_OUTPUTS:
            (folder / str(number)).write_text(output)

    def _compare(self, stage: Stage, number: int) -> None:
        """What was doubted in the race had time to be explained; what is chosen must not differ at all."""
        patience = 0 if stage is Stage.CONFIRM else PATIENCE
        for name, (output, digests) in self._outputs.items():
            if why := self.results.difference(name, output, digests, patience=patience):
                self.kept.add(stage, number, name, None, why=why)


def longest_trial_s(unchanged_s: float, left_s: float) -> float:
    """Seconds after which a launch with a setting has failed: one that hangs leaves time for the others.

    unchanged_s: of the longest unchanged launch.   left_s: for everything, when the round began.
    """
    return min(LONGEST[0] + LONGEST[1] * unchanged_s, max(ALWAYS[0] + ALWAYS[1] * unchanged_s, left_s / PART_OF_LEFT))


def _table_of(settings: Sequence[Setting]) -> Table | None:
    return next((setting.table for setting in settings if setting.by_shim), None)
