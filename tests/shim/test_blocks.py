"""Operations that move blocks, and reductions whose results differ between ranks, by our algorithms: every result under
the shim, wrong counts, and the commands that measure and apply."""

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from recorder.building import Builder
from recorder.libraries import Library, find, has_large_counts
from recorder.running import Outcome, run_mpi

from leadline.operations import operations

from .tables import LARGEST, algorithms, report
from .test_programs import FORTRAN, Run

BLOCKS = ("gather", "alltoall", "allgather", "scatter")
REDUCTIONS = ("scan", "exscan", "reduce_scatter_block", "reduce_scatter")
BY_RANK = ("allgatherv", "alltoallv", "alltoallw", "gatherv", "scatterv")  # blocks have their own counts
ANY_SIZE = ("alltoallv", "alltoallw", "gatherv", "scatterv")  # not all ranks know the size
OPERATIONS = BLOCKS + REDUCTIONS + BY_RANK
PROGRAMS = {BLOCKS: "shim_blocks.c", REDUCTIONS: "shim_reductions.c", BY_RANK: "shim_blocks_by_rank.c"}
ALL_LEARN = ("alltoall", "allgather")  # of a rank that passed another count
SIZES = (1, 9, 17, 73, 801, LARGEST)  # bytes, between those of the program's blocks of 8, 16, 72, 800 and 20000


def known(name: str) -> Library:
    library = find(name)
    if library is None:
        pytest.skip(f"the MPI library {name} is not installed")
    return library


def table_of(turn: int) -> tuple[str, dict[str, set[str]]]:
    """A table with an algorithm for each size, others in each turn; and their names by operation."""
    lines, used = [], {}
    for operation in OPERATIONS:
        found = algorithms(operation)
        if operation in ANY_SIZE:
            lines.append(found[turn % len(found)].rule(0, (1 << 63) - 1))
            used[operation] = {found[turn % len(found)].name}
            continue
        chosen = [found[(turn + place) % len(found)] for place in range(len(SIZES) - 1)]
        bounds = itertools.pairwise(SIZES)
        lines += [one.rule(first, last - 1) for one, (first, last) in zip(chosen, bounds, strict=True)]
        used[operation] = {one.name for one in chosen}
    return "".join(lines), used


def start(
    program: str, library: Library, ranks: int, table: str, *words: str, builder: Builder, shim: Path, directory: Path
) -> Outcome:
    (directory / "table").write_text(table)
    (directory / "reports").mkdir()
    flags = ["-DLARGE"] if has_large_counts(library) else []
    return run_mpi(
        library,
        ranks,
        [builder.c(library, program, *flags), *words],
        cwd=directory,
        preload=[shim],
        environment={
            "LEADLINE_TABLE": str(directory / "table"),
            "LEADLINE_SHIM_REPORT": str(directory / "reports"),
        },
    )


