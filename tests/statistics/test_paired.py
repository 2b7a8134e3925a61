"""Ratios of rounds, by hand and as properties."""

import random

import pytest

from leadline.statistics.interval import FEWEST, range_of
from leadline.statistics.paired import PairedRatio, paired


def test_a_ratio_by_hand() -> None:
    found = paired([10.0, 12.0, None, 9.0], [5.0, 4.0, 1.0, 2.0])
    assert found == PairedRatio((2.0, 3.0, 4.5))
    assert (found.median, found.least, found.most, found.clear) == (3.0, 2.0, 4.5, False)
    assert found.interval() == {"median": 3.0, "low": None, "high": None}
    assert paired([None], [1.0]) is None


def test_a_ratio_is_clear_if_enough_rounds_agree() -> None:
    assert PairedRatio((1.1,) * FEWEST).clear
    assert PairedRatio((0.9,) * FEWEST).clear
    assert not PairedRatio((1.1,) * (FEWEST - 1)).clear
    assert not PairedRatio((1.1,) * FEWEST + (1.0,)).clear
    assert not PairedRatio((1.1,) * FEWEST + (0.9,)).clear


def test_a_range_of_few_values_is_all_of_them() -> None:
    assert range_of([3.0, 1.0]) == (1.0, 3.0)
    assert range_of([2.0] * 9 + [99.0]) == (2.0, 2.0)  # of ten, the one that is apart is hardly ever in the middle
    with pytest.raises(ValueError):
        range_of([])


@pytest.mark.parametrize("seed", range(20))
def test_what_holds_of_any_ratio(seed: int) -> None:
    chance = random.Random(seed)
    base = [chance.lognormvariate(0, 0.3) for _ in range(chance.randint(5, 12))]
    other = [chance.lognormvariate(0.2, 0.3) for _ in base]
    one, back = paired(base, other), paired(other, base)
    assert one is not None
    assert back is not None
    assert one.least <= one.median <= one.most
    assert back.least == pytest.approx(1 / one.most)
    assert back.clear == one.clear
    drifting = [chance.uniform(1, 9) for _ in base]  # both of a round are as much slower
    slower = [[value * drift for value, drift in zip(side, drifting, strict=True)] for side in (base, other)]
    drifted = paired(slower[0], slower[1])
    assert drifted is not None
    assert drifted.ratios == pytest.approx(one.ratios)
    low = one.interval()["low"]
    assert low is not None
    if one.clear and one.median > 1:  # then the interval is clear of 1, too
        assert low > 1
