"""On two ranks no rank is between two others. Messages of which each needs what came before it are told all the same:
planes of a sweep, levels of a cycle over grids, and stages of a step. Beside them are fields in a loop, whose messages
could be one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

from .programs import HEAD, Program
from .run import report_of

# The computation of a plane takes as long as packing a large message would.
TEXT = (
    HEAD
    + """
__attribute__((noinline)) static void spend(int us) {
  double end = MPI_Wtime() + 1e-6 * us;
  while (MPI_Wtime() < end) {}
}
__attribute__((noinline)) static void sweep(int ahead, int back) {
  for (int plane = 0; plane < 10; ++plane) {
    if (back >= 0) MPI_Recv(in, 100, MPI_DOUBLE, back, 1, comm, MPI_STATUS_IGNORE);
    spend(15);
    if (ahead >= 0) MPI_Send(out, 100, MPI_DOUBLE, ahead, 1, comm);
  }
}
__attribute__((noinline)) static void swap(int count, int tag) {
  MPI_Request request;
  MPI_Irecv(in, count, MPI_DOUBLE, !rank, tag, comm, &request);
  MPI_Send(out, count, MPI_DOUBLE, !rank, tag, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
__attribute__((noinline)) static void cycle(int levels) {
  for (int level = 0; level < levels; ++level) swap(1000 >> level, 2);
}
__attribute__((noinline)) static void fields(void) {
  for (int field = 0; field < 6; ++field) swap(100, 3);
}
__attribute__((noinline)) static void stages(int times) {
  for (int stage = 0; stage < times; ++stage) {
    for (int field = 0; field < 6; ++field) swap(100, 4);
    spend(200);
    for (int flux = 0; flux < 4; ++flux) swap(120, 5);
    spend(200);
  }
}
__attribute__((noinline)) static void short_steps(int times) {
  for (int stage = 0; stage < times; ++stage) {
    swap(100, 6);
    spend(150);
    for (int step = 0; step < 1 << stage; ++step) {
      swap(110, 7);
      spend(80);
    }
  }
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
  for (int step = 0; step < 20; ++step) {
    sweep(rank ? -1 : 1, rank ? 0 : -1);
    sweep(rank ? 0 : -1, rank ? -1 : 1);
    spend(100);
    cycle(argc + 4);
    spend(100);
    fields();
    spend(100);
    stages(argc + 2);
    spend(100);
    short_steps(argc + 2);
  }
  MPI_Finalize();
}
"""
)


@pytest.fixture(scope="module", params=["mpich", "openmpi"])
def packable(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Patterns of messages that could be one."""
    try:
        library = find_library(request.param)
    except LeadlineError:
        pytest.skip(f"{request.param} from PyPI is not installed")
    program = Program(0, 2, 20, "-O1", (), TEXT)
    directory: Path = tmp_path_factory.mktemp("in-turn")
    patterns: list[dict[str, Any]] = report_of(program, library, directory)["patterns"]
    return [p for p in patterns if p["pattern"] == "packable_messages"]


def routines_of(packable: list[dict[str, Any]]) -> set[str]:
    return {name for p in packable for name in p["routines"]}


def test_planes_of_a_sweep_are_not_packed(packable: list[dict[str, Any]]) -> None:
    assert "sweep" not in routines_of(packable)


def test_levels_of_a_cycle_are_not_packed(packable: list[dict[str, Any]]) -> None:
    assert "cycle" not in routines_of(packable)


def test_fields_in_a_loop_are(packable: list[dict[str, Any]]) -> None:
    assert "fields" in routines_of(packable)


def test_fields_of_each_stage_are_and_stages_are_not(packable: list[dict[str, Any]]) -> None:
    """Three stages, in each of which six fields and then four fluxes are exchanged, with computation between them."""
    (told,) = (p["evidence"] for p in packable if "stages" in p["routines"])
    assert (told["together"], told["together_at_least"], len(told["loops"])) == (4, True, 2)


def test_stages_with_more_and_more_short_steps_are_not_packed(packable: list[dict[str, Any]]) -> None:
    """Of a Runge-Kutta step, say: each stage needs what the one before it brought."""
    assert "short_steps" not in routines_of(packable)
