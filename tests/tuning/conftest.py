"""Runs `leadline apply` on a program whose output and exit code are its own."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kept_builds
import pytest

from leadline import mpi

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double* data = calloc(131072, sizeof *data);
  for (int i = 0; i < 5; i++) MPI_Bcast(data, 131072, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("the program's own output\\n");
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""


@dataclass
class Applied:
    """The result of the command. found: its JSON; output: standard output before it."""

    code: int
    output: str
    found: dict[str, Any]

    def why(self) -> str:
        return "; ".join(rule["why"] for rule in self.found["not_applied"])


Apply = Callable[..., Applied]


@pytest.fixture(scope="session")
def programs() -> Callable[[mpi.Library], Path]:
    def build(library: mpi.Library) -> Path:
        def compile_to(target: Path) -> None:
            words = [str(library.mpicc), "-x", "c", "-", "-o", str(target)]
            subprocess.run(words, input=PROGRAM, text=True, check=True, env=library.env(), capture_output=True)

        return kept_builds.kept(f"program-{library.name}", [PROGRAM, kept_builds.identity(library)], compile_to)

    return build


@pytest.fixture
def apply(programs: Callable[[mpi.Library], Path], tmp_path: Path) -> Apply:
    def run(
        name: str,
        table: str,
        *options: str,
        ranks: int = 3,
        environ: dict[str, str] | None = None,
        code: int = 0,
        shell: bool = False,
    ) -> Applied:
        library = next((library for library in mpi.available() if library.name == name), None)
        if library is None:
            pytest.skip(f"the MPI library {name} is not here")
        (tmp_path / "table.toml").write_text(table)
        command = [*library.launch(ranks), str(programs(library)), str(code)]
        if shell:
            command = ["sh", "-c", shlex.join(command)]
        words = [sys.executable, "-m", "leadline", "apply", str(tmp_path / "table.toml"), "--json", "--report"]
        report = tmp_path / "report.json"
        done = subprocess.run(
            [*words, str(report), *options, "--", *command],
            env={**library.env(), **(environ or {})},
            capture_output=True,
            text=True,
            timeout=300,
        )
        output, _, last = done.stdout.rstrip("\n").rpartition("\n")
        assert json.loads(last) == json.loads(report.read_text()), done.stderr
        return Applied(done.returncode, output, json.loads(last))

    return run
