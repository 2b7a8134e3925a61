"""Compiles the test program with the library of packed exchanges, as a user would, and runs it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import kept_builds
import pytest
from recorder.running import Outcome, run_mpi

from leadline.compiled_in import sources
from leadline.errors import LeadlineError
from leadline.mpi import Library, find

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "programs" / "segments.c"


def library(name: str) -> Library:
    for candidate in (name, f"debian-{name}"):
        try:
            return find(candidate)
        except LeadlineError:
            continue
    pytest.skip(f"the MPI library {name} is not installed")


def built(chosen: Library, *options: str, program: Path = PROGRAM) -> Path:
    folder = sources("segments")
    words = [
        str(chosen.mpicc),
        "-O2",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-stringop-overflow",
        *options,
        f"-I{folder}",
        str(program),
    ]
    words += map(str, sorted(folder.glob("[a-z]*.c")))
    name = "-".join([program.stem, chosen.name, *(option.strip("-").partition("=")[0] for option in options[:1])])
    return compiled(name, words, chosen, [program, *sorted(folder.glob("*.[chf]*"))])


def compiled(name: str, words: Sequence[str], chosen: Library, files: Sequence[Path], cwd: Path | None = None) -> Path:
    """What the command makes of these files."""

    def compile_to(target: Path) -> None:
        command = [*words, "-o", str(target)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=200, env=chosen.env(), cwd=cwd
        )
        assert done.returncode == 0, done.stderr

    return kept_builds.kept(name, [*words, kept_builds.identity(chosen), *files], compile_to)


def run(
    name: str,
    ranks: int,
    words: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    program: Path = PROGRAM,
) -> Outcome:
    chosen = library(name)
    return run_mpi(
        chosen, ranks, [built(chosen, program=program), *words], cwd=cwd, environment=environment, timeout_s=100
    )
