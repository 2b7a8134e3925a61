"""leadline campaign from its file to its page: two families of libraries, failures, builds, kills at random moments."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi
from leadline.campaign.effects import IN_EFFECT

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Prints a time that its first argument gives; "fail" exits with code 3, "hang" waits, "hostile" prints what terminals
// and pages would obey.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, sum = 0, one = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 10; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const char* what = argc > 1 ? argv[1] : "1.5";
  if (strcmp(what, "hang") == 0) sleep(600);
  if (rank == 0) {
    if (strcmp(what, "hostile") == 0) {
      fprintf(stderr, "\x1b]0;owned\x07<script>alert(1)</script>\n");
    } else {
      printf("%d ranks took %s s\n", sum, what);
    }
  }
  MPI_Finalize();
  return strcmp(what, "fail") == 0 ? 3 : strcmp(what, "hostile") == 0 ? 4 : 0;
}
"""
BOTH = ("mpich", "openmpi")


def campaign(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "leadline", "campaign", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd)


def installed(*names: str) -> list[str]:
    known = {library.name for library in mpi.available()}
    found = [name for name in names if name in known]
    if len(found) < len(names):
        pytest.skip("not all of these MPI libraries are installed: " + ", ".join(names))
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with a program to build, and the campaign's file."""
    installed(*BOTH)
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "app tree").mkdir()
    (folder / "app tree" / "app.c").write_text(PROGRAM)
    (folder / "c.toml").write_text(
        """
ranks = [1, 2]
libraries = ["mpich", "openmpi"]
repeats = 2
record = "alternate"
timeout = 20
time = 'took ([0-9.]+) s'
[[program]]
name = "app"
command = ["./app"]
directory = "app tree"
build = ["{mpicc}", "-g", "app.c", "-o", "app"]
[[input]]
name = "good"
arguments = ["1.25"]
[[input]]
name = "bad"
arguments = ["fail"]
[[input]]
name = "hostile"
arguments = ["hostile"]
[[setting]]
name = "default"
[[setting]]
name = "ob1"
libraries = ["openmpi"]
environment = { OMPI_MCA_pml = "ob1" }
[[exclude]]
input = ["bad", "hostile"]
ranks = 2
[[exclude]]
input = ["bad", "hostile"]
library = "openmpi"
"""
    )
    return folder


@pytest.fixture(scope="module")
def found(place: Path) -> Any:
    done = campaign("c.toml", "-o", "out", "--json", cwd=place)
    assert done.returncode == 7, done.stderr  # some runs fail
    return json.loads(done.stdout)


def cells(found: Any, **names: Any) -> list[Any]:
    return [cell for cell in found["cells"] if all(cell[name] == value for name, value in names.items())]


def test_every_cell_ran_on_its_library(found: Any, place: Path) -> None:
    good = cells(found, input="good")
    assert [(c["ranks"], c["candidate"], c["n"], c["median"]) for c in good] == [
        (ranks, candidate, 2, 1.25) for ranks in (1, 2) for candidate in ("mpich", "openmpi", "openmpi ob1")
    ]
    for cell in good:
        recorded = [run for run in cell["runs"] if run["recorded"]]
        assert len(recorded) == 2
        for run in recorded:
            directory = place / "out" / "runs" / f"{cell['id']}-{run['repeat'] + 1}"
            assert (directory / "report.html").is_file()
            report = json.loads((directory / "report.json").read_text())
            title = "MPICH" if cell["library"] == "mpich" else "Open MPI"
            assert report["ranks"] == cell["ranks"]
            assert title in report["library"]


def test_what_differs_is_listed_and_settings_are_seen_by_the_ranks(found: Any) -> None:
    titles = [each["title"] for each in found["environments"]["differences"]]
    assert {"MPI library", "OMPI_MCA_pml"} <= set(titles)
    assert found["environments"]["candidates"] == ["mpich", "openmpi", "openmpi ob1"]
    for cell in cells(found, setting="ob1"):
        assert cell["settings"] == {"OMPI_MCA_pml": IN_EFFECT}


