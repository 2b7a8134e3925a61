"""Grids that runs recorded with their Cartesian communicators: two ranks along a dimension are enough then."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from leadline.errors import UsageError
from leadline.predict.prediction import Replays
from leadline.predict.ranks import Extrapolation, computation_of, extrapolation_of, read_tree, tree_with
from leadline.predict.ranks.faces import Message, faces_of
from leadline.predict.ranks.grids import coordinates, rank_at
from leadline.predict.ranks.recorded_tree import Grid
from replay.grown_programs import Program, Rank, calls_of_grown, calls_of_recorded, recorded
from replay.predicted_runs import record, traffic

EXTENTS = {2: (2, 1, 1), 4: (2, 2, 1), 8: (2, 2, 2), 16: (4, 2, 2), 32: (4, 4, 2), 64: (4, 4, 4)}
OPEN = (False, False, False)
FACE = 2**18  # bytes of the whole box's


def neighbour(rank: Rank, k: int, by: int, closes: tuple[bool, ...] = OPEN) -> int | None:
    extents = EXTENTS[rank.size]
    at = list(coordinates(rank.rank, extents))
    at[k] += by
    if not 0 <= at[k] < extents[k]:
        if not closes[k]:
            return None
        at[k] %= extents[k]
    return rank_at(at, extents)


def face(rank: Rank, k: int) -> int:
    return (FACE << k) * EXTENTS[rank.size][k] // rank.size


def lists(rank: Rank) -> None:
    """One message to each neighbour, with nonblocking calls; the faces differ in their sizes."""

    def step(_: int) -> None:
        near = [(n, k, by) for k in range(3) for by in (-1, 1) if (n := neighbour(rank, k, by)) is not None]
        for n, k, by in near:
            rank.ireceive("receive", n, 2 * k + (by < 0), face(rank, k))
        for n, k, by in near:
            rank.isend("send", n, 2 * k + (by > 0), face(rank, k))
        rank.wait_all("wait")
        rank.collective("sum", 8)

    rank.loop(1, 3, step)


def shifts(rank: Rank) -> None:
    """Up and down along each dimension in turn, from and to MPI_PROC_NULL at the ends."""

    def step(_: int) -> None:
        def along(k: int) -> None:
            below, above = neighbour(rank, k, -1), neighbour(rank, k, 1)
            rank.exchange("up", above, below, 1, face(rank, k))
            rank.exchange("down", below, above, 2, face(rank, k))

        rank.loop(2, 3, along)

    rank.loop(1, 3, step)


def of_each(program: Program, closes: tuple[bool, ...] = OPEN, wanted: int = 16) -> Extrapolation:
    runs = [recorded(program, size, None, [Grid(EXTENTS[size], closes)]) for size in (2, 4, 8)]
    return extrapolation_of(runs, wanted)


@pytest.mark.parametrize("wanted", [16, 32, 64])
@pytest.mark.parametrize("program", [lists, shifts], ids=["lists", "shifts"])
def test_two_ranks_along_each_dimension_show_the_messages_of_more(program: Program, wanted: int) -> None:
    found = of_each(program, wanted=wanted)
    assert found.rule.extents(wanted) == EXTENTS[wanted]
    grown, expected = found.grown(wanted), recorded(program, wanted)
    for rank in range(wanted):
        assert calls_of_grown(grown, found.trees[-1], rank) == calls_of_recorded(expected, rank), rank


def test_it_is_the_recorded_grid_that_shows_them() -> None:
    found = extrapolation_of([recorded(lists, size) for size in (2, 4, 8)], 16)
    with pytest.raises(UsageError, match="more than two ranks along a dimension"):
        found.grown(16)


def test_where_the_ends_are_neighbours_two_ranks_do_not_show_the_side() -> None:
    def around(rank: Rank) -> None:
        closes = (True, True, True)
        for k in range(3):
            below, above = neighbour(rank, k, -1, closes), neighbour(rank, k, 1, closes)
            rank.exchange("up", above, below, 1, face(rank, k))
            rank.exchange("down", below, above, 2, face(rank, k))

    with pytest.raises(UsageError):
        of_each(around, (True, True, True)).grown(16)


def test_a_grid_whose_neighbours_exchange_nothing_is_not_taken() -> None:
    def ring(rank: Rank) -> None:
        rank.exchange("ring", (rank.rank + 1) % rank.size, (rank.rank - 1) % rank.size, 1, 2**20 // rank.size)

    found = of_each(ring)
    assert found.rule.dimensions == 1
    expected = recorded(ring, 16)
    assert all(
        calls_of_grown(found.grown(16), found.trees[-1], rank) == calls_of_recorded(expected, rank) for rank in (0, 7)
    )


def messages(size_of: Callable[[tuple[int, ...], int], int], sizes: tuple[int, ...] = (2, 4, 8)) -> list[Message]:
    return [
        Message(EXTENTS[size], 0, rank_at([int(j == k) for j in range(3)], EXTENTS[size]), size_of(EXTENTS[size], k))
        for size in sizes
        for k in range(3)
        if EXTENTS[size][k] > 1
    ]


def test_a_face_shrinks_with_the_ranks_of_the_other_dimensions() -> None:
    found = faces_of(messages(lambda e, k: 6000 * e[k] // (e[0] * e[1] * e[2])))
    assert found is not None
    assert found.whole == {(0,): 6000, (1,): 6000, (2,): 6000}
    assert not found.checked  # the third is in one run only
    assert faces_of(messages(lambda *_: 6000)) is None  # all are equal: nothing shows that they are faces
    assert faces_of(messages(lambda e, k: 6000 // e[k])) is None


@pytest.mark.ci
def test_a_recorded_programs_calls_on_16_ranks_follow_from_those_on_2_4_and_8(tmp_path: Path) -> None:
    runs = {}
    for ranks in (2, 4, 8, 16):
        (tmp_path / str(ranks)).mkdir()
        runs[ranks] = Replays(record(tmp_path / str(ranks), "box.c", ranks=ranks, steps=6, shares_cores=True))
    trees = [read_tree(runs[ranks].run, runs[ranks].tree) for ranks in (2, 4, 8)]
    assert [tree.grids for tree in trees] == [[Grid(EXTENTS[ranks], OPEN)] for ranks in (2, 4, 8)]
    found = extrapolation_of(trees, 16)
    last = runs[8]
    tree = tree_with(found, found.grown(16), computation_of(found), last.recorded, last.tree)
    assert traffic(read_tree(last.run, tree)) == traffic(read_tree(runs[16].run, runs[16].tree))
