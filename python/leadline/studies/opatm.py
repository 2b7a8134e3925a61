"""The study of OPATM-BFM on this machine: every form at two numbers of ranks, in turn, then the number of segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline import workloads
from leadline.errors import MeasurementFailed
from leadline.mpi import Library
from leadline.studies.files import Files, prepare, remove_output
from leadline.studies.forms import Form, forms, with_segments
from leadline.studies.samples import Sample, take

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
    """samples: in the order of the measurement; one for each form, number of ranks and round."""

    plan: Plan
    files: Files
    forms: tuple[Form, ...]
    samples: list[Sample] = field(default_factory=list)

    def of(self, form: str, ranks: int) -> list[Sample]:
        return [sample for sample in self.samples if (sample.form, sample.ranks) == (form, ranks)]


def measure(plan: Plan, progress: Progress) -> Study:
    """Raises MeasurementFailed if a run fails, or if a form's result differs from the others'."""
    workload = workloads.find("opatm")
    executable = str(workloads.build(workload, plan.library))
    progress("making the input")
    files = prepare(plan.directory / "files", executable, plan.library, plan.grid)
    study = Study(plan, files, forms(files.ways))
    jobs = [(form, ranks) for ranks in plan.ranks for form in study.forms]
    jobs += [(with_segments(n), plan.ranks[0]) for n in plan.segments if n != 1]
    for turn in range(plan.rounds):
        # Each round begins at another place, so that no form always follows the same one.
        shift = turn * len(jobs) // plan.rounds
        for at, (form, ranks) in enumerate([*jobs[shift:], *jobs[:shift]], 1):
            progress(f"round {turn + 1} of {plan.rounds}, run {at} of {len(jobs)}: {form.title}, {ranks} ranks")
            study.samples.append(_run(study, executable, form, ranks, turn))
    remove_output(files)
    _same_results(study.samples)
    return study


def _run(study: Study, executable: str, form: Form, ranks: int, turn: int) -> Sample:
    plan = study.plan
    words = (*plan.library.launch(ranks), executable, *plan.grid, *plan.program, *study.files.options, *form.options)
    directory = plan.directory / f"{form.id}-{ranks}-{turn + 1}"
    return take(form.id, ranks, words, plan.library.env(), directory, study.files, TIMEOUT_S)


def _same_results(samples: Sequence[Sample]) -> None:
    first = samples[0]
    for sample in samples:
        if sample.checksum != first.checksum:
            raise MeasurementFailed(
                f"{sample.directory.name} has another result than {first.directory.name}: checksum {sample.checksum}, "
                f"not {first.checksum}"
            )


__all__ = ["Plan", "Study", "measure"]
