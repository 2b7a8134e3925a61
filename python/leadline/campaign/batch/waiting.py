"""Beside the campaign: `waiting.py ORDER.json` has a run done by a job, and ends once it is done. If it is told to end,
it ends the job. It is the launch that the campaign's runner knows, so a run in a job ends as any other does."""

from __future__ import annotations

import contextlib
import json
import shlex
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from leadline.campaign.batch import files, system
from leadline.errors import LeadlineError, MeasurementFailed
from leadline.isolated import module_command

MOST_JOBS = 4  # for one run, of which each ends before it begins
SETTLING_S = 5.0  # for files of another host to be seen here
LOOKS_S = (0.05, 1.0)


@dataclass(frozen=True)
class Order:
    """folder: of all jobs.   group: of runs that share a job.   once: each run has its own.   limit_s: of the job.
    task: as the worker takes it.   stamp: of the last query."""

    system: str
    folder: str
    group: str
    name: str
    once: bool
    limit_s: float
    stamp: str
    options: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    task: Mapping[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        return json.dumps(asdict(self))


def main(file: str) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    order = Order(**json.loads(Path(file).read_text()))
    try:
        waited(order)
    except LeadlineError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def result(folder: Path, group: str, name: str) -> Path | None:
    """Of a run that is done."""
    found = [job / f"{name}{files.DONE}" for job in files.of(folder, group)]
    return next((each for each in reversed(found) if each.exists()), None)


def waited(order: Order) -> None:
    """Raises MeasurementFailed if a job ended in the middle of the run, or no job takes it."""
    folder = Path(order.folder)
    for _ in range(MOST_JOBS):
        if result(folder, order.group, order.name) is not None:
            return
        job = _current(order) or _submitted(order)
        try:
            if not any((job / f"{order.name}{each}").exists() for each in (files.TASK, files.TAKEN)):
                files.write(job / f"{order.name}{files.TASK}", order.task)
            _until_over(order, job)
        except (SystemExit, KeyboardInterrupt):
            end(order.system, job)
            raise
        if result(folder, order.group, order.name) is not None:
            return
        if not files.moved(job / f"{order.name}{files.TASK}", job / f"{order.name}{files.BACK}"):
            (job / f"{order.name}{files.TAKEN}").unlink(missing_ok=True)
            raise MeasurementFailed(f"the job {_id(job)} ended in the middle of the run")
    raise MeasurementFailed(f"{MOST_JOBS} jobs ended before the run began; the last says in {job / files.LOG} why")


def _current(order: Order) -> Path | None:
    """A job that may still run. One whose number was never known takes no run."""
    jobs = files.of(Path(order.folder), order.group)
    job = jobs[-1] if jobs else None
    if job is None or (job / files.ENDED).exists() or (job / files.STOP).exists():
        return None
    if not _id(job):
        (job / files.STOP).touch()
        return None
    return job


def _submitted(order: Order) -> Path:
    folder = Path(order.folder)
    jobs = files.of(folder, order.group)
    job = folder / f"{order.group}.{int(jobs[-1].name.rpartition('.')[2]) + 1 if jobs else 1}"
    job.mkdir(parents=True)
    words = module_command(
        "leadline.campaign.batch.worker", str(job), str(order.limit_s), "once" if order.once else "many"
    )
    exports = [f"export {name}={shlex.quote(value)}\n" for name, value in order.environment.items()]
    (job / files.SCRIPT).write_text(f"#!/bin/sh\n{''.join(exports)}exec {shlex.join(words)}\n")
    (job / files.SCRIPT).chmod(0o700)
    try:
        number = system.SYSTEMS[order.system].submitted(
            job / files.SCRIPT, job / files.LOG, order.limit_s, order.options
        )
    except (LeadlineError, SystemExit, KeyboardInterrupt):
        (job / files.STOP).touch()
        raise
    (job / files.ID).write_text(number)
    return job


def _until_over(order: Order, job: Path) -> None:
    """Until the run is done, or the job is over. The scheduler is asked about a job that says nothing."""
    asked, look = time.monotonic(), LOOKS_S[0]
    done = job / f"{order.name}{files.DONE}"
    while not done.exists() and not (job / files.ENDED).exists():
        if time.monotonic() - asked >= system.QUERY_S and system.may_ask(Path(order.stamp)):
            asked = time.monotonic()
            if system.SYSTEMS[order.system].is_over(_id(job)):
                (job / files.ENDED).touch()
                break
        time.sleep(look)
        look = min(look * 1.2, LOOKS_S[1])
    limit = time.monotonic() + SETTLING_S
    while not done.exists() and (job / f"{order.name}{files.TAKEN}").exists() and time.monotonic() < limit:
        time.sleep(LOOKS_S[0])


def _id(job: Path) -> str:
    with contextlib.suppress(OSError):
        return (job / files.ID).read_text().strip()
    return ""


def end(name: str, job: Path) -> None:
    """The job takes no more runs, and is ended."""
    (job / files.STOP).touch()
    if _id(job) and not (job / files.ENDED).exists():
        system.SYSTEMS[name].end(_id(job))
        (job / files.ENDED).touch()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
