"""Builds and records the programs of the suite."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import kept_builds

from leadline.mpi import Library

HERE = Path(__file__).resolve().parent
PATIENT_S = 120.0


def build(library: Library, program: str) -> Path:
    """The program of that name, compiled once."""
    words = [str(library.mpicc), "-O1", "-g", "-Wall", "-Wextra", "-Wno-unused-result", f"{program}.c"]

    def compile_to(target: Path) -> None:
        done = subprocess.run(
            [*words, "-o", str(target)], cwd=HERE, env=library.env(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    parts = [HERE / f"{program}.c", HERE / "suite.h"]
    return kept_builds.kept(
        f"suite-{program}-{library.name}", [kept_builds.identity(library), *words, *parts], compile_to
    )


def run(
    library: Library,
    ranks: int,
    words: Sequence[str],
    directory: Path,
    recorder: Path | None = None,
    prefix: Sequence[str] = (),
) -> float:
    """Seconds of the case, by itself; recorded into DIRECTORY/run if there is a recorder."""
    directory.mkdir(parents=True, exist_ok=True)
    settings = []
    if recorder is not None:
        (directory / "run").mkdir()
        settings = [f"LEADLINE_DIR={directory / 'run'}", f"LD_PRELOAD={recorder}"]
    command = [*prefix, *library.launch(ranks, oversubscribe=True), "env", *settings, *words]
    environ = {**os.environ, **library.env(), **library.environ, **library.kind.unbound}
    done = subprocess.run(
        command, cwd=directory, env=environ, capture_output=True, text=True, timeout=PATIENT_S, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return float(done.stdout.split()[-1])
