"""Tests of ratios as they come in: by hand, and how often they are wrong."""

import random
from math import comb

import pytest

from leadline.statistics.sequential import CONFIRMING, LOOKS, cannot_gain, confirmed, gain_of, won


def test_nothing_is_won_before_the_first_look() -> None:
    assert not won([2.0] * (LOOKS[0] - 1), 0.05)
    assert won([2.0] * LOOKS[0], 0.005)


def test_rounds_after_a_look_wait_for_the_next_one() -> None:
    """Each further round would be one more opportunity for chance."""
    undecided = [1.1, 0.9, 1.1, 0.9, 1.1]
    assert not won([*undecided, 9.0, 9.0], 0.5)


def test_a_gain_that_is_out_of_reach_is_given_up() -> None:
    assert cannot_gain([1.0, 1.001, 0.999], 0.01)
    assert not cannot_gain([1.0, 1.1, 0.9], 0.01)
    assert not cannot_gain([1.0, 1.0], 0.01)


def test_what_is_far_slower_is_given_up_early() -> None:
    assert cannot_gain([0.3], 0.01)
    assert cannot_gain([0.7, 0.6], 0.01)
    assert not cannot_gain([0.7], 0.01)
    assert not cannot_gain([0.5, 0.9], 0.01)


@pytest.mark.parametrize(
    ("losses", "rounds", "said"),
    [
        (0, 5, None),
        (0, 6, True),
        (1, 6, None),
        (1, 9, True),
        (2, 9, None),
        (2, 13, True),
        (3, 4, False),
        (3, 13, False),
    ],
)
def test_signs_decide_what_fresh_rounds_confirm(losses: int, rounds: int, said: bool | None) -> None:
    assert confirmed([0.99] * losses + [1.01] * (rounds - losses)) is said


def test_a_coin_confirms_with_less_than_five_percent() -> None:
    bound = sum(sum(comb(n, k) for k in range(most + 1)) / 2**n for n, most in CONFIRMING)
    assert bound < 0.05


def test_the_gain_is_the_part_of_the_time_that_is_saved() -> None:
    assert gain_of([2.0, 2.0]) == pytest.approx(0.5)
    assert gain_of([1.25, 0.8]) == pytest.approx(0.0)


@pytest.mark.parametrize("burst", [0.0, 0.3])
def test_noise_wins_as_rarely_as_the_level_says(burst: float) -> None:
    """Ratios of two runs that are alike, some of which something else made slower."""
    chance = random.Random(3)

    def run() -> float:
        return chance.lognormvariate(0, 0.03) * (1 + burst * (chance.random() < 0.2))

    def ever(level: float) -> bool:
        ratios = [run() / run() for _ in range(LOOKS[-1])]
        return any(won(ratios[:look], level) for look in LOOKS)

    assert sum(ever(0.05) for _ in range(1000)) <= 70
