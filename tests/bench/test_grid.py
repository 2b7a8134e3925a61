"""The grid of ranks whose neighbours exchange data, and the collectives that are measured in it."""

import json
import subprocess
import sys

import pytest

from leadline.bench import measure
from leadline.bench.bounds import bound_us
from leadline.bench.grid import default_dims, in_words, parse_dims, require_grids
from leadline.errors import UsageError
from leadline.mpi import Library
from leadline.network.file import named
from leadline.operations import operations

WITH_NEIGHBOURS = [name for name, operation in operations().items() if operation.for_neighbours]


def test_a_grid_goes_by_its_number_of_ranks() -> None:
    assert parse_dims("2x2") == {4: (2, 2)}
    assert parse_dims("2,2x2,4x2x1") == {2: (2,), 4: (2, 2), 8: (4, 2, 1)}


@pytest.mark.parametrize("text", ["", "2x", "x2", "0x4", "-2", "2*2", "4,2x2", "2x2,"])
def test_what_is_no_grid(text: str) -> None:
    with pytest.raises(UsageError, match="--dims"):
        parse_dims(text)


def test_without_dims_the_grid_is_as_square_as_can_be() -> None:
    assert [default_dims(ranks) for ranks in (1, 2, 4, 6, 7, 12)] == [(1,), (2,), (2, 2), (3, 2), (7,), (4, 3)]
    assert (in_words((4, 3)), in_words((7,))) == ("a periodic grid of 4 × 3", "a ring of 7")


def test_a_grid_of_other_ranks_is_refused() -> None:
    require_grids({4: (2, 2), 8: (4, 2)}, [2, 4])
    with pytest.raises(UsageError, match="--dims 2x2 is a grid of 4 ranks, not of 2"):
        require_grids({4: (2, 2)}, [2])


def test_the_bound_is_a_block_for_each_neighbour_but_oneself() -> None:
    network = named("gigabit").network
    piece = network.most_favourable()
    for dims, neighbours in (((2,), 2), ((4, 1), 2), ((2, 2), 4), ((3, 2, 2), 6)):
        expected = (piece.message_ns(0) + neighbours * 8000 * piece.per_byte_ns) / 1000
        assert bound_us("neighbor_alltoall", 8000, 12, network, dims) == pytest.approx(expected)


@pytest.mark.parametrize("operation", WITH_NEIGHBOURS)
def test_results_are_checked_in_a_grid_with_ranks_that_are_their_own_neighbours(
    operation: str, a_library: Library
) -> None:
    found = measure(
        operation, algorithms=["linear", "nothing"], sizes=[8, 4001], ranks=2, dims=(2, 1), library=a_library,
        launches=1, rounds=3, seconds=0.1,
    )  # fmt: skip
    assert [(row["algorithm"], row["correct"]) for row in found.rows] == 2 * [
        ("native", True),
        ("linear", True),
        ("nothing", False),
    ]
    assert found.document()["settings"]["dims"] == [2, 1]
    assert all(row["bound_us"] > 0 for row in found.rows)


@pytest.mark.ci
@pytest.mark.parametrize("operation", WITH_NEIGHBOURS)
@pytest.mark.parametrize("dims", [(4,), (2, 2), (3, 2)], ids=str)
def test_results_are_right_with_each_library(operation: str, dims: tuple[int, ...], each_library: Library) -> None:
    """Libraries order the blocks of a dimension with two ranks differently."""
    ranks = 6 if dims == (3, 2) else 4
    found = measure(
        operation, algorithms=["linear"], sizes=[8, 20000], ranks=ranks, dims=dims, library=each_library, launches=1,
        rounds=2, seconds=0.1,
    )  # fmt: skip
    assert [row["correct"] for row in found.rows] == [True] * 4


def test_a_grid_for_an_operation_without_neighbours_is_refused(a_library: Library) -> None:
    words = [sys.executable, "-m", "leadline", "bench", "--mpi", a_library.name, "--json"]
    done = subprocess.run([*words, "bcast", "--dims", "2"], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--dims is for neighbourhood collectives, not bcast" in done.stderr


def test_the_command_measures_in_the_grid_that_is_given(a_library: Library) -> None:
    words = [sys.executable, "-m", "leadline", "bench", "--mpi", a_library.name, "--json", "neighbor_alltoall"]
    words += ["--dims", "1x2", "--sizes", "64", "--launches", "1", "--rounds", "3", "--seconds", "0.1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["settings"]["dims"] == [1, 2]
    assert [(row["algorithm"], row["correct"]) for row in document["rows"]] == [("native", True), ("linear", True)]
