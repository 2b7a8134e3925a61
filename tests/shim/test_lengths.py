"""A rank with another count than the others gets an error, no rank waits for ever, and later calls are correct."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mpi_facts import facts
from recorder.building import Builder
from recorder.libraries import Library, find
from recorder.running import run_mpi

from .tables import LARGEST, OPERATIONS, algorithms

# By operation: trees whose messages are whole, pipelines, and algorithms that move blocks of the data.
WHOLE = ("binomial", "binomial", "linear")
PIPELINES = ("chain", "binary_tree", "binary_tree")
BLOCKS = ("scatter_recursive_doubling", "ring", "rabenseifner")


def known(name: str) -> Library:
    library = find(name)
    if library is None:
        pytest.skip(f"the MPI library {name} is not installed")
    return library


def table(names: tuple[str, ...]) -> str:
    chosen = [
        next(a for a in algorithms(operation) if a.name == name)
        for operation, name in zip(OPERATIONS, names, strict=True)
    ]
    return "".join(algorithm.rule(2, LARGEST) for algorithm in chosen)


def broadcast_is_told(told: str, odd_rank: int, longer: bool, shorter_is_told: bool) -> bool:
    """told: a letter per rank, - success, T truncated, O other error.   longer: the odd rank passed more."""
    concerned = told[1:] if odd_rank == 0 else told[1]
    arrives_longer = longer if odd_rank == 0 else not longer
    if arrives_longer:
        return set(concerned) == {"T"}
    return set(concerned) == {"O"} if shorter_is_told else set(concerned) <= {"O", "-"}


def reduction_is_told(told: str, odd_rank: int, longer: bool) -> bool:
    arrives_longer = longer if odd_rank else not longer
    return told[0] == "T" if arrives_longer else told[0] in "O-"


@pytest.mark.parametrize(
    ("name", "ranks", "names"),
    [
        ("openmpi", 4, WHOLE),
        ("openmpi", 4, PIPELINES),
        ("openmpi", 4, BLOCKS),
        ("mpich", 3, PIPELINES),
        ("mpich", 2, BLOCKS),
    ],
)
def test_other_lengths_are_told(
    name: str, ranks: int, names: tuple[str, ...], builder: Builder, shim: Path, tmp_path: Path
) -> None:
    library = known(name)
    (tmp_path / "table").write_text(table(names))
    outcome = run_mpi(
        library,
        ranks,
        [builder.c(library, "shim_lengths.c")],
        cwd=tmp_path,
        preload=[shim],
        environment={"LEADLINE_TABLE": str(tmp_path / "table")},
    )
    assert outcome.returncode == 0, outcome.stderr
    assert [line for line in outcome.lines if line.startswith("rank")] == [f"rank {r}: 0 wrong" for r in range(ranks)]
    cases = [line.split() for line in outcome.lines if not line.startswith("rank")]
    assert len(cases) == 4 * 3 * 2
    judge: dict[str, Callable[[str, int, bool], bool]] = {
        "b": lambda told, odd, longer: broadcast_is_told(told, odd, longer, facts(library).tells_shorter_broadcasts),
        "r": reduction_is_told,
        "a": lambda told, odd, longer: "-" not in told,
    }
    for operation, others, odd_rank, odd, told in cases:
        assert set(told) <= set("-TO"), told  # X: success, and wrong data
        assert judge[operation](told, int(odd_rank), int(odd) > int(others)), (operation, others, odd_rank, odd, told)


def test_a_longer_message_is_fatal_where_errors_are(
    one_of_each_family: Library, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    (tmp_path / "table").write_text(table(WHOLE))
    outcome = run_mpi(
        one_of_each_family,
        2,
        [builder.c(one_of_each_family, "shim_lengths.c"), "fatal"],
        cwd=tmp_path,
        preload=[shim],
        environment={"LEADLINE_TABLE": str(tmp_path / "table")},
    )
    assert outcome.returncode != 0
    assert "goes on" not in outcome.stdout
    assert "runcat" in outcome.stderr + outcome.stdout