def test_a_failed_run_is_a_row_with_its_reason(found: Any, place: Path) -> None:
    for cell in cells(found, input="bad"):
        assert (cell["n"], cell["failed"], cell["median"]) == (0, 4, None)
        assert "exit code 3" in cell["reason"]
    assert found["runs"] == {"planned": 32, "finished": 32, "failed": 8}


def test_no_difference_is_claimed_of_equal_times(found: Any) -> None:
    assert [each["claims"] for each in found["comparisons"]] == [0, 0]
    assert all("within noise" in text for text in found["paragraphs"])


def test_a_second_call_runs_nothing_and_shows_the_same(found: Any, place: Path) -> None:
    before = (place / "out" / "journal.jsonl").read_bytes()
    done = campaign("c.toml", "-o", "out", "--json", cwd=place)
    assert (place / "out" / "journal.jsonl").read_bytes() == before
    shown = campaign("out", "--json", cwd=place)
    assert json.loads(done.stdout)["cells"] == json.loads(shown.stdout)["cells"]
    assert shown.returncode == 0


def test_its_tables_are_read_by_others(found: Any, place: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = parquet.read_table(place / "out" / "runs.parquet").to_pylist()
    assert len(rows) == 32
    assert all((place / "out" / row["directory"]).is_dir() for row in rows if row["recorded"])
    assert len(parquet.read_table(place / "out" / "cells.parquet")) == len(found["cells"])


def test_nothing_hostile_reaches_terminal_or_page(found: Any, place: Path) -> None:
    done = campaign("out", "--all", cwd=place)
    assert "\x1b]" not in done.stdout + done.stderr
    page = (place / "out" / "campaign.html").read_text()
    assert "<script>alert" not in page


def test_a_dry_run_counts_and_starts_nothing(place: Path, found: Any) -> None:
    done = campaign("c.toml", "-o", "new", "--dry-run", "--json", cwd=place)
    told = json.loads(done.stdout)
    assert not (place / "new").exists()
    assert (told["runs"], told["left"], told["at_most"], told["repeats"]["needed"]) == (32, 32, True, None)
    assert told["seconds"] == 32 * 20
    again = json.loads(campaign("out", "--dry-run", "--difference", "10%", "--json", cwd=place).stdout)
    assert (again["left"], again["node_hours"], again["repeats"]["difference"]) == (0, 0, 0.1)


def test_a_run_that_hangs_is_ended_at_its_limit(tmp_path: Path) -> None:
    installed("mpich")
    (tmp_path / "t.toml").write_text(
        'ranks = [1]\nrepeats = 1\ntimeout = 1\nrecord = false\n[[program]]\ncommand = ["sleep", "600"]\n'
    )
    done = campaign("t.toml", "-o", "out", "--json", cwd=tmp_path)
    (cell,) = json.loads(done.stdout)["cells"]
    assert cell["reason"] == "timed out after 1 s"


def test_a_program_of_another_family_is_not_started(tmp_path: Path) -> None:
    installed(*BOTH)
    library = mpi.find("mpich")
    (tmp_path / "app.c").write_text(PROGRAM)
    subprocess.run([library.mpicc, "app.c", "-o", "app"], cwd=tmp_path, env=library.env(), check=True, timeout=120)
    (tmp_path / "t.toml").write_text(
        'ranks = [1]\nlibraries = ["mpich", "openmpi"]\nrepeats = 1\nrecord = false\n[[program]]\ncommand = ["./app"]\n'
    )
    done = campaign("t.toml", "-o", "out", "--json", cwd=tmp_path)
    mpich, openmpi = json.loads(done.stdout)["cells"]
    assert (mpich["n"], openmpi["n"]) == (1, 0)
    assert "linked for MPICH" in openmpi["reason"]


def test_two_calls_do_not_run_one_campaign_at_once(place: Path, found: Any) -> None:
    from leadline.campaign.journal import locked

    with locked(place / "out"):
        done = campaign("c.toml", "-o", "out", cwd=place)
    assert (done.returncode, "already running" in done.stderr) == (2, True)


def test_a_directory_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text('ranks = [1]\n[[program]]\ncommand = ["true"]\n')
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis").write_text("")
    done = campaign("t.toml", "-o", "out", cwd=tmp_path)
    assert (done.returncode, "is not empty" in done.stderr) == (2, True)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis"]
