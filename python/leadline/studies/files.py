"""The files of the study: an input that all forms read, and an output that each writes over the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import MeasurementFailed, UsageError
from leadline.mpi import Library
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.outcome import Outcome

TINY = ("--grid", "6x4x3", "--tracers", "1", "--steps", "1", "--cost", "light")
USAGE = 2
LIMIT_S = 600.0


@dataclass(frozen=True)
class Files:
    """ways: of reading and writing that this library can do; none: the forms take formulas and write nothing.

    missing: why a way is not among them.
    """

    directory: Path
    ways: tuple[str, ...]
    missing: str

    @property
    def input(self) -> Path:
        return self.directory / "input"

    @property
    def output(self) -> Path:
        return self.directory / "output.nc"

    @property
    def options(self) -> tuple[str, ...]:
        """Of the program, in every form."""
        return ("--input", str(self.input), "--output", str(self.output)) if self.ways else ()

    @property
    def input_bytes(self) -> int:
        return sum(path.stat().st_size for path in self.input.iterdir()) if self.ways else 0


def prepare(directory: Path, executable: str, library: Library, grid: Sequence[str]) -> Files:
    """Makes the input. grid: the option, as words. Raises MeasurementFailed, or UsageError if the program refuses."""
    directory.mkdir()
    files = Files(directory.resolve(), (), "")
    one = (*library.launch(1), executable)
    ways: list[str] = []
    missing = ""
    for way in ("serial", "gathered", "parallel"):
        done = _run((*one, *TINY, "--io", way, "--output", str(files.output)), library)
        if done.ok:
            ways.append(way)
        elif done.exit_code == USAGE:
            missing = reason(done).partition("output.nc: ")[2]
        else:
            raise MeasurementFailed(f"{executable} --io {way}: {done.explained}")
    if ways:
        done = _run((*one, "--make-input", str(files.input), *grid), library)
        if not done.ok:
            message = f"cannot create the input: {reason(done)}"
            raise UsageError(message) if done.exit_code == USAGE else MeasurementFailed(message)
    return Files(files.directory, tuple(ways), missing)


def remove_output(files: Files) -> None:
    files.output.unlink(missing_ok=True)


def reason(done: Outcome) -> str:
    """What the program says of its end, and not what its mpiexec says around it."""
    said = (done.errors or done.output).strip().splitlines()
    of_program = [line for line in said if line.startswith("opatm: ")]
    return (of_program or said or [done.reason])[-1]


def _run(words: tuple[str, ...], library: Library) -> Outcome:
    return execute(Launch("opatm", words, library.env(), limit_s=LIMIT_S))
