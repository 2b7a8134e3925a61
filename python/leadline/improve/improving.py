"""The whole way: record, choose candidates, prove that they take effect, search, write what helps."""

from __future__ import annotations

import os
import platform
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.errors import LeadlineError, MeasurementFailed, MissingPrerequisite, UsageError
from leadline.figures.run import Run, open_run
from leadline.improve import file
from leadline.improve.candidates import Asked, NotTried, candidates
from leadline.improve.facts import facts_of, openmp_of
from leadline.improve.kept import Kept
from leadline.improve.measuring_alone import measure_alone
from leadline.improve.places import NoPlaces, Places, places_of
from leadline.improve.proof import why_without_effect
from leadline.improve.replayed import most_saved
from leadline.improve.results import Results
from leadline.improve.search import COMBINING, TOGETHER, Search, Stage, interval_of
from leadline.improve.setting import Setting, count_option
from leadline.improve.step import Measured, measured, recorded
from leadline.improve.stopping import UntilIterations
from leadline.improve.trials import SETTINGS, Trials
from leadline.improve.wanted import Wanted
from leadline.improve.why import Change, changes
from leadline.launch.executable import inspect
from leadline.launch.program import program_word
from leadline.launchers import OTHER
from leadline.placing.traffic import Traffic, traffic_of
from leadline.runs.execute import execute
from leadline.runs.interruption import Interruption, interruption
from leadline.runs.launch import Launch
from leadline.statistics.sequential import CONFIRMING, FEWEST_TO_DROP, gain_of
from leadline.text import format as fmt
from leadline.tuning.probing import TIME_LIMIT_S, Subject, ask, subject

RECORD, BETTER = "record", "better"
HOME = "home"  # beside the files of settings: empty
ROUNDS_COUNTED_ON = 4  # of the race, for each candidate: most are dropped after three
FEW, ROUNDS_AT_LEAST = 3, 2  # so many candidates get fewer rounds, if there is no time for more
PART_TO_REPLAY = 20  # of the time that is left
BETWEEN = 1.1  # launches that one costs, with its recording read and its settings written
PART_TO_PROVE = 3  # of the time that is left
LEAST_TO_PROVE_S, LAUNCHES_TO_PROVE = 15.0, 5  # a proof's limit: as long as so many launches
WITHOUT_TIME = "no time"  # how the next two begin
NO_TIME_TO_PROVE = "no time to see whether it takes effect: {} for that"
NO_TIME = "no time: {} launches of {} fit into what --for leaves"


@dataclass
class Improved:
    """What came of it.   base_s: the unchanged program's typical time; base_spread: half of the launches differ from it
    by more than this share.   why_over: why the search ended early; "" if it did not.
    phases, changes: why it is faster with what helps, by phase and by call.   with_s: the typical time in fresh
    launches, with it."""

    measured: Measured
    settings: dict[str, Setting]
    not_tried: list[NotTried]
    search: Search
    launches: int
    wall_s: float
    base_s: float | None
    base_spread: float | None = None
    why_over: str = ""
    not_comparable: tuple[Path, ...] = ()
    interruption: Interruption = field(default_factory=Interruption)
    phases: list[Change] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    with_s: float | None = None

    @property
    def chosen(self) -> list[Setting]:
        """The settings that were proven to help together; [] if nothing was."""
        return [self.settings[name] for name in self.search.chosen] if self.search.confirmed else []


