"""The page of recorded runs, made by the commands that people type."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi
from leadline.text import format as fmt

from .conftest import Opened, seconds

PROGRAM = """
#include <mpi.h>
#include <stdio.h>

static void exchange(double* buffer, int rank, int size) {
  MPI_Sendrecv(buffer, 96, MPI_DOUBLE, (rank + 1) % size, 1, buffer + 96, 96, MPI_DOUBLE, (rank + size - 1) % size, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  double buffer[192] = {0}, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 200; step++) {
    exchange(buffer, rank, size);
    MPI_Allreduce(buffer, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    FILE* out = fopen("result.bin", "wb");
    fwrite(buffer, sizeof buffer, 1, out);
    fclose(out);
  }
  MPI_Finalize();
  return 0;
}
"""


def leadline(directory: Path, *words: str | Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leadline", *map(str, words)],
        cwd=directory,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the run "run" of eight ranks on Open MPI, recorded by `leadline run`."""
    library = {library.name: library for library in mpi.available()}.get("openmpi")
    if library is None:
        pytest.skip("the MPI library openmpi is not installed")
    directory = tmp_path_factory.mktemp("ring")
    (directory / "ring.c").write_text(PROGRAM)
    compile_ = [library.mpicc, "-g", directory / "ring.c", "-o", directory / "ring"]
    subprocess.run(compile_, check=True, env=library.env(), timeout=120)
    done = leadline(directory, "run", "-o", "run", "--", *library.launch(8), "./ring", **library.env())
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stderr.rstrip().splitlines()[-1]
    assert last.startswith("leadline: report: run/report.html (also report.txt, report.json); details: ")
    return directory


def test_run_writes_the_page_beside_the_other_reports(ring: Path, open_page: Callable[..., Opened]) -> None:
    opened = open_page(ring / "run" / "report.html")
    assert opened.tab.evaluate("leadline.report") == json.loads((ring / "run" / "report.json").read_text())


def test_the_page_shows_the_numbers_of_json(ring: Path, open_page: Callable[..., Opened]) -> None:
    made = leadline(ring, "report", "run", "--html")
    assert (made.returncode, made.stdout) == (0, "run/report.html\n")
    report: dict[str, Any] = json.loads(leadline(ring, "report", "run", "--json").stdout)
    opened = open_page(ring / "run" / "report.html")
    assert opened.tab.evaluate("leadline.report") == report
    assert opened.tab.locator("h1").inner_text() == report["verdict"]
    timed = [entry for entry in report["functions"] if not entry["local"]]
    shown = {row[0]: row for row in opened.rows("functions")}
    assert len(shown) == len(timed) == 4
    for entry in timed:
        row = shown[entry["function"]]
        share = "" if entry["share"] is None else f"{entry['share'] * 100:.1f}"
        assert row[1:3] == [share, seconds(entry["time_s"])]
        assert row[4] == fmt.count(entry["calls"])
        assert row[7] == (fmt.count(entry["messages"]) if entry["messages"] else "")
        assert row[8] == (fmt.size(entry["bytes"]) if entry["bytes"] else "")
    assert shown["MPI_Sendrecv"][4:5] + shown["MPI_Sendrecv"][7:8] == ["1,600", "1,600"]
    where = next(row[0] for row in opened.rows("calls") if row[0].startswith("MPI_Sendrecv"))
    assert "ring.c:6" in where
    assert where.endswith("exchange")
    for row, rank in zip(opened.rows("ranks"), report["ranks_detail"], strict=True):
        assert [row[0], *row[2:4]] == [str(rank["rank"]), seconds(rank["computation_s"]), seconds(rank["mpi_s"])]
    assert opened.rows("sizes") == [["512 … <1 Ki", "1,600", "1.23 MB"]]
    pairs = [[row[0], row[1], row[2], row[3]] for row in opened.rows("matrix")]
    assert pairs == [[str(rank), str((rank + 1) % 8), "200", "154 kB"] for rank in range(8)]


def test_what_a_recording_has_besides_is_on_its_page(ring: Path, open_page: Callable[..., Opened]) -> None:
    report = json.loads((ring / "run" / "report.json").read_text())
    opened = open_page(ring / "run" / "report.html")
    present = opened.tab.evaluate("[...document.querySelectorAll('section')].map((each) => each.id)")
    if report.get("io") is not None:
        file = opened.rows("files")[0]
        assert file[0].endswith("result.bin")
        assert [file[1], file[2], file[7]] == ["1", "1", "1,536 B"]
    assert "200 iterations of 2 MPI calls per rank" in opened.texts("#iterations .remark")[0]
    for key, section in (("io", "files"), ("iterations", "iterations"), ("regions", "regions")):
        assert (section in present) == bool(report.get(key))


def test_the_page_can_be_written_elsewhere(ring: Path, tmp_path: Path) -> None:
    made = leadline(ring, "report", "run", "--html", tmp_path / "a page.html")
    assert made.stdout == f"{tmp_path / 'a page.html'}\n"
    assert (tmp_path / "a page.html").read_text().startswith("<!doctype html>")
    assert leadline(ring, "report", "--html", "run").stdout == "run/report.html\n"
    both = leadline(ring, "report", "run", "--json", "--html", tmp_path / "b.html")
    assert json.loads(both.stdout)["ranks"] == 8
    # Before it, where reading takes more than two seconds, what is being done.
    assert both.stderr.endswith(f"leadline: page: {tmp_path / 'b.html'}\n")


def test_a_place_that_cannot_be_written_is_said(ring: Path, tmp_path: Path) -> None:
    missing = leadline(ring, "report", "run", "--html", tmp_path / "none" / "page.html")
    assert missing.returncode == 2
    assert "cannot write " in missing.stderr
    directory = leadline(ring, "report", "run", "--html", tmp_path)
    assert directory.returncode == 2
    assert "is a directory" in directory.stderr


def test_the_timeline_of_a_recording_has_its_messages(ring: Path, open_page: Callable[..., Opened]) -> None:
    report = json.loads((ring / "run" / "report.json").read_text())
    timeline = report["timeline"]
    assert timeline["ranks"] == list(range(8))
    for step in timeline["steps"]:
        marks = step["marks"]
        functions = [timeline["sites"][site]["function"] for site in marks["site"]]
        assert functions == ["MPI_Sendrecv", "MPI_Allreduce"] * 8
        assert marks["by_rank"] == [2] * 8
        messages = step["messages"]
        assert sorted(zip(messages["send"], messages["receive"], strict=True)) == [
            (2 * rank, 2 * ((rank + 1) % 8)) for rank in range(8)
        ]
        assert messages["bytes"] == [768] * 8
        ends = [begin + took for begin, took in zip(marks["begin"], marks["duration"], strict=True)]
        assert messages["arrival"] == [ends[receive] for receive in messages["receive"]]
    opened = open_page(ring / "run" / "report.html")
    canvas = opened.tab.locator("#timeline canvas")
    canvas.press("Home")
    canvas.press("Enter")
    said = opened.texts("#timeline .timeline-figure [role=status]")[0]
    assert said.startswith("Rank 0: MPI_Sendrecv in exchange (")
    assert "768 B to rank 1, received at" in said
    assert "768 B from rank 7, sent at" in said


def ranks_drawn(lines: list[str]) -> list[str]:
    """The ranks of the lines between axis and legend."""
    axis = next(n for n, line in enumerate(lines) if line.startswith("      0"))
    return [line.split()[0] for line in itertools.takewhile(lambda line: line[:4].strip(), lines[axis + 1 :])]


def test_the_terminal_draws_the_same_step(ring: Path) -> None:
    report = json.loads((ring / "run" / "report.json").read_text())
    typical = next(step for step in report["timeline"]["steps"] if "typical" in step["kinds"])
    drawn = leadline(ring, "timeline", "run", "--width", "70")
    assert drawn.returncode == 0, drawn.stderr
    lines = drawn.stdout.splitlines()
    assert lines[0].startswith(
        f"Iteration {typical['iteration']} (typical): {fmt.seconds(typical['mean_s'])} mean over"
    )
    assert ranks_drawn(lines) == [str(rank) for rank in range(8)]
    lanes = typical["lanes"]
    share = sum(typical["waits"]["waited"]) / sum(to - at for at, to in zip(lanes["from"], lanes["to"], strict=True))
    assert f"Waiting for other ranks: {fmt.percent(share)} of their time." in " ".join(lines[:3])
    assert all(len(line) <= 70 for line in lines if "computation" not in line)
    few = leadline(
        ring, "timeline", "run", "--iteration", str(typical["iteration"]), "--ranks", "1-2,7", "--width", "70"
    )
    assert ranks_drawn(few.stdout.splitlines()) == ["1", "2", "7"]
    for words, said in (
        (("--iteration", "4000"), "the call times of iteration 4000 were not kept on all ranks"),
        (("--iteration", "first"), "--iteration first: expected a number, typical, slowest or output"),
        (("--ranks", "9"), "--ranks 9: no rank 9"),
    ):
        wrong = leadline(ring, "timeline", "run", *words)
        assert wrong.returncode == 2
        assert said in wrong.stderr
