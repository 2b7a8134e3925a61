"""MPI_Gather by our algorithms: every result under the shim, wrong counts, and the commands that measure and apply."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from recorder.building import Builder
from recorder.libraries import Library, find, has_large_counts
from recorder.running import run_mpi

from .tables import report

ALGORITHMS = ("linear", "binomial")
SHORT = 1000  # bytes to which one is used in these tables, and from which the other


def known(name: str) -> Library:
    library = find(name)
    if library is None:
        pytest.skip(f"the MPI library {name} is not installed")
    return library


def both(first: str) -> str:
    second = next(name for name in ALGORITHMS if name != first)
    return f"gather 2 64 1 {SHORT - 1} {first} 0 0\ngather 2 64 {SHORT} {1 << 40} {second} 0 0\n"


@pytest.mark.parametrize(
    ("name", "ranks", "first"),
    [
        ("openmpi", 5, "linear"),
        ("openmpi", 6, "binomial"),
        ("mpich", 3, "linear"),
        ("mpich", 4, "binomial"),
        ("intel", 2, "binomial"),
        ("mpich-abi", 2, "linear"),
    ],
)
def test_every_block_arrives(name: str, ranks: int, first: str, builder: Builder, shim: Path, tmp_path: Path) -> None:
    library = known(name)
    (tmp_path / "table").write_text(both(first))
    (tmp_path / "reports").mkdir()
    outcome = run_mpi(
        library,
        ranks,
        [builder.c(library, "shim_gather.c", *(["-DLARGE"] if has_large_counts(library) else []))],
        cwd=tmp_path,
        preload=[shim],
        environment={
            "LEADLINE_TABLE": str(tmp_path / "table"),
            "LEADLINE_SHIM_REPORT": str(tmp_path / "reports"),
        },
    )
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert len(outcome.lines) == ranks
    assert all(re.fullmatch(r"rank \d+: \d+ results, 0 wrong", line) for line in outcome.lines)
    # Every communicator of two or more, every root, six ways; four sizes are short and one is long.
    for rank in range(ranks):
        part = (ranks + 1 - rank % 2) // 2
        calls = 6 * (2 * ranks + (part if part > 1 else 0))
        lines = [line for line in report(tmp_path / "reports", rank)[0] if line.operation == "gather"]
        for algorithm in ALGORITHMS:
            counted = sum(line.calls for line in lines if line.algorithm == algorithm)
            assert counted == (4 * calls if algorithm == first else calls)
        assert {line.why for line in lines if line.algorithm == "native"} <= {"nothing to send", "one rank"}


@pytest.mark.parametrize(("name", "ranks", "first"), [("openmpi", 4, "linear"), ("mpich", 3, "binomial")])
def test_another_count_on_one_rank_is_told_and_harms_nothing(
    name: str, ranks: int, first: str, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    library = known(name)
    (tmp_path / "table").write_text(both(first))
    outcome = run_mpi(
        library,
        ranks,
        [builder.c(library, "shim_gather.c"), "mismatched"],
        cwd=tmp_path,
        preload=[shim],
        environment={"LEADLINE_TABLE": str(tmp_path / "table")},
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    cases = [line.split() for line in outcome.lines if not line.startswith("rank")]
    assert len(cases) == 4 * ranks
    for odd_rank, others, odd, told in cases:
        arrives_longer = (int(odd) > int(others)) == (odd_rank != "0")
        assert set(told) <= set("-TO"), told
        # An inner rank of the tree that expects less tells the root that it was sent more.
        expected = "T" if arrives_longer else "O-" if algorithm_of(first, others, odd) == "linear" else "TO-"
        assert told[0] in expected, (odd_rank, others, odd, told)


def algorithm_of(first: str, *counts: str) -> str:
    """The algorithm for counts of ints, which are all short or all long."""
    short = all(4 * int(count) < SHORT for count in counts)
    assert short or not any(4 * int(count) < SHORT for count in counts)
    return next(name for name in ALGORITHMS if (name == first) == short)


def leadline(*words: str, cwd: Path, environ: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "leadline", *words],
        cwd=cwd,
        env={**os.environ, **(environ or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def test_it_is_measured_and_checked(tmp_path: Path) -> None:
    library = known("mpich")
    words = ("bench", "gather", "-n", "2", "--mpi", library.name, "--sizes", "9,800", "--root", "1", "--json")
    quick = ("--algorithms", "linear,binomial,nothing", "--launches", "1", "--rounds", "3", "--seconds", "0.1")
    done = leadline(*words, *quick, cwd=tmp_path)
    assert done.returncode == 7, done.stdout + done.stderr  # nothing is wrong
    rows = json.loads(done.stdout)["rows"]
    assert [(row["algorithm"], row["correct"]) for row in rows] == 2 * [
        ("native", True),
        ("linear", True),
        ("binomial", True),
        ("nothing", False),
    ]
    assert all(row["bound_us"] > 0 for row in rows)


def test_it_is_tuned(tmp_path: Path) -> None:
    library = known("mpich")
    words = (
        "tune",
        "--operations",
        "gather",
        "-n",
        "2",
        "--sizes",
        "64",
        "--mpi",
        library.name,
        "--json",
        "--refine",
        "0",
    )
    done = leadline(*words, "--launches", "2", "--rounds", "5", "--seconds", "0.05", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {row["algorithm"] for row in rows} == {"native", "linear", "binomial"}
    assert all(row["operation"] == "gather" and row["correct"] for row in rows)


@pytest.mark.parametrize(
    ("name", "via", "algorithm"),
    [
        ("openmpi", "shim", "binomial"),
        ("mpich", "shim", "linear"),
        ("mpich", "native", "binomial"),
        ("intel", "native", "binomial"),
    ],
)
def test_it_is_applied(name: str, via: str, algorithm: str, builder: Builder, tmp_path: Path) -> None:
    library = known(name)
    (tmp_path / "table.toml").write_text(
        'schema = 1\n[[rule]]\noperation = "gather"\nprocesses = [2, 4]\nbytes = [0, 9223372036854775807]\n'
        f'algorithm = "{algorithm}"\n'
    )
    program = builder.c(library, "shim_gather.c")
    command = [*library.launch(2), str(program)]
    options = ("--via", via, "--quiet", "--report", str(tmp_path / "report.json"))
    done = leadline("apply", "table.toml", *options, "--", *command, cwd=tmp_path, environ=library.env())
    found = json.loads((tmp_path / "report.json").read_text())
    assert done.returncode == 0, done.stdout + done.stderr
    assert (found["problem"], found["not_applied"]) == (None, [])
    assert [(rule["operation"], rule["algorithm"]) for rule in found["applied"]] == [("gather", algorithm)]


def test_open_mpi_takes_each_rule_up_to_its_last_size(builder: Builder, tmp_path: Path) -> None:
    """Its own rules count the blocks of all ranks."""
    library = known("openmpi")
    rules = [f'operation = "gather"\nprocesses = [2, 4]\nbytes = {sizes}\nalgorithm = "{name}"\n'
             for sizes, name in (("[8, 1000]", "binomial"), ("[1001, 5000]", "linear"))]  # fmt: skip
    (tmp_path / "table.toml").write_text("schema = 1\n" + "".join(f"[[rule]]\n{rule}" for rule in rules))
    command = [*library.launch(3, oversubscribe=True), str(builder.c(library, "shim_gather.c"))]
    options = ("--via", "native", "--quiet", "--report", str(tmp_path / "report.json"))
    done = leadline("apply", "table.toml", *options, "--", *command, cwd=tmp_path, environ=library.env())
    found = json.loads((tmp_path / "report.json").read_text())
    assert done.returncode == 0, done.stdout + done.stderr
    assert (found["problem"], found["not_applied"]) == (None, [])
    seen = {tuple(rule["range"]["bytes"]): {each["routine"] for each in rule["evidence"]} for rule in found["applied"]}
    assert seen == {
        (8, 1000): {"ompi_coll_base_gather_intra_binomial"},
        (1001, 5000): {"ompi_coll_base_gather_intra_basic_linear"},
    }


def test_mpich_is_told_no_sizes(builder: Builder, tmp_path: Path) -> None:
    """It ends the program at a condition on the size of a gather."""
    library = known("mpich")
    rule = 'schema = 1\n[[rule]]\noperation = "gather"\nprocesses = [2, 4]\nbytes = [8, 1000]\nalgorithm = "binomial"\n'
    (tmp_path / "table.toml").write_text(rule)
    command = [*library.launch(2), str(builder.c(library, "shim_gather.c"))]
    options = ("--via", "native", "--quiet", "--report", str(tmp_path / "report.json"))
    done = leadline("apply", "table.toml", *options, "--", *command, cwd=tmp_path, environ=library.env())
    found = json.loads((tmp_path / "report.json").read_text())
    assert done.returncode == 0, done.stdout + done.stderr
    assert (found["applied"], found["settings"]) == ([], {})
    assert "do not distinguish sizes of gather" in found["not_applied"][0]["why"]