class _Improving:
    def __init__(self, wanted: Wanted, say: Callable[[str], None], progress: Callable[[str], None]) -> None:
        self.wanted = wanted
        self.say = say
        self.progress = progress
        self.end = time.monotonic() + wanted.for_s
        self.about = _subject(wanted)
        self.kept = Kept(wanted.directory, wanted.command, wanted.same)

    @property
    def left_s(self) -> float:
        return max(self.end - time.monotonic(), 0.0)

    def plan(self) -> dict[str, Any]:
        """What is tried, and what is not: made once, and kept."""
        if self.kept.plan:
            return self.kept.plan
        run, wall_s, ended_s = self._recorded()
        only, ended = self.wanted.only_iterations, ended_s is not None
        what = self._energy_of(run) or measured(run, self.wanted.pattern, iterations_wanted=only, ended=ended)
        launcher = self.about.launcher.kind if self.about.launcher is not None else OTHER
        counts = count_option(self.wanted.launched, self.wanted.environ)
        library, environ = self.about.library, self.wanted.environ
        kept = library.settings_file(environ) if library is not None else None
        options, ideal = self._set_options(), self._ideal()
        facts = facts_of(run, library, launcher, environ, options, counts, self._openmp(), kept, ideal)

        def tuned(operations: list[str]) -> Any:
            folder = self.wanted.directory / RECORD
            return measure_alone(operations, folder, self.about, self.left_s / 4, self.progress)

        def places() -> tuple[Places, Traffic, str]:
            self.progress("where do the ranks run?")
            found = places_of(self.wanted.launched, self.wanted.environ)
            return found, _traffic(run, len(found.host_of)), self.about.launcher.version if self.about.launcher else ""

        def defaults(names: Sequence[str]) -> Mapping[str, str | None]:
            """In a home without files of settings."""
            self.progress("what does the library do without your file of settings?")
            home = self.wanted.directory / SETTINGS / HOME
            home.mkdir(parents=True, exist_ok=True)
            return ask(subject(self.wanted.launched, {**environ, "HOME": str(home)}), {}, controls=names).controls

        wanted = self.wanted
        asked = Asked(self.about.file, wanted.reorder, wanted.only, tuned, wanted.ranks, places, defaults)
        found, not_tried = candidates(facts, asked)
        chosen = self._proven(found, facts.ranks, wall_s, not_tried)
        plan = {
            "measured": what.value,
            "ranks": facts.ranks,
            "record_wall_s": wall_s,
            "ended_s": ended_s,
            "settings": [file.as_data(setting) for setting in chosen],
            "not_tried": [[each.what, each.why] for each in not_tried],
        }
        self.kept.keep_plan(plan)
        return plan

    def _ideal(self) -> float | None:
        self.progress("replaying the record: what could messages and collectives save?")
        return most_saved(self.wanted.directory / RECORD, self.wanted.environ, self.left_s / PART_TO_REPLAY)

    def _energy_of(self, run: Run) -> Measured | None:
        hosts = {process.host for process in run.processes}
        if self.wanted.meter is not None and len(hosts) > 1:
            raise UsageError(
                f"--goal energy: the ranks are on {len(hosts)} hosts, and only this one's counters are read"
            )
        return None if self.wanted.meter is None else Measured.ENERGY

    def _openmp(self) -> str:
        word = program_word(self.wanted.launched, self.about.launcher)
        program = None if word is None else inspect(word, self.wanted.environ.get("PATH"))
        return "" if program is None else openmp_of(program.libraries)

    def _set_options(self) -> list[tuple[str, ...]]:
        launcher = self.about.launcher
        return [] if launcher is None else launcher.kind.settings_in(self.wanted.launched[launcher.index + 1 :])

    def _recorded(self) -> tuple[Run, float, float | None]:
        """The run, how long it took, and when it was ended, if it was, because it had done enough."""
        directory = self.wanted.directory / RECORD
        shutil.rmtree(directory, ignore_errors=True)
        self.progress("recording the unchanged program")
        enough = None if self.wanted.stop_after is None else UntilIterations(directory, self.wanted.stop_after)
        launch = Launch("recording", recorded(self.wanted.launched, directory), self.wanted.environ, enough=enough)
        outcome = execute(launch)
        if not outcome.ok:
            raise MeasurementFailed(f"the unchanged program: {outcome.explained}")
        return open_run(directory), outcome.wall_s, enough.reached_s if enough is not None else None

    def _proven(self, found: Sequence[Setting], ranks: int, wall_s: float, not_tried: list[NotTried]) -> list[Setting]:
        """Those that take effect here, as many as there is time for; those that could save most come first."""
        folder = self.wanted.directory / SETTINGS
        folder.mkdir(exist_ok=True)
        able: list[Setting] = []
        limits: dict[frozenset[str], str] = {}  # of eagerness that have no effect, by their variables
        most_s = self.left_s / PART_TO_PROVE
        enough_left_s = self.left_s - most_s
        for setting in found:
            if self.left_s < enough_left_s and len(able) >= FEW:
                not_tried.append(NotTried(setting.what, NO_TIME_TO_PROVE.format(fmt.seconds(most_s))))
                continue
            launches = int(self.left_s / max(wall_s, 1e-3))
            if len(able) >= affordable(launches):
                not_tried.append(NotTried(setting.what, NO_TIME.format(launches, fmt.seconds(wall_s))))
                continue
            why = limits.get(frozenset(setting.variables), "") if _limits(setting) else ""
            if not why:
                self.progress(f"does it take effect? {setting.what}")
                try:
                    limit_s = min(max(LEAST_TO_PROVE_S, LAUNCHES_TO_PROVE * wall_s), TIME_LIMIT_S)
                    command, environ = self.wanted.launched, self.wanted.environ
                    why = why_without_effect(setting, command, environ, ranks, folder, limit_s)
                except LeadlineError as error:
                    why = str(error)
            if why and _limits(setting):
                limits[frozenset(setting.variables)] = why
            if why:
                not_tried.append(NotTried(setting.what, f"no effect here: {why}"))
            else:
                able.append(setting)
        return able

    def search(self, plan: Mapping[str, Any]) -> Improved:
        settings = {each["name"]: file.from_data(each, "search.json") for each in plan["settings"]}

        def weight(name: str) -> int:
            return settings[name].weight

        search = Search(list(settings), lambda one, other: settings[one].goes_with(settings[other]), weight)
        what = Measured(plan["measured"])
        results = Results(self.wanted.compared)
        trials = Trials(
            self.wanted.launched,
            self.wanted.environ,
            settings,
            what,
            self.wanted.pattern,
            self.kept,
            results,
            self.progress,
            longest_s=float(plan["record_wall_s"]),
            ended_s=plan.get("ended_s"),
            meter=self.wanted.meter,
        )
        trials.read_outputs()
        not_tried = [NotTried(*each) for each in plan["not_tried"]]
        improved = Improved(what, settings, not_tried, search, 0, 0.0, None)
        if not settings and any(each.why.startswith(WITHOUT_TIME) for each in not_tried):
            improved.why_over = "--for left no time to try anything"
        while search.wanted():
            if search.stage is Stage.RACE and self._is_late(search, self._launch_s(trials)):
                improved.why_over = "--for left no time to decide all candidates"
                if not search.narrow():
                    search.end_race()
                continue
            if search.stage is Stage.COMBINE and self._is_late(search, self._launch_s(trials)):
                improved.why_over = "--for left no time to combine what won"
                search.end_combining()
                continue
            finished = trials.round(search, self.left_s)
            improved.interruption = finished.interruption
            if finished.not_begun:
                improved.why_over = "interrupted" if finished.interrupted else "the time of --for was over"
                break
        if improved.chosen:
            improved.phases, improved.changes = self._changes(trials, search)
        improved.launches, improved.wall_s = self.kept.launches, self.kept.wall_s
        improved.not_comparable = tuple(results.not_comparable())
        improved.base_s, improved.base_spread = self.kept.unchanged()
        improved.with_s = self.kept.typical(Stage.CONFIRM, TOGETHER.join(search.chosen))
        return improved

    def _changes(self, trials: Trials, search: Search) -> tuple[list[Change], list[Change]]:
        """Recorded once more, with what helps."""
        directory = self.wanted.directory / BETTER
        if not directory.is_dir() or not (directory / "run.json").is_file():
            self.progress("recording the program with what helps")
            if not execute(trials.record_with(TOGETHER.join(search.chosen), directory)).ok:
                shutil.rmtree(directory, ignore_errors=True)
        return changes(self.wanted.directory / RECORD, directory)

    def _launch_s(self, trials: Trials) -> float:
        """What a launch takes with what comes between two; before any, the first one's time."""
        return BETWEEN * self.kept.launch_s or trials.longest_s

    def _is_late(self, search: Search, launch_s: float) -> bool:
        """Whether the race up to its next look, or combining, leaves too little for what comes after it. What is kept
        costs nothing.

        At first, a round is waited for: many candidates are dropped after three.
        """
        if all(self.kept.has(search.stage, search.round, name) for name in search.wanted()):
            return False
        race = len(search.wanted()) * (search.rounds_to_next_look() if search.round >= FEWEST_TO_DROP else 1)
        race = race if search.stage is Stage.RACE else len(search.wanted()) * (COMBINING - search.round)
        return self.left_s < launch_s * (race + search.rounds_left_at_least())


