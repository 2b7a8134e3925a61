"""Barriers by our algorithms: nobody leaves before the last has come, under the shim and in the bench, which has to
find one that does not wait; and the commands that tune and apply."""

import json
import re
from pathlib import Path

import pytest
from recorder.building import Builder

from .tables import Algorithm, algorithms, report
from .test_blocks import known, leadline, ours_in, start

PROGRAM = "shim_barriers.c"


@pytest.mark.parametrize(("name", "ranks"), [("openmpi", 5), ("mpich", 3), ("openmpi", 4), ("intel", 2)])
@pytest.mark.ci("intel")
def test_nobody_leaves_before_the_last_has_come(
    name: str, ranks: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    for algorithm in algorithms("barrier"):
        directory = tmp_path / algorithm.name
        directory.mkdir()
        table = algorithm.rule(first=0)
        outcome = start(PROGRAM, known(name), ranks, table, builder=builder, shim=shim, directory=directory)
        assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
        assert len(outcome.lines) == ranks
        assert all(re.fullmatch(r"rank \d+: \d+ barriers, 0 left early", line) for line in outcome.lines)
        for rank in range(ranks):
            lines = [line for line in report(directory / "reports", rank)[0] if line.operation == "barrier"]
            assert {(line.algorithm, line.first, line.last) for line in lines if line.why == ""} == {
                (algorithm.name, 0, 0)
            }
            assert {line.why for line in lines} - {""} <= {"one rank", "intercommunicator"}


def test_the_bench_finds_a_barrier_that_does_not_wait(tmp_path: Path) -> None:
    words = ("bench", "barrier", "-n", "2", "--mpi", known("mpich").name, "--algorithms", "all,nothing")
    quick = ("--launches", "1", "--rounds", "3", "--seconds", "0.1", "--json")
    done = leadline(*words, *quick, cwd=tmp_path)
    assert done.returncode == 7, done.stdout + done.stderr  # nothing is wrong
    rows = json.loads(done.stdout)["rows"]
    assert {row["algorithm"].partition(":radix")[0] for row in rows} == {
        "native", "nothing", *(a.name for a in algorithms("barrier"))}  # fmt: skip
    assert all(row["correct"] == (row["algorithm"] != "nothing") for row in rows)
    assert all(row["bytes"] == 0 and row["bound_us"] > 0 for row in rows)


def test_sizes_are_refused(tmp_path: Path) -> None:
    done = leadline("bench", "barrier", "-n", "2", "--mpi", known("mpich").name, "--sizes", "8", cwd=tmp_path)
    assert done.returncode == 2
    assert "barrier has no data" in done.stderr


def test_they_are_tuned(tmp_path: Path) -> None:
    words = ("tune", "--operations", "barrier,scan", "-n", "2", "--sizes", "64", "--mpi", known("mpich").name)
    quick = ("--refine", "0", "--launches", "2", "--rounds", "5", "--seconds", "0.05", "--json")
    done = leadline(*words, *quick, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {(row["operation"], row["bytes"]) for row in rows} == {("barrier", 0), ("scan", 64)}
    assert all(row["correct"] for row in rows)


def applied(name: str, algorithm: str, via: str, builder: Builder, tmp_path: Path) -> "dict[str, object]":
    library = known(name)
    rule = 'operation = "barrier"\nprocesses = [2, 4]\nbytes = [0, 9223372036854775807]'
    (tmp_path / "table.toml").write_text(f'schema = 1\n[[rule]]\n{rule}\nalgorithm = "{algorithm}"\n')
    command = [*library.launch(3 if name == "openmpi" else 2, oversubscribe=True), str(builder.c(library, PROGRAM))]
    options = ("--via", via, "--quiet", "--report", str(tmp_path / "report.json"))
    done = leadline("apply", "table.toml", *options, "--", *command, cwd=tmp_path, environ=library.env())
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, object] = json.loads((tmp_path / "report.json").read_text())
    return found


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        *(("openmpi", one) for one in ours_in("openmpi", "barrier")),
        *(("intel", one) for one in ours_in("intel", "barrier")),
    ],
)
@pytest.mark.ci("intel")
def test_they_are_applied_by_the_librarys_settings(name: str, algorithm: str, builder: Builder, tmp_path: Path) -> None:
    found = applied(name, algorithm, "native", builder, tmp_path)
    assert (found["problem"], found["not_applied"]) == (None, [])


def test_they_are_applied_by_the_shim(builder: Builder, tmp_path: Path) -> None:
    chosen: Algorithm = algorithms("barrier")[0]
    found = applied("mpich", chosen.name, "shim", builder, tmp_path)
    assert (found["problem"], found["not_applied"]) == (None, [])
    assert [rule["algorithm"] for rule in found["applied"]] == [chosen.name]  # type: ignore[attr-defined]


def test_mpich_cannot_be_told(builder: Builder, tmp_path: Path) -> None:
    found = applied("mpich", "dissemination", "native", builder, tmp_path)
    assert found["applied"] == []
    assert "has no algorithm dissemination" in found["not_applied"][0]["why"]  # type: ignore[index]
