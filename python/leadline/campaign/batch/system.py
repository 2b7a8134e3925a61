"""Batch systems: the commands by which a job is submitted, asked for and ended, and what they answer."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import MeasurementFailed
from leadline.launchers.variables import batch_variables

QUERY_S = 30.0  # between two queries of this user's campaigns, however many there are
COMMAND_S = 120.0


@dataclass(frozen=True)
class System:
    """submit: words before the options; {name}, {log}, {clock} and {minutes} are filled in.   state: finds the state in
    what the query prints.   over: states of jobs that ended.   unknown: what the query says of a job that it no longer
    knows.
    """

    name: str
    submit: tuple[str, ...]
    query: tuple[str, ...]
    cancel: tuple[str, ...]
    state: re.Pattern[str]
    over: frozenset[str]
    unknown: re.Pattern[str]

    @property
    def variable(self) -> str:
        """A job's id in its environment."""
        return batch_variables()[self.name].id

    def submitted(self, script: Path, log: Path, limit_s: float, options: Sequence[str]) -> str:
        """The job's id. Raises MeasurementFailed."""
        limit = int(limit_s)
        clock = f"{limit // 3600:02}:{limit // 60 % 60:02}:{limit % 60:02}"
        filled = {"name": "leadline", "log": str(log), "clock": clock, "minutes": str(-(-limit // 60))}
        words = [word.format(**filled) for word in self.submit]
        done = _done([*words, *options, str(script)])
        found = done.stdout.split()
        if done.returncode != 0 or not found:
            said = " ".join((done.stderr or done.stdout).split())[:300]
            raise MeasurementFailed(f"{words[0]} took no job: {said or f'exit code {done.returncode}'}")
        return found[-1].partition(";")[0]

    def is_over(self, job: str) -> bool:
        """False also if the system does not answer."""
        done = _done([*self.query, job])
        if self.unknown.search(done.stderr + done.stdout):
            return True
        found = self.state.findall(done.stdout)
        return done.returncode == 0 and (found[-1] in self.over if found else not done.stdout.strip())

    def end(self, job: str) -> None:
        _done([*self.cancel, job])


SYSTEMS = {
    each.name: each
    for each in (
        System(
            "pbs",
            ("qsub", "-N", "{name}", "-j", "oe", "-o", "{log}", "-l", "walltime={clock}"),
            ("qstat",),
            ("qdel",),
            re.compile(r"^\S+\s+\S+\s+\S+\s+\S+\s+([A-Z])\s+\S+\s*$", re.MULTILINE),
            frozenset("CFX"),
            re.compile(r"Unknown Job|has finished", re.IGNORECASE),
        ),
        System(
            "slurm",
            ("sbatch", "--parsable", "--job-name={name}", "--output={log}", "--time={minutes}"),
            ("squeue", "--noheader", "--format=%T", "--jobs"),
            ("scancel",),
            re.compile(r"^\s*([A-Z_]+)\s*$", re.MULTILINE),
            frozenset({"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED"}),
            re.compile(r"Invalid job id", re.IGNORECASE),
        ),
    )
}


def may_ask(stamp: Path) -> bool:
    """Whether the last query of any campaign that shares this file was so long ago; then this one is noted."""
    stamp.parent.mkdir(parents=True, exist_ok=True)
    with stamp.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text, now = file.read(), time.time()
        if text and 0 <= now - float(text) < QUERY_S:
            return False
        file.truncate(0)
        file.write(str(now))
        return True


def _done(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    # A job outlives what waits for it: the words by which a launch's processes are found and ended are not for it.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("LEADLINE_")}
    try:
        return subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=environ,
            timeout=COMMAND_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(list(words), 127, "", str(error))