def _traffic(run: Run, ranks: int) -> Traffic:
    """Raises NoPlaces if the record does not have the ranks that start."""
    if len(run.worlds) != 1 or not len(run.worlds[0].processes) == run.ranks == ranks:
        raise NoPlaces("the job has several MPI_COMM_WORLD, or ranks that were not recorded")
    return traffic_of(run, {process: rank for rank, process in run.worlds[0].processes.items()})


def _limits(setting: Setting) -> bool:
    """Whether it is a limit of eagerness, of which one without effect tells of the others."""
    return setting.sent is not None and setting.sent.eager_limit is not None


def affordable(launches: int) -> int:
    """How many candidates so many launches are enough for, with those that confirm."""
    racing = launches - 2 * CONFIRMING[0][0]
    return max(racing // ROUNDS_COUNTED_ON - 1, min(FEW, racing // ROUNDS_AT_LEAST - 1), 0)


def _subject(wanted: Wanted) -> Subject:
    try:
        return subject(wanted.launched, wanted.environ)
    except MissingPrerequisite as error:
        raise MissingPrerequisite(
            f"nothing can be tried: {error}", hint="name launcher and program: leadline improve -- mpiexec -n 4 ./app"
        ) from None


def improve(wanted: Wanted, say: Callable[[str], None], progress: Callable[[str], None]) -> Improved:
    """Improve a program. Raises UsageError, MissingPrerequisite, CannotStart, MeasurementFailed.

    A signal that asks this process to end ends the search; what it measured is kept in the directory.
    """
    with interruption():
        improving = _Improving(wanted, say, progress)
        plan = improving.plan()
        improved = improving.search(plan)
        if improved.chosen:
            path = wanted.directory / file.NAME
            file.write(path, improved.chosen, _evidence(wanted, improving.about, plan, improved))
    return improved


def _evidence(wanted: Wanted, about: Subject, plan: Mapping[str, Any], improved: Improved) -> dict[str, Any]:
    search = improved.search
    low, high = interval_of(search.fresh) or (None, None)
    return {
        "machine": f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores, {os.uname().nodename}",
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "library": about.library.name if about.library is not None else "",
        "libmpi": str(about.file),
        "command": list(wanted.command),
        "ranks": plan["ranks"],
        "measured": improved.measured.value,
        "unchanged_s": improved.base_s,
        "with_s": improved.with_s,
        "ended": plan.get("ended_s") is not None,
        "gain": gain_of(search.fresh),
        "low": low,
        "high": high,
        "fresh_launches": len(search.fresh),
    }
