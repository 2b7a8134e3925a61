"""Runs tests/programs/hostile.c over the fake MPI library: one process, with the recorder and without."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import kept_builds

from .building import COMPILE_TIMEOUT_S, PROGRAMS
from .running import RUN_TIMEOUT_S, Outcome, run


@dataclass(frozen=True)
class Fake:
    """The program and its MPI library, compiled with some flags.

    preload: libraries that come before the recorder.   environment: what every run gets.
    """

    program: Path
    library: Path
    preload: tuple[Path | str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()

    def run(
        self,
        how: str,
        steps: int,
        *,
        directory: Path,
        recorder: Path | None = None,
        file: Path | None = None,
        environment: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
        timeout_s: float = RUN_TIMEOUT_S,
    ) -> Outcome:
        """`hostile HOW STEPS [FILE]`; with `recorder`, recorded into DIRECTORY/run."""
        words = [*prefix, str(self.program), how, str(steps), *([str(file)] if file else [])]
        preload = list(self.preload)
        variables = {"LD_LIBRARY_PATH": str(self.library.parent), **dict(self.environment)}
        if recorder is not None:
            (directory / "run").mkdir(parents=True, exist_ok=True)
            variables["LEADLINE_DIR"] = str(directory / "run")
            preload.append(recorder)
        if preload:
            variables["LD_PRELOAD"] = ":".join(str(path) for path in preload)
        variables |= environment or {}
        return run(
            ["env", *[f"{name}={value}" for name, value in variables.items()], *words],
            environment={},
            cwd=directory,
            timeout_s=timeout_s,
        )

    def both(
        self,
        how: str,
        steps: int,
        recorder: Path,
        directory: Path,
        *,
        with_file: bool = False,
        prefix: Sequence[str] = (),
    ) -> Outcome:
        """Runs it plain and recorded, and checks that there is no difference. Returns the recorded run."""
        plain_file, recorded_file = (directory / "plain" / "of", directory / "recorded" / "of")
        for file in (plain_file, recorded_file):
            file.parent.mkdir(parents=True, exist_ok=True)
        plain = self.run(how, steps, directory=directory, file=plain_file if with_file else None, prefix=prefix)
        recorded = self.run(
            how,
            steps,
            directory=directory,
            recorder=recorder,
            file=recorded_file if with_file else None,
            prefix=prefix,
        )
        assert (recorded.returncode, recorded.lines) == (plain.returncode, plain.lines), recorded.stderr
        assert files_in(recorded_file.parent) == files_in(plain_file.parent)
        return recorded


def files_in(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def build(flags: Sequence[str] = ()) -> Fake:
    """Compiles both with the flags; needs no MPI."""
    compiler = os.environ.get("CC", "cc")
    common = [compiler, "-std=gnu11", "-O1", "-g", *flags]
    names = ("libmpi.so.12", "hostile")

    def compile_to(directory: Path) -> None:
        library, program = (directory / name for name in names)
        for command in (
            [*common, "-fPIC", "-shared", f"-Wl,-soname,{library.name}", PROGRAMS / "fake_mpi.c", "-o", library],
            [*common, "-DFAKE", "-pthread", PROGRAMS / "hostile.c", "-o", program, library],
        ):
            done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S, check=False)
            assert done.returncode == 0, done.stderr

    parts = [*sorted(PROGRAMS.glob("hostile*")), *sorted(PROGRAMS.glob("fake_mpi*"))]
    place = kept_builds.kept_folder("hostile", [*common, *parts], compile_to)
    library, program = (place / name for name in names)
    return Fake(program, library)
