"""The command as a person runs it: a real process, in a directory of its own."""

import gc
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kept_builds
import pytest
import tiers

from leadline import mpi
from leadline.__main__ import main

TINY = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Prints what it was given; exits with the number in its first argument, "abort" aborts, "sleep" waits to be ended.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, one = 1, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    const char* preload = getenv("LD_PRELOAD");
    printf("ranks=%d sum=%d preload=%s\\n", size, sum, preload ? preload : "");
    fflush(stdout);
  }
  if (argc > 1 && argv[1][0] == 'a') MPI_Abort(MPI_COMM_WORLD, 9);
  if (argc > 1 && argv[1][0] == 's') sleep(60);
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def everything(self) -> str:
        return f"code {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


class Command:
    """Runs `leadline` in `directory`."""

    words = (sys.executable, "-m", "leadline")

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __call__(self, *arguments: str | Path, environ: dict[str, str] | None = None, stdin: str = "") -> Ended:
        return self.plain(*self.words, *arguments, environ=environ, stdin=stdin)

    def plain(self, *words: str | Path, environ: dict[str, str] | None = None, stdin: str = "") -> Ended:
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.directory,
            env={**os.environ, **(environ or {})},
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",  # a launcher may try to run a foreign executable as a script
            timeout=300,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def leadline(tmp_path: Path) -> Command:
    return Command(tmp_path)


class InProcess(Command):
    """Runs `leadline` in this process: for what ends before a program is started."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]) -> None:
        super().__init__(directory)
        self.monkeypatch = monkeypatch
        self.capture = capture

    def __call__(self, *arguments: str | Path, environ: dict[str, str] | None = None, stdin: str = "") -> Ended:
        assert not stdin, "this process has its own"
        with self.monkeypatch.context() as patch:
            patch.chdir(self.directory)
            for name, value in (environ or {}).items():
                patch.setenv(name, value)
            for name in ("execv", "execve"):  # the program would take the place of the tests
                patch.setattr(os, name, lambda *_: pytest.fail("a program was started"))
            self.capture.readouterr()
            try:
                code = main([str(argument) for argument in arguments])
            finally:
                gc.enable()
        return Ended(code, *self.capture.readouterr())


@pytest.fixture
def in_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> InProcess:
    return InProcess(tmp_path, monkeypatch, capfd)


@pytest.fixture(scope="session", params=tiers.each_library(mpi.NAMES))
def library(request: pytest.FixtureRequest) -> mpi.Library:
    """Every MPI library in turn; in the normal tier, one of each kind."""
    return _found(request.param)


@pytest.fixture(scope="session", params=mpi.NAMES)
def every_library(request: pytest.FixtureRequest) -> mpi.Library:
    """In the normal tier, too."""
    return _found(request.param)


@pytest.fixture(scope="session")
def mpich() -> mpi.Library:
    return _found("mpich")


@pytest.fixture(scope="session")
def openmpi() -> mpi.Library:
    return _found("openmpi")


def _found(name: str) -> mpi.Library:
    known = {library.name: library for library in mpi.available()}
    if name not in known:
        pytest.skip(f"the MPI library {name} is not installed")
    return known[name]


class Tiny:
    """The tiny program, compiled once per library."""

    def __call__(self, library: mpi.Library) -> Path:
        def compile_to(program: Path) -> None:
            words = [library.mpicc, "-x", "c", "-", "-o", program]
            subprocess.run(words, input=TINY, text=True, check=True, env=library.env(), timeout=120)

        return kept_builds.kept(f"tiny-{library.name}", [TINY, kept_builds.identity(library)], compile_to)


@pytest.fixture(scope="session")
def tiny() -> Tiny:
    return Tiny()


def traces(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir() if path.suffix in {".trace", ".live"})


def description(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / "run.json").read_text())
    return found
