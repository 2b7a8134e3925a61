"""Compiles the test program with field I/O, as a user would, and runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from recorder.running import Outcome, run_mpi
from segments.building import compiled, library

from leadline.compiled_in import sources
from leadline.mpi import Library

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "build-in" / "fieldio.md"
PROGRAM = ROOT / "tests" / "programs" / "fieldio.c"
STRICT = ("-O2", "-g", "-Wall", "-Wextra", "-Werror")


def built(chosen: Library) -> Path:
    folder = sources("fieldio")
    words = [str(chosen.mpicc), *STRICT, f"-I{folder}", str(PROGRAM)]
    words += [*map(str, sorted(folder.glob("[a-z]*.c"))), "-ldl"]
    return compiled(f"fieldio-{chosen.name}", words, chosen, [PROGRAM, *sorted(folder.glob("*.[chf]*"))])


def run(
    name: str, ranks: int, words: Sequence[str], *, cwd: Path, environment: Mapping[str, str] | None = None
) -> Outcome:
    chosen = library(name)
    return run_mpi(chosen, ranks, [built(chosen), *words], cwd=cwd, environment=environment, timeout_s=100)


def need(name: str, way: str, cwd: Path) -> None:
    """Skips the test where NetCDF (any way), or PnetCDF for this MPI library, is not here."""
    done = run(name, 1, ["wrong", way, "right"], cwd=cwd)
    if "cannot use" in done.stdout:
        pytest.skip(done.stdout.strip())
    assert done.lines == ["rank 0: right: code 0: "], done.stdout + done.stderr