@pytest.mark.parametrize(
    ("name", "ranks", "turn"),
    [
        ("openmpi", 5, 0),
        ("openmpi", 6, 1),
        ("openmpi", 4, 2),
        ("mpich", 3, 3),
        ("mpich", 4, 4),
        ("mpich", 2, 0),
        ("intel", 2, 1),
        ("mpich-abi", 2, 2),
        ("debian-openmpi", 3, 3),
    ],
)
@pytest.mark.parametrize("of", PROGRAMS)
@pytest.mark.ci("debian-openmpi", "intel", "mpich-abi")
def test_every_result_is_right(
    of: tuple[str, ...], name: str, ranks: int, turn: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    table, used = table_of(turn)
    outcome = start(PROGRAMS[of], known(name), ranks, table, *of, builder=builder, shim=shim, directory=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert len(outcome.lines) == ranks
    assert all(re.fullmatch(r"rank \d+: \d{3,} results, 0 wrong", line) for line in outcome.lines)
    for rank in range(ranks):
        lines = report(tmp_path / "reports", rank)[0]
        for operation in of:
            its = [line for line in lines if line.operation == operation]
            assert {line.algorithm for line in its} - {"native"} == used[operation]
            why = {line.why for line in its if line.algorithm == "native"}
            needs = any(one.needs_commutative for one in algorithms(operation) if one.name in used[operation])
            usual = {"one rank"} if operation in ANY_SIZE else {"nothing to send", "one rank"}
            assert why <= usual | ({"the operation is not commutative"} if needs else set())


@pytest.mark.parametrize("binding", FORTRAN)
def test_fortran_works_in_place(
    binding: str, fortran_library: Library, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    called = ("alltoall", "allgather", "scatter", "scan", "exscan")
    run = Run(shim, tmp_path, "".join(algorithms(operation)[-1].rule() for operation in called))
    outcome = run.start(fortran_library, 3, [builder.fortran(fortran_library, "shim_in_place.F90", FORTRAN[binding])])
    assert (outcome.returncode, outcome.lines) == (0, 3 * ["wrong: 0"]), outcome.stderr
    assert run.tuned(3) == 3 * [len(called)]


@pytest.mark.parametrize(("name", "ranks", "turn"), [("openmpi", 4, 0), ("mpich", 3, 1), ("openmpi", 3, 3)])
def test_another_count_on_one_rank_is_told_and_harms_nothing(
    name: str, ranks: int, turn: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    """Counts of 40 and 60 ints, and of 4000 and 5000, take the same rule each."""
    table = table_of(turn)[0]
    words = (*BLOCKS, "mismatched")
    outcome = start(PROGRAMS[BLOCKS], known(name), ranks, table, *words, builder=builder, shim=shim, directory=tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    cases = [line.split() for line in outcome.lines if not line.startswith("rank")]
    assert len(cases) == 4 * ranks * len(BLOCKS)
    for operation, odd_rank, others, odd, told in cases:
        assert set(told) <= set("-TO"), told
        if operation in ALL_LEARN:
            assert "-" not in told, (operation, odd_rank, others, odd, told)
        elif operation == "scatter":
            # A rank that expects less than the root sends is told; one that expects more need not be.
            shorter = int(odd) < int(others)
            assert odd_rank == "0" or told[int(odd_rank)] in ("T" if shorter else "-TO"), (odd_rank, others, odd, told)
        elif operation == "gather":
            arrives_longer = (int(odd) > int(others)) == (odd_rank != "0")
            # An inner rank of the tree that expects less tells the root that it was sent more.
            whole = rule_for(table, operation, 4 * int(odd)) == "linear"
            expected = "T" if arrives_longer else "O-" if whole else "TO-"
            assert told[0] in expected, (odd_rank, others, odd, told)


def rule_for(table: str, operation: str, n_bytes: int) -> str:
    words = [line.split() for line in table.splitlines()]
    return next(w[5] for w in words if w[0] == operation and int(w[3]) <= n_bytes <= int(w[4]))


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


@pytest.mark.parametrize("operation", OPERATIONS)
def test_it_is_measured_and_checked(operation: str, tmp_path: Path) -> None:
    library = known("mpich")
    words = ("bench", operation, "-n", "2", "--mpi", library.name, "--root", "1")
    quick = ("--algorithms", "all,nothing", "--launches", "1", "--rounds", "3", "--seconds", "0.1", "--json")
    sizes = ("--sizes", "16,800" if operation in REDUCTIONS else "9,800")
    done = leadline(*words, *sizes, *quick, cwd=tmp_path)
    assert done.returncode == 7, done.stdout + done.stderr  # nothing is wrong
    rows = json.loads(done.stdout)["rows"]
    assert {row["algorithm"].partition(":radix")[0] for row in rows} >= {a.name for a in algorithms(operation)}
    assert all(row["correct"] == (row["algorithm"] != "nothing") and row["bound_us"] > 0 for row in rows)


def test_they_are_tuned(tmp_path: Path) -> None:
    library = known("mpich")
    words = ("tune", "--operations", ",".join(OPERATIONS), "-n", "2", "--sizes", "64", "--mpi", library.name)
    quick = ("--refine", "0", "--launches", "2", "--rounds", "5", "--seconds", "0.05", "--json")
    done = leadline(*words, *quick, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    for operation in OPERATIONS:
        of = [row for row in rows if row["operation"] == operation]
        names = {row["algorithm"].partition(":radix")[0] for row in of}
        assert names == {
            "native",
            *(a.name for a in algorithms(operation) if not a.name.startswith("two_level")),
        }  # of one node
        assert all(row["correct"] for row in of)


def ours_in(library: str, operation: str) -> list[str]:
    return list(operations()[operation].libraries.get(library, {"algorithms": {}})["algorithms"])


@pytest.mark.parametrize(
    ("name", "by_shim", "turn"),
    [
        *((name, BLOCKS, turn) for name, turn in (("openmpi", 0), ("mpich", 1))),
        *((name, REDUCTIONS, turn) for name, turn in (("openmpi", 2), ("mpich", 3))),
        *((name, BY_RANK, turn) for name, turn in (("openmpi", 3), ("mpich", 0))),
        *((name, None, turn) for name in ("openmpi", "mpich", "intel") for turn in range(3)),
    ],
)
@pytest.mark.ci("intel")
def test_they_are_applied(
    name: str, by_shim: tuple[str, ...] | None, turn: int, builder: Builder, tmp_path: Path
) -> None:
    """By the shim, those that the program calls; by the library's own settings all, which Leadline proves itself."""
    library = known(name)
    chosen = []
    for operation in by_shim or OPERATIONS:
        able = [a.name for a in algorithms(operation)] if by_shim else ours_in(name, operation)
        if able:
            chosen.append((operation, able[turn % len(able)]))
    rules = (
        f'[[rule]]\noperation = "{operation}"\nprocesses = [2, 4]\nbytes = [0, 9223372036854775807]\n'
        f'algorithm = "{algorithm}"\n'
        for operation, algorithm in chosen
    )
    (tmp_path / "table.toml").write_text("schema = 1\n" + "".join(rules))
    program = builder.c(library, PROGRAMS[by_shim or BLOCKS])
    command = [*library.launch(2), str(program), *OPERATIONS]
    options = ("--via", "shim" if by_shim else "native", "--quiet", "--report", str(tmp_path / "report.json"))
    done = leadline("apply", "table.toml", *options, "--", *command, cwd=tmp_path, environ=library.env())
    found = json.loads((tmp_path / "report.json").read_text())
    assert done.returncode == 0, done.stdout + done.stderr
    assert (found["problem"], found["not_applied"]) == (None, [])
    assert sorted((rule["operation"], rule["algorithm"]) for rule in found["applied"]) == sorted(chosen)


def test_open_mpi_takes_each_rule_up_to_its_last_size(builder: Builder, tmp_path: Path) -> None:
    """Its own rules count the blocks of all ranks."""
    library = known("openmpi")
    rules = [f'operation = "gather"\nprocesses = [2, 4]\nbytes = {sizes}\nalgorithm = "{name}"\n'
             for sizes, name in (("[8, 1000]", "binomial"), ("[1001, 5000]", "linear"))]  # fmt: skip
    (tmp_path / "table.toml").write_text("schema = 1\n" + "".join(f"[[rule]]\n{rule}" for rule in rules))
    command = [*library.launch(3, oversubscribe=True), str(builder.c(library, "shim_blocks.c"))]
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
    command = [*library.launch(2), str(builder.c(library, "shim_blocks.c"))]
    options = ("--via", "native", "--quiet", "--report", str(tmp_path / "report.json"))
    done = leadline("apply", "table.toml", *options, "--", *command, cwd=tmp_path, environ=library.env())
    found = json.loads((tmp_path / "report.json").read_text())
    assert done.returncode == 0, done.stdout + done.stderr
    assert (found["applied"], found["settings"]) == ([], {})
    assert "do not distinguish sizes of gather" in found["not_applied"][0]["why"]


@pytest.mark.parametrize("name", ["openmpi", "mpich"])
@pytest.mark.parametrize("wrong", ["op", "count", "type"])
def test_an_argument_that_makes_no_sense_on_one_rank_ends_the_program(
    wrong: str, name: str, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    """The library judges it, and ends the ranks that wait in the schedule, as it does without the shim."""
    table = "".join(algorithm.rule() for algorithm in algorithms("allreduce")[:1])
    words = ("shim_bad_argument.c", known(name), 2, table, wrong)
    outcome = start(*words, builder=builder, shim=shim, directory=tmp_path)
    # Its message may not reach the launcher before that ends the ranks.
    assert outcome.returncode != 0
