"""Algorithms of two levels whose nodes work through the memory that their ranks share: ranks of one machine are taken
to be on several nodes, of different sizes, by another name of their host."""

import itertools
from pathlib import Path

import pytest
from recorder.building import Builder
from recorder.libraries import Library
from recorder.running import Outcome, run_mpi

from .tables import LARGEST, Algorithm, algorithms, report
from .test_blocks import known

OPERATIONS = ("bcast", "reduce", "allreduce", "alltoall", "allgather", "barrier")
SIZES = (1, 40, 4001, LARGEST)  # bytes
FEWEST = 3  # turns in which each algorithm gets every one of these ranges once, at least


def of_two_levels(operation: str) -> list[Algorithm]:
    return [one for one in algorithms(operation) if one.name.startswith(("two_level:within=shared", "two_level:lanes"))]


TURNS = max(FEWEST, *(len(of_two_levels(operation)) for operation in OPERATIONS))


def table(turn: int) -> str:
    lines = []
    for operation in OPERATIONS:
        found = of_two_levels(operation)
        if operation == "barrier":
            lines.append(found[turn % len(found)].rule(0))
            continue
        for place, (first, last) in enumerate(itertools.pairwise(SIZES)):
            lines.append(found[(turn + place) % len(found)].rule(first, last - 1))
    return "".join(lines)


def start(
    program: str, library: Library, nodes: str, rules: str, *words: str, builder: Builder, shim: Path, directory: Path
) -> Outcome:
    (directory / "table").write_text(rules)
    (directory / "reports").mkdir()
    return run_mpi(
        library,
        len(nodes),
        [builder.c(library, program), *words],
        cwd=directory,
        preload=[builder.tool(library, "node_names.c", "-ldl"), shim],
        environment={
            "LEADLINE_TABLE": str(directory / "table"),
            "LEADLINE_SHIM_REPORT": str(directory / "reports"),
            "NODES": nodes,
        },
    )


@pytest.mark.parametrize(
    ("name", "nodes", "calls"),
    [
        ("openmpi", "aabbb", 500),
        ("mpich", "aba", 400),
        ("openmpi", "abcabca", 300),
        ("openmpi", "aaabbbbcc", 200),
        ("openmpi", "abb", 500),
        ("openmpi", "ab", 500),
        ("openmpi", "aaaa", 500),
        ("mpich", "aab", 400),
        ("intel", "ab", 500),
        ("debian-openmpi", "baab", 300),
    ],
)
@pytest.mark.ci("intel", "debian-openmpi", "abcabca", "aaabbbbcc", "abb", "aaaa", "aab", "ab")
def test_calls_drawn_at_random_are_right(
    name: str, nodes: str, calls: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    for turn in range(TURNS):
        directory = tmp_path / str(turn)
        directory.mkdir()
        words = ("random", str(calls))
        outcome = start(
            "shim_memory.c", known(name), nodes, table(turn), *words, builder=builder, shim=shim, directory=directory
        )
        assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
        assert sorted(outcome.lines) == sorted(f"rank {rank}: {calls} calls, 0 wrong" for rank in range(len(nodes)))
        for rank in range(len(nodes)):
            lines = [line for line in report(directory / "reports", rank)[0] if line.operation in OPERATIONS]
            assert {line.why for line in lines} == {""}


@pytest.mark.parametrize(("name", "nodes"), [("openmpi", "aabbb"), ("mpich", "aba")])
def test_another_count_on_one_rank_is_told_on_every_node(
    name: str, nodes: str, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    """Counts of 40 and 60 ints, and of 4000 and 5000: short and long in the segment."""
    rules = "".join(of_two_levels(operation)[0].rule() for operation in ("alltoall", "allgather"))
    words = ("alltoall", "allgather", "mismatched")
    outcome = start("shim_blocks.c", known(name), nodes, rules, *words, builder=builder, shim=shim, directory=tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    cases = [line.split() for line in outcome.lines if not line.startswith("rank")]
    assert len(cases) == 4 * len(nodes) * 2
    for operation, odd_rank, others, odd, told in cases:
        assert set(told) <= set("TO"), (operation, odd_rank, others, odd, told)


@pytest.mark.parametrize(("name", "nodes"), [("openmpi", "aabb"), ("mpich", "aba")])
def test_another_count_in_a_reduction_is_told_and_later_calls_are_right(
    name: str, nodes: str, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    for turn in range(TURNS):
        directory = tmp_path / str(turn)
        directory.mkdir()
        of = {operation: of_two_levels(operation) for operation in ("bcast", "reduce", "allreduce")}
        rules = "".join(found[turn % len(found)].rule(2) for found in of.values())
        outcome = start("shim_lengths.c", known(name), nodes, rules, builder=builder, shim=shim, directory=directory)
        assert outcome.returncode == 0, outcome.stdout + outcome.stderr
        right = [line for line in outcome.lines if line.startswith("rank")]
        assert right == [f"rank {rank}: 0 wrong" for rank in range(len(nodes))]
        for operation, others, odd_rank, odd, told in (line.split() for line in outcome.lines if line not in right):
            assert set(told) <= set("-TO"), told  # X: success, and wrong data
            if operation == "a":
                assert "-" not in told, (others, odd_rank, odd, told)
