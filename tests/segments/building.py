"""Compiles the test program with the library of packed exchanges, as a user would, and runs it."""

from __future__ import annotations

import subprocess
import tempfile
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


STRICT = ("-O2", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overflow")


def built(chosen: Library, *options: str, program: Path = PROGRAM) -> Path:
    folder = sources("segments")
    words = [str(chosen.mpicc), *STRICT, *options, f"-I{folder}", str(program)]
    # With what the program does not call, too.
    words += ["-Wl,--whole-archive", str(parts(chosen, *options)), "-Wl,--no-whole-archive"]
    name = "-".join([program.stem, chosen.name, *(option.strip("-").partition("=")[0] for option in options[:1])])
    return compiled(name, words, chosen, [program, *sorted(folder.glob("*.h"))])


def parts(chosen: Library, *options: str) -> Path:
    """The library of packed exchanges, compiled once for all programs with these options."""
    folder = sources("segments")
    files = sorted(folder.glob("[a-z]*.c"))
    words = [str(chosen.mpicc), *STRICT, *options, f"-I{folder}", "-c", *map(str, files)]

    def archive(target: Path) -> None:
        with tempfile.TemporaryDirectory() as place:
            _run(words, chosen, Path(place))
            _run(["ar", "rcs", str(target), *(f"{file.stem}.o" for file in files)], chosen, Path(place))

    made_from = [*words, kept_builds.identity(chosen), *files, *sorted(folder.glob("*.h"))]
    return kept_builds.kept(f"segments-parts-{chosen.name}", made_from, archive, ".a")


def compiled(name: str, words: Sequence[str], chosen: Library, files: Sequence[Path], cwd: Path | None = None) -> Path:
    """What the command makes of these files."""

    def compile_to(target: Path) -> None:
        _run([*words, "-o", str(target)], chosen, cwd)

    return kept_builds.kept(name, [*words, kept_builds.identity(chosen), *files], compile_to)


def _run(words: Sequence[str], chosen: Library, cwd: Path | None) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=200, env=chosen.env(), cwd=cwd)
    assert done.returncode == 0, done.stderr


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
