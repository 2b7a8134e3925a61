"""Programs extrapolated to other numbers of ranks: every call of every rank is that of the program itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from leadline.errors import UsageError
from leadline.predict.ranks import computation_of, extrapolation_of
from leadline.predict.ranks.forms import trend
from leadline.predict.ranks.grids import Rule, coordinates, rank_at
from replay.grown_programs import Program, Rank, calls_of_grown, calls_of_recorded, recorded

STEPS = 3
SIDES = {4: (2, 2), 8: (4, 2), 16: (4, 4), 32: (8, 4), 64: (8, 8)}
CUBES = {8: (2, 2, 2), 16: (4, 2, 2), 32: (4, 4, 2), 64: (4, 4, 4), 128: (8, 4, 4)}


def ring(rank: Rank) -> None:
    def step(_: int) -> None:
        left, right = (rank.rank - 1) % rank.size, (rank.rank + 1) % rank.size
        rank.exchange("ring", right, left, 1, 8000)
        rank.collective("sum", 8)

    rank.loop(1, STEPS, step)


def strips(rank: Rank) -> None:
    """Edges have one neighbour; sizes are shares of the whole."""

    def step(_: int) -> None:
        near = [n for n in (rank.rank - 1, rank.rank + 1) if 0 <= n < rank.size]
        for n in near:
            rank.ireceive("receive", n, 1 if n < rank.rank else 2, 65536 // rank.size)
        for n in near:
            rank.isend("send", n, 2 if n < rank.rank else 1, 65536 // rank.size)
        rank.wait_all("wait")

    rank.loop(1, STEPS, step)


def null_partners(rank: Rank) -> None:
    below, above = (n if 0 <= n < rank.size else None for n in (rank.rank - 1, rank.rank + 1))
    rank.exchange("up", above, below, 1, 4096)
    rank.exchange("down", below, above, 2, 4096)


def halo(around: bool) -> Program:
    def program(rank: Rank) -> None:
        extents = SIDES[rank.size]
        x, y = coordinates(rank.rank, extents)

        def neighbour(dx: int, dy: int) -> int | None:
            to = (x + dx, y + dy)
            if around:
                to = (to[0] % extents[0], to[1] % extents[1])
            return rank_at(to, extents) if all(0 <= c < e for c, e in zip(to, extents, strict=True)) else None

        def step(_: int) -> None:
            sides = [(-1, 0), (1, 0), (0, -1), (0, 1)]
            sizes = [512 // extents[1] * 8, 1024 // extents[0] * 8]
            near = [(n, k) for k, (dx, dy) in enumerate(sides) if (n := neighbour(dx, dy)) is not None]
            for n, k in near:
                rank.ireceive("receive", n, k ^ 1, sizes[k // 2])
            for n, k in near:
                rank.isend("send", n, k, sizes[k // 2])
            rank.wait_all("wait")

        rank.loop(1, STEPS, step)

    return program


def cube(rank: Rank) -> None:
    extents = CUBES[rank.size]
    at = coordinates(rank.rank, extents)
    for k in range(3):
        for by in (-1, 1):
            to, of = (tuple(c + (d if j == k else 0) for j, c in enumerate(at)) for d in (by, -by))
            inside = [p if 0 <= p[k] < extents[k] else None for p in (to, of)]
            partners = [None if p is None else rank_at(p, extents) for p in inside]
            rank.exchange(f"{k} {by}", *partners, k, 2**18 * extents[k] // rank.size)


def hypercube(rank: Rank) -> None:
    def round_of(i: int) -> None:
        rank.exchange("pairs", rank.rank ^ 1 << i, rank.rank ^ 1 << i, i, 1024)

    rank.loop(2, rank.size.bit_length() - 1, round_of)


def all_to_one(rank: Rank) -> None:
    if rank.rank == 0:
        rank.loop(2, rank.size - 1, lambda i: rank.receive("root", i + 1, 7, 2**20 // rank.size))
    else:
        rank.send("others", 0, 7, 2**20 // rank.size)


def transpose(rank: Rank) -> None:
    def turn(i: int) -> None:
        to, of = (rank.rank + i + 1) % rank.size, (rank.rank - i - 1) % rank.size
        rank.exchange("turn", to, of, 3, 2**22 // rank.size**2)

    rank.loop(2, rank.size - 1, turn)


def wavefront(rank: Rank) -> None:
    extents = SIDES[rank.size]
    x, y = coordinates(rank.rank, extents)
    if x > 0:
        rank.receive("from north", rank_at((x - 1, y), extents), 1, 800)
    if y > 0:
        rank.receive("from west", rank_at((x, y - 1), extents), 2, 800)
    if x < extents[0] - 1:
        rank.send("to south", rank_at((x + 1, y), extents), 1, 800)
    if y < extents[1] - 1:
        rank.send("to east", rank_at((x, y + 1), extents), 2, 800)


def every_fourth_step(rank: Rank) -> None:
    def step(i: int) -> None:
        rank.collective("sum", 8)
        if i % 4 == 3:
            rank.collective("gather", 64)

    rank.loop(1, 8, step)


ON_TWO_TO_EIGHT = [ring, strips, null_partners, hypercube, all_to_one, transpose, every_fourth_step]
ON_GRIDS = [halo(False), halo(True), wavefront]


def check(program: Program, sizes: tuple[int, ...], wanted: int, grid: tuple[int, ...] = ()) -> None:
    trees = [recorded(program, size) for size in sizes]
    grown = extrapolation_of(trees, wanted, grid).grown(wanted)
    expected = recorded(program, wanted)
    for rank in range(wanted):
        assert calls_of_grown(grown, trees[-1], rank) == calls_of_recorded(expected, rank), rank


@pytest.mark.parametrize("wanted", [16, 32, 128])
@pytest.mark.parametrize("program", ON_TWO_TO_EIGHT, ids=lambda p: p.__name__)
def test_every_call_on_more_ranks_is_that_of_the_program(program: Program, wanted: int) -> None:
    check(program, (2, 4, 8), wanted)


@pytest.mark.parametrize("program", [ring, null_partners, hypercube, every_fourth_step], ids=lambda p: p.__name__)
def test_two_recorded_numbers_are_enough_where_nothing_else_fits(program: Program) -> None:
    check(program, (4, 8), 32)


@pytest.mark.parametrize("wanted", [32, 64])
@pytest.mark.parametrize("program", ON_GRIDS, ids=["halo", "halo around", "wavefront"])
def test_neighbours_in_a_grid_follow_from_those_recorded(program: Program, wanted: int) -> None:
    check(program, (4, 8, 16), wanted)


@pytest.mark.parametrize("wanted", [64, 128])
def test_neighbours_in_three_dimensions(wanted: int) -> None:
    check(cube, (8, 16, 32), wanted)


def test_rows_have_communicators_of_their_own() -> None:
    def program(rank: Rank) -> None:
        rank.collective("row", 80, 100 + coordinates(rank.rank, SIDES[rank.size])[0])

    def rows(size: int) -> dict[int, tuple[int, ...]]:
        lines, columns = SIDES[size]
        return {100 + x: tuple(range(x * columns, (x + 1) * columns)) for x in range(lines)}

    def with_neighbours(rank: Rank) -> None:
        halo(False)(rank)
        program(rank)

    trees = [recorded(with_neighbours, size, rows(size)) for size in (4, 8, 16)]
    grown = extrapolation_of(trees, 64).grown(64)
    for rank in range(64):
        expected = calls_of_recorded(recorded(with_neighbours, 64, rows(64)), rank)
        assert calls_of_grown(grown, trees[-1], rank) == expected
    assert len(set(grown.communicators.values())) == 1 + 8


def test_sizes_without_a_form_are_refused_with_their_site() -> None:
    sizes = {2: 8000, 4: 12000, 8: 7000}

    def program(rank: Rank) -> None:
        rank.exchange("halo", (rank.rank + 1) % rank.size, (rank.rank - 1) % rank.size, 1, sizes[rank.size])

    trees = [recorded(program, size) for size in sizes]
    trees[-1].places["halo"] = "MPI_Sendrecv in halo.c:31"
    with pytest.raises(UsageError, match=r"halo\.c:31: bytes posted 8,000, 12,000, 7,000 on 2, 4, 8 ranks"):
        extrapolation_of(trees, 16)


def test_partners_without_a_form_are_refused() -> None:
    far = {4: (1, 3, 0, 2), 8: (5, 0, 7, 2, 6, 1, 4, 3)}
    with pytest.raises(UsageError, match="partners"):
        extrapolation_of([recorded(lambda r: r.send("x", far[r.size][r.rank], 0, 8), size) for size in far], 16)


def test_runs_of_one_number_of_ranks_are_refused() -> None:
    with pytest.raises(UsageError, match="two or more"):
        extrapolation_of([recorded(ring, 4), recorded(ring, 4)], 8)


def test_a_given_grid_is_taken() -> None:
    trees = [recorded(halo(False), size) for size in (4, 8, 16)]
    grown = extrapolation_of(trees, 32, (4, 8)).grown(32)
    partners = {v.world for columns in [grown.columns[0]] for c in columns.values() for v in c.parts}
    assert partners == {1, 8}


def test_grids_that_the_runs_leave_open_are_named() -> None:
    """Squares do not show which dimension gets more ranks."""
    squares = extrapolation_of([recorded(halo(False), size) for size in (4, 16)], 32)
    assert {squares.rule.extents(32), *squares.other_grids(32)} == {(4, 8), (8, 4)}
    known = extrapolation_of([recorded(halo(False), size) for size in (4, 8, 16)], 32)
    assert not known.other_grids(32)


def test_computation_that_is_shared_shrinks_with_the_ranks() -> None:
    found = trend({(p, (p,)): 1000.0 / p for p in (2, 4, 8)})
    assert found.form == "1/P"
    assert found.of(64, (64,)) == pytest.approx(1000 / 64)
    assert found.low(64, (64,)) <= found.of(64, (64,)) <= found.high(64, (64,))


def test_forms_that_do_as_well_make_the_interval() -> None:
    """Of two numbers of ranks, no form is checked by a third."""
    found = trend({(2, (2,)): 100.0, (4, (4,)): 60.0})
    likely = found.of(32, (32,))
    assert found.low(32, (32,)) < likely < found.high(32, (32,))


def test_computation_of_a_site_stays_what_it_is_where_it_does_not_change() -> None:
    extrapolation = extrapolation_of([recorded(ring, size) for size in (2, 4, 8)], 32)
    computation = computation_of(extrapolation)
    assert {computation.factor(call.number, 32, (32,)) for call in extrapolation.fitting.calls} == {1.0}


@pytest.mark.parametrize(
    ("rule", "extents"),
    [
        (Rule(2, (1.0, 1.001)), {2: (2, 1), 8: (4, 2), 16: (4, 4), 32: (8, 4)}),
        (Rule(2, (1.0, 4.1)), {2: (2, 1), 16: (8, 2)}),
        (Rule(3, (1.0, 1.001, 1.003)), {8: (2, 2, 2), 12: (3, 2, 2)}),
        (Rule(2, (), ((1, 2),)), {8: (4, 2), 32: (16, 2)}),
    ],
)
def test_grids_follow_their_rule(rule: Rule, extents: dict[int, tuple[int, ...]]) -> None:
    assert {size: rule.extents(size) for size in extents} == extents
