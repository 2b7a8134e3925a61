"""The study of OPATM-BFM on this machine: every form at two numbers of ranks, in turn, then the number of segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline import workloads
from leadline.errors import MeasurementFailed
from leadline.mpi import Library
from leadline.runs.interruption import Interruption
from leadline.runs.launch import Launch
from leadline.runs.order import Turn, turns
from leadline.runs.runner import Done, Runner
from leadline.studies.files import Files, prepare, remove_output
from leadline.studies.forms import Form, forms, with_segments
from leadline.studies.samples import Sample, recorded, sample

TIMEOUT_S = 1800.0

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """ranks: two numbers, ascending.   segments: numbers to try at the first of them.   directory: for the runs.

    grid, program: its options, as words.
    """

    ranks: tuple[int, int]
    segments: tuple[int, ...]
    rounds: int
    grid: tuple[str, ...]
    program: tuple[str, ...]
    library: Library
    directory: Path


@dataclass
class Study:
    """samples: in the order of the measurement; one for each form, number of ranks and round.

    rounds: that are complete.   interruption: the signal that ended it before there were as many as planned, if any.
    """

    plan: Plan
    files: Files
    forms: tuple[Form, ...]
    samples: list[Sample] = field(default_factory=list)
    rounds: int = 0
    interruption: Interruption = field(default_factory=Interruption)

    def of(self, form: str, ranks: int) -> list[Sample]:
        return [sample for sample in self.samples if (sample.form, sample.ranks) == (form, ranks)]


@dataclass(frozen=True)
class Job:
    form: Form
    ranks: int


def measure(plan: Plan, progress: Progress) -> Study:
    """Raises MeasurementFailed if a run fails, or if a form's result differs from the others'.

    A signal that asks this process to end ends the runs; the rounds that are complete are returned. If there are none,
    this process ends.
    """
    workload = workloads.find("opatm")
    executable = str(workloads.build(workload, plan.library))
    progress("creating the input")
    files = prepare(plan.directory / "files", executable, plan.library, plan.grid)
    study = Study(plan, files, forms(files.ways))
    jobs = [Job(form, ranks) for ranks in plan.ranks for form in study.forms]
    jobs += [Job(with_segments(n), plan.ranks[0]) for n in plan.segments if n != 1]

    def words(job: Job) -> tuple[str, ...]:
        options = (*plan.grid, *plan.program, *files.options, *job.form.options)
        return (*plan.library.launch(job.ranks), executable, *options)

    def directory(turn: Turn[Job]) -> Path:
        return plan.directory / f"{turn.candidate.form.id}-{turn.candidate.ranks}-{turn.round + 1}"

    def launch_of(turn: Turn[Job]) -> Launch:
        job = turn.candidate
        argv = recorded(words(job), directory(turn))
        return Launch(f"{job.form.title}, {job.ranks} ranks", argv, plan.library.env(), limit_s=TIMEOUT_S)

    def take(done: Done[Job]) -> None:
        job = done.turn.candidate
        study.samples.append(sample(job.form.id, job.ranks, words(job), done.outcome, directory(done.turn), files))

    finished = Runner(progress).run(turns(jobs, plan.rounds), launch_of, take)
    remove_output(files)
    study.rounds = finished.complete_rounds()
    if not study.rounds:
        finished.interruption.end_if_any()
    study.samples = study.samples[: study.rounds * len(jobs)]
    study.interruption = finished.interruption
    _same_results(study.samples)
    return study


def _same_results(samples: Sequence[Sample]) -> None:
    first = samples[0]
    for each in samples:
        if each.checksum != first.checksum:
            raise MeasurementFailed(
                f"{each.directory.name} and {first.directory.name} differ: checksum {each.checksum}, "
                f"vs {first.checksum}"
            )
