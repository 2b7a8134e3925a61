"""Rows that all ranks send to one: whether that one uses files between its receives is in the record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

from .programs import HEAD, Program
from .run import report_of

ROWS, STEPS = 25, 12
TEXT = """
__attribute__((noinline)) static void rows(int write) {{
  FILE* f = rank == 0 && write ? fopen("rows.txt", "a") : NULL;
  for (int row = 0; row < {rows}; ++row) {{
    if (rank > 0) {{ MPI_Send(out, 40, MPI_DOUBLE, 0, 7, comm); continue; }}
    for (int from = 1; from < ranks; ++from) {{
      MPI_Recv(in, 40, MPI_DOUBLE, from, 7, comm, MPI_STATUS_IGNORE);
      if (f) fprintf(f, "%1000g\\n", in[0]);
    }}
  }}
  if (f) fclose(f);
}}
int main(int argc, char** argv) {{
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int step = 0; step < {steps}; ++step) {{
    work(5);
    MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, comm);
    rows({write});
  }}
  MPI_Finalize();
}}
"""


def patterns_of(family: str, directory: Path, *, write: bool, ranks: int) -> dict[str, Any]:
    try:
        library = find_library(family)
    except LeadlineError:
        pytest.skip(f"{family} from PyPI is not installed")
    text = HEAD + TEXT.format(rows=ROWS, steps=STEPS, write=int(write))
    report = report_of(Program(0, ranks, STEPS, "-O1", (), text), library, directory)
    return {pattern["pattern"]: pattern for pattern in report["patterns"]}


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_senders_wait_for_a_receiver_that_writes(family: str, tmp_path: Path) -> None:
    found = patterns_of(family, tmp_path, write=True, ranks=3)
    told = found["all_to_one"]["evidence"]
    assert told["receiver_uses_files"]
    assert told["sending_s"] > 0
    assert told["receiving_s"] > 0
    assert told["sending_s"] + told["receiving_s"] == pytest.approx(found["all_to_one"]["time_s"])
    held_up_s = found["write_by_one"]["evidence"]["held_up_s"]
    assert held_up_s == pytest.approx(max(told["sending_s"] - told["receiving_s"], 0.0))


def test_two_ranks_have_no_all_to_one_but_the_writer_holds_up_the_other(tmp_path: Path) -> None:
    found = patterns_of("openmpi", tmp_path, write=True, ranks=2)
    assert "all_to_one" not in found
    assert "held_up_s" in found["write_by_one"]["evidence"]


def test_a_receiver_without_files_is_not_said_to_use_them(tmp_path: Path) -> None:
    found = patterns_of("openmpi", tmp_path, write=False, ranks=3)
    assert found["all_to_one"]["evidence"]["receiver_uses_files"] is False
    assert "write_by_one" not in found
