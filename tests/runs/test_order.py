"""Which candidate runs when: by hand, and what must hold of any order."""

import random
from collections import Counter

import pytest

from leadline.runs.order import Order, turns


def names(order: Order, candidates: str, rounds: int, seed: int = 1) -> list[str]:
    found = turns(candidates, rounds, order, seed=seed)
    return ["".join(turn.candidate for turn in found if turn.round == number) for number in range(rounds)]


def test_each_order_by_hand() -> None:
    assert names(Order.ROTATING, "abc", 4) == ["abc", "bca", "cab", "abc"]
    assert names(Order.BACK_AND_FORTH, "ab", 3) == ["ab", "ba", "ab"]
    assert names(Order.SAME, "ab", 2) == ["ab", "ab"]
    assert sorted(names(Order.SHUFFLED, "abcdef", 1)[0]) == list("abcdef")


def test_with_fewer_rounds_than_candidates_the_first_places_are_spread() -> None:
    firsts = [found[0] for found in names(Order.ROTATING, "abcdefghij", 3)]
    assert firsts == ["a", "d", "g"]


def test_a_seed_is_an_order() -> None:
    assert names(Order.SHUFFLED, "abcdefgh", 5, seed=3) == names(Order.SHUFFLED, "abcdefgh", 5, seed=3)
    assert names(Order.SHUFFLED, "abcdefgh", 5, seed=3) != names(Order.SHUFFLED, "abcdefgh", 5, seed=4)


def test_nothing_to_run() -> None:
    assert turns("", 3) == []
    assert turns("abc", 0) == []


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("order", Order)
def test_every_round_has_every_candidate_once(order: Order, seed: int) -> None:
    chance = random.Random(seed)
    n, rounds = chance.randint(1, 9), chance.randint(1, 12)
    found = turns(range(n), rounds, order, seed=seed)
    assert [(turn.round, turn.place) for turn in found] == [(r, p) for r in range(rounds) for p in range(n)]
    assert {(turn.rounds, turn.places) for turn in found} == {(rounds, n)}
    assert Counter((turn.round, turn.candidate) for turn in found) == Counter(
        (r, c) for r in range(rounds) for c in range(n)
    )


@pytest.mark.parametrize("n", range(1, 9))
def test_rotation_gives_every_candidate_every_place_equally_often(n: int) -> None:
    found = turns(range(n), 3 * n, Order.ROTATING)
    assert set(Counter((turn.candidate, turn.place) for turn in found).values()) == {3}
