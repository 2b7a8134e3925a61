"""Nonblocking and persistent collectives are the library's own, and the shim says so."""

import json
from pathlib import Path

import pytest
from recorder.building import Builder

from .tables import algorithms, report
from .test_blocks import known, leadline, start

PROGRAM = "shim_forms.c"
NONBLOCKING = {"allreduce": (32, 63), "alltoall": (32, 63), "reduce_scatter": (16, 31), "barrier": (0, 0)}


@pytest.mark.parametrize(("name", "ranks"), [("openmpi", 4), ("mpich", 2), ("intel", 2), ("mpich-3.4.3", 2)])
@pytest.mark.ci("intel", "mpich-3.4.3")
def test_they_are_left_to_the_library_and_counted(
    name: str, ranks: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    table = "".join(algorithms(operation)[0].rule(first=0) for operation in (*NONBLOCKING, "bcast"))
    outcome = start(PROGRAM, known(name), ranks, table, builder=builder, shim=shim, directory=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert {line.partition(",")[0] for line in outcome.lines} == {"wrong: 0"}
    for rank in range(ranks):
        lines = report(tmp_path / "reports", rank)[0]
        found = {line.operation: (line.first, line.last) for line in lines if line.why == "a nonblocking call"}
        assert found == NONBLOCKING
        assert all(line.calls == 3 for line in lines if line.why == "a nonblocking call")
        persistent = [(line.operation, line.first, line.calls) for line in lines if line.why == "a persistent call"]
        assert persistent == ([] if "without" in outcome.stdout else [("bcast", 32, 1)])
        assert all(line.algorithm == "native" for line in lines)


def test_apply_names_them_as_the_reason(builder: Builder, tmp_path: Path) -> None:
    library = known("mpich")
    rule = 'operation = "allreduce"\nprocesses = [2, 4]\nbytes = [0, 1000]\nalgorithm = "recursive_doubling"\n'
    (tmp_path / "table.toml").write_text(f"schema = 1\n[[rule]]\n{rule}")
    command = [*library.launch(2), str(builder.c(library, PROGRAM))]
    options = ("--via", "shim", "--quiet", "--report", str(tmp_path / "report.json"))
    done = leadline("apply", "table.toml", *options, "--", *command, cwd=tmp_path, environ=library.env())
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "report.json").read_text())
    assert [rule["why"] for rule in found["not_applied"]] == ["a nonblocking call (6 calls)"]
