"""A run in which everything that has a name has a hostile one: bytes that are no text, escape sequences, marks of
direction, formulas, newlines, markup of HTML.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import kept_builds
import pytest

from leadline import mpi

SOURCE = r"""
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME "=2+3 \xff\x1b]0;owned\x07\x1b[31m\xe2\x80\xae<img src=x onerror=alert(1)>\nnext\t\x7f"

void step(int rank, int ranks) {
  char name[300];
  snprintf(name, sizeof(name), "%s %d", NAME, rank);
  int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (write(fd, "hello", 5) != 5) return;
  close(fd);
  int sent = rank, received = 0, sum = 0;
  MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % ranks, 0, &received, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char name[64] = "\x1b[2J\xfe\xe2\x80\xae";
  MPI_Comm_set_name(MPI_COMM_WORLD, name);
  for (int i = 0; i < 20; ++i) step(rank, ranks);
  MPI_Finalize();
  return 0;
}
"""
FOLDER = b"=run \xff\x1b[32m'\xe2\x80\xae\n<b>"  # relative, so that nothing above it is hostile
PROGRAM = b"prog \xfd\x1b[1m<i>"
ARGUMENT = b"\xfc\x1b]0;x\x07<script>alert(1)</script>"


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of two runs, "one\\xff" and "two\\xff", of such a program on two ranks of MPICH."""
    return recorded("mpich", tmp_path_factory)


@pytest.fixture(scope="session")
def hostile_openmpi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of Open MPI."""
    return recorded("openmpi", tmp_path_factory)


def recorded(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    known = {library.name: library for library in mpi.available()}
    if name not in known:
        pytest.skip(f"the MPI library {name} is not installed")
    library = known[name]

    def compile_to(program: Path) -> None:
        words = [library.mpicc, "-g", "-x", "c", "-", "-o", program]
        subprocess.run(words, input=SOURCE, text=True, check=True, env=library.env(), timeout=120)

    built = kept_builds.kept(f"hostile-names-{name}", [SOURCE, kept_builds.identity(library)], compile_to)
    folder = tmp_path_factory.mktemp("hostile") / os.fsdecode(FOLDER)
    folder.mkdir()
    program = folder / os.fsdecode(PROGRAM)
    program.write_bytes(built.read_bytes())
    program.chmod(0o755)
    for run in (b"one\xff", b"two\xff"):
        words = ["record", "-o", os.fsdecode(run), "--", *library.launch(2), program, os.fsdecode(ARGUMENT)]
        done = subprocess.run(
            [sys.executable, "-m", "leadline", *map(str, words)],
            cwd=folder,
            env={**os.environ, **library.environ},
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    return folder
