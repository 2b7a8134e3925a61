"""Goes through the runs of a campaign, with those of one number of ranks interleaved, and keeps each when it ends."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from leadline import run_directory
from leadline.campaign import conditions, leftovers
from leadline.campaign.batch.jobs import Jobs
from leadline.campaign.effects import Effects, of_binding
from leadline.campaign.journal import Journal, Key, Row
from leadline.campaign.machines.elsewhere import Elsewhere, described, library_there
from leadline.campaign.machines.machine import located
from leadline.campaign.plan import Cell, Plan
from leadline.campaign.programs import Programs, Start
from leadline.compare.environment import environment_of
from leadline.errors import LeadlineError
from leadline.figures.run import open_run
from leadline.isolated import module_command
from leadline.mpi import Library
from leadline.runs.launch import Launch
from leadline.runs.order import Turn, turns
from leadline.runs.outcome import Outcome
from leadline.runs.runner import Done, Finished, Runner

Facts = Mapping[str, str | None]
RUNS = "runs"
COLLECTING_S = 120.0  # beside a run's own limit: to gather traces and to write its report
# The variables that the recorder keeps of each rank (src/recorder/process/tool_variables.cpp), without rare ones.
KEPT = (
    *("MPIR_CVAR_", "MPIR_PARAM_", "MPICH_", "I_MPI_", "FI_PROVIDER", "UCX_", "OMPI_MCA_pml", "OMPI_MCA_btl"),
    *("OMPI_MCA_mtl", "OMPI_MCA_coll", "OMPI_MCA_osc", "OMPI_MCA_io", "OMPI_MCA_mpi_", "OMPI_MCA_fcoll"),
)
NOT_SEEN, SEEN, OTHER, UNKNOWN = "not seen by the ranks", "seen by the ranks", "another value", "not recorded"


@dataclass(frozen=True)
class Job:
    """A cell, recorded or not: what the rounds interleave."""

    cell: Cell
    recorded: bool


def jobs_of(plan: Plan, cells: list[Cell]) -> list[Turn[Job]]:
    """All runs, those with few ranks first. Every round has each cell of that number of ranks once."""
    found: list[Turn[Job]] = []
    for ranks in sorted({cell.ranks for cell in cells}):
        group = [Job(c, way) for c in cells if c.ranks == ranks for way in c.program.recording.ways]
        found += turns(group, plan.repeats)
    return found


def key_of(turn: Turn[Job]) -> Key:
    return turn.candidate.cell.id, turn.round, turn.candidate.recorded


def run_name(cell_id: str, repeat: int, recorded: bool) -> str:
    return f"{cell_id}-{repeat + 1}{'' if recorded else '-plain'}"


@dataclass
class Execution:
    """before: is told of each run before it begins, with the number of those that are finished."""

    plan: Plan
    journal: Journal
    token: str
    say: Callable[[str], None]
    before: Callable[[Turn[Job]], None] = lambda _: None
    retry_failed: bool = False
    _busy: conditions.Busy = field(default_factory=conditions.Busy.now)

    def __post_init__(self) -> None:
        self.directory = self.journal.directory
        self.programs = Programs(self.directory, self.say)
        self._effects = Effects()
        self._jobs = Jobs(self.plan.batch, self.directory) if self.plan.batch is not None else None
        self._elsewhere = Elsewhere(self.directory, self.token, self.programs, self.say)

    def run(self, cells: list[Cell], total_limit_s: float | None = None) -> Finished[Job]:
        (self.directory / RUNS).mkdir(exist_ok=True)
        try:
            finished = Runner(total_limit_s=total_limit_s).run(jobs_of(self.plan, cells), self._launch, self._take)
        finally:
            if self._jobs is not None:
                self._jobs.close()
        if not finished.not_begun:
            self._elsewhere.clear(self._marked(os.environ))
        return finished

    def _marked(self, env: Mapping[str, str]) -> dict[str, str]:
        return {**env, leftovers.VARIABLE: self.token}

    def is_done(self, key: Key) -> bool:
        row = self.journal.rows.get(key)
        return row is not None and (row["ok"] or not self.retry_failed)

    def _launch(self, turn: Turn[Job]) -> Launch | None:
        """None: it is finished, or cannot be started, which is a row, too."""
        if self.is_done(key_of(turn)):
            return None
        if turn.candidate.cell.machine is not None:
            return self._launch_elsewhere(turn)
        job = turn.candidate
        start = self.programs.start(job.cell)
        library = self.programs.library(job.cell.library)
        if start.why_not or isinstance(library, str):
            self.journal.add({**self._row(turn), "reason": start.why_not or str(library)})
            return None
        self.before(turn)
        if self._jobs is None:
            self._effects.of(library, job.cell.setting, start.words)  # asked before the run, not beside it
        launch = self._of(job, start, library)
        if job.recorded:
            directory = self._place(turn)
            if self._jobs is None:
                shutil.rmtree(directory, ignore_errors=True)  # of a run that was interrupted
            command = ("run", "--quiet", "--output", str(directory), "--", *launch.argv)
            limit = None if launch.limit_s is None else launch.limit_s + COLLECTING_S
            launch = replace(launch, argv=tuple(module_command("leadline", *command)), limit_s=limit)
        self._busy = conditions.Busy.now()
        if self._jobs is not None:
            fresh = self._place(turn) if job.recorded else None
            return self._jobs.launch(launch, self._name_there(turn), job.cell.ranks, fresh)
        return launch

    def _launch_elsewhere(self, turn: Turn[Job]) -> Launch | None:
        self.before(turn)
        job, env = turn.candidate, self._marked(os.environ)
        try:
            library = self._library(job.cell)
            launch = self._elsewhere.launch(
                job.cell, self._name_there(turn), recorded=job.recorded, env=env, library=library
            )
        except (LeadlineError, OSError) as error:
            launch = str(error)
        if isinstance(launch, str):
            self.journal.add({**self._row(turn), "reason": launch})
            return None
        return launch

    def _library(self, cell: Cell) -> Library:
        """Of a cell that was started."""
        if cell.machine is not None:
            return library_there(cell.machine, located(cell.library, [cell.machine])[1])
        library = self.programs.library(cell.library)
        assert isinstance(library, Library)
        return library

    def _name_there(self, turn: Turn[Job]) -> str:
        """What came back of an earlier attempt that is a row already does not count again."""
        row = self.journal.rows.get(key_of(turn))
        return run_name(*key_of(turn)) + (f"-{row.get('begin_unix_ns', 0)}" if row else "")

    def _of(self, job: Job, start: Start, library: Library) -> Launch:
        cell = job.cell
        env = library.env() | dict(start.environment) | dict(cell.setting.environment)
        env = self._marked(env)
        launcher = [
            word.format(ranks=cell.ranks, hosts="localhost") for word in cell.setting.launcher
        ] or library.launch(cell.ranks)
        words = (*launcher, *cell.setting.options, *start.words, *cell.input.arguments)
        return Launch(cell.label, words, env, start.directory, cell.program.timeout_s)

    def _place(self, turn: Turn[Job]) -> Path:
        return self.directory / RUNS / run_name(*key_of(turn))

    def _row(self, turn: Turn[Job]) -> Row:
        cell, repeat, recorded = key_of(turn)
        return {
            "cell": cell,
            "names": turn.candidate.cell.names,
            "repeat": repeat,
            "recorded": recorded,
            "ok": False,
            "reason": "",
            "time_s": None,
            "wall_s": 0.0,
        }

    def _take(self, done: Done[Job]) -> None:
        job, outcome = done.turn.candidate, done.outcome
        cell, place = job.cell, self._place(done.turn)
        told: dict[str, str] = {}
        now = conditions.Busy.now()
        if cell.machine is not None:
            name = self._name_there(done.turn)
            outcome, told = self._elsewhere.outcome(outcome, cell, name, place if job.recorded else None)
        here: dict[str, Any] = {"load": self._busy.load, "stolen": now.stolen_since(self._busy)}
        host: Facts = conditions.of_host()
        if cell.machine is None and self._jobs is not None:
            outcome, here, host = self._jobs.outcome(outcome, self._name_there(done.turn), cell.ranks)
        row = self._row(done.turn) | {name: value for name, value in outcome.row().items() if name != "label"}
        if cell.machine is None:
            row |= here
            row["wall_s"] = (_recorded_s(place) if job.recorded else None) or row["wall_s"]
        else:
            row |= {name: number for name in ("load", "stolen") if (number := _number(told.get(name))) is not None}
        time_s, why = _time(cell.program.time, outcome, row["wall_s"]) if outcome.ok else (None, outcome.reason)
        row |= {"ok": time_s is not None, "time_s": time_s, "reason": why}
        row["parts"] = {name: _time(pattern, outcome, 0.0)[0] for name, pattern in cell.program.parts}
        row |= self._conditions(job, row, place, told, host)
        self.journal.add(row)

    def _conditions(self, job: Job, row: Row, place: Path, told: Mapping[str, str], host: Facts) -> Row:
        """What the run ran on, and what became of its settings.   told: by another machine.   host: facts
        of it, here or in a job."""
        library, wanted = self._library(job.cell), dict(job.cell.setting.environment)
        elsewhere = job.cell.machine is not None
        facts = described(told, library, wanted) if elsewhere else {**conditions.facts(library, wanted), **host}
        settings: dict[str, str] = {}
        if job.recorded and row["ok"]:
            seen = _seen(place)
            if seen is not None:
                facts = {**({"Host": told.get("Host")} if elsewhere else host), **seen}
                settings = {name: took_effect(value, name, seen) for name, value in wanted.items()}
                settings |= of_binding(library, wanted, seen)
        if not elsewhere and self._jobs is None:
            settings |= self._effects.of(library, job.cell.setting, ())
        return {**({"settings": settings} if settings else {}), "environment": self.journal.environment(facts)}


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def took_effect(value: str, name: str, seen: dict[str, str | None]) -> str:
    """Whether the ranks had the variable, as far as the recorder keeps such variables."""
    found = seen.get(name)
    if found is None:
        return NOT_SEEN if _is_kept(name) else UNKNOWN
    return SEEN if found == value else f"{OTHER}: {found}"


def _is_kept(name: str) -> bool:
    return name.startswith(KEPT)


def _recorded_s(directory: Path) -> float | None:
    """The launcher's time without ours, as the run's description has it."""
    found: Any = run_directory.read_description(directory).get("duration_s")
    return float(found) if found else None


def _seen(directory: Path) -> dict[str, str | None] | None:
    try:
        return environment_of(open_run(directory))
    except LeadlineError:
        return None


def _time(pattern: str, outcome: Outcome, wall_s: float) -> tuple[float | None, str]:
    if not pattern:
        return wall_s, ""
    found = list(re.finditer(pattern, f"{outcome.output}\n{outcome.errors}"))
    if not found:
        return None, "no time in its output"
    text = found[-1].group(1) or ""
    try:
        return float(text), ""
    except ValueError:
        return None, f"no number in the time in its output: {text[:40]!r}"
