"""One recorded run of opatm, and what the study takes from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.errors import MeasurementFailed, UsageError
from leadline.isolated import module_command
from leadline.runs.outcome import Outcome
from leadline.studies.files import Files, reason

ROUTINES = ("trcadv", "trchdf", "trcnxt", "trcwri")
SUMMARY = re.compile(
    r"opatm: .*, (?P<steps>\d+) steps?: (?P<total>[\d.]+) s \((?P<phases>.*?)\),.*checksum (?P<checksum>[0-9a-f]+)"
)
CLOCK = re.compile(r"([a-z ]+) ([\d.]+) s")
LOOP = ("advection", "diffusion", "reaction", "update")
INPUT = ("setup", "input")
USAGE = 2


@dataclass(frozen=True)
class Sample:
    """One run. clock_s: the program's own, of the rank that took longest: input, loop, output.

    mpi_s: in MPI, mean of the ranks, of the same phases.   routine_s: in MPI, mean of the ranks, by routine.
    messages: of all ranks, by routine.   steps: of the main loop, as the program says.   reading_s: the part of
    `input` in which files are read.   read_bytes, written_bytes: of the study's files, by all ranks.
    """

    form: str
    ranks: int
    directory: Path
    checksum: str
    clock_s: Mapping[str, float]
    mpi_s: Mapping[str, float]
    routine_s: Mapping[str, float]
    messages: Mapping[str, int]
    steps: int
    reading_s: float
    read_bytes: int
    written_bytes: int

    @property
    def total_s(self) -> float:
        return sum(self.clock_s.values())


def recorded(words: Sequence[str], directory: Path) -> tuple[str, ...]:
    """The command that records `words` into the directory."""
    return (*module_command("leadline", "record", "--quiet", "--output", str(directory), "--"), *words)


def sample(form: str, ranks: int, words: Sequence[str], outcome: Outcome, directory: Path, files: Files) -> Sample:
    """Of a recorded run of `words`. Raises MeasurementFailed, or UsageError if the program refused."""
    if not outcome.ok:
        message = f"{' '.join(words)}: {outcome.reason}: {reason(outcome)}"
        raise UsageError(message) if outcome.exit_code == USAGE else MeasurementFailed(message)
    found = SUMMARY.search(outcome.output)
    if found is None:
        raise MeasurementFailed(f"{' '.join(words)} printed no times")
    clocks = {name.strip(): float(seconds) for name, seconds in CLOCK.findall(found["phases"])}
    return _read(form, ranks, directory, files, found, clocks)


def _read(
    form: str, ranks: int, directory: Path, files: Files, said: re.Match[str], clocks: Mapping[str, float]
) -> Sample:
    from leadline.figures.run import open_run
    from leadline.report import to_json

    report: Any = to_json(open_run(directory))
    touched = report["io"]["files"] if report["io"] else []
    routines = {row["routine"]: row for row in report["routines"]}
    phases = [phase for phase in report["phases"] if phase["parent"] is None]
    mpi = {kind: sum(phase["mpi_s"] for phase in phases if phase["kind"] == kind) / ranks for kind in ("init", "loop")}
    routine_s = {name: routines[name]["time_s"] / ranks if name in routines else 0.0 for name in ROUTINES}
    return Sample(
        form=form,
        ranks=ranks,
        directory=directory,
        checksum=said["checksum"],
        clock_s={
            "input": sum(clocks.get(name, 0.0) for name in INPUT),
            "loop": sum(clocks.get(name, 0.0) for name in LOOP),
            "output": clocks.get("output", 0.0),
        },
        mpi_s={
            "input": mpi["init"],
            "loop": max(0.0, mpi["loop"] - routine_s["trcwri"]),
            "output": routine_s["trcwri"],
        },
        routine_s=routine_s,
        messages={name: routines[name]["messages"] if name in routines else 0 for name in ROUTINES},
        steps=int(said["steps"]),
        reading_s=clocks.get("input", 0.0),
        read_bytes=sum(file["bytes_read"] for file in touched if Path(file["file"]).parent == files.input),
        written_bytes=sum(file["bytes_written"] for file in touched if Path(file["file"]) == files.output),
    )
