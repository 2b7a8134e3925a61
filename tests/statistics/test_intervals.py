"""Medians, intervals and paired ratios: by hand, and what must hold of any."""

import random

import pytest

from leadline.statistics import student
from leadline.statistics.interval import FEWEST, RESAMPLES, Interval, interval
from leadline.statistics.median import median, quantile
from leadline.statistics.paired import paired_ratios


def test_medians_by_hand() -> None:
    assert median([3.0]) == 3
    assert median([5.0, 1.0, 3.0]) == 3
    assert median([4.0, 1.0, 2.0, 9.0]) == 3
    with pytest.raises(ValueError):
        median([])


def test_quantiles_by_hand() -> None:
    assert quantile([1.0, 2.0, 3.0, 4.0, 5.0], 0.0) == 1
    assert quantile([1.0, 2.0, 3.0, 4.0, 5.0], 1.0) == 5
    assert quantile([1.0, 2.0, 3.0, 4.0, 5.0], 0.375) == 2.5
    assert quantile([7.0], 0.3) == 7


def test_ratios_are_of_rounds_in_which_both_were_on_time() -> None:
    assert paired_ratios([10.0, None, 30.0, 8.0], [5.0, 4.0, None, 2.0]) == [2.0, 4.0]
    assert paired_ratios([1.0], [0.0]) == []
    with pytest.raises(ValueError):
        paired_ratios([1.0], [1.0, 2.0])


def test_too_few_samples_have_no_interval() -> None:
    assert interval([]) is None
    assert interval([[], []]) is None
    assert interval([[1.0, 2.0], [3.0]]) == Interval(2.0, None, None)
    found = interval([[1.0] * FEWEST])
    assert found == Interval(1.0, 1.0, 1.0)


def test_the_bootstrap_of_three_equal_groups_by_hand() -> None:
    """Groups of one value each: a resample is a multiset of three of {1, 2, 3}, whose median is 1 with 7/27."""
    groups = [[1.0] * 5, [2.0] * 5, [3.0] * 5]
    assert interval(groups, confidence=0.95) == Interval(2.0, 1.0, 3.0)
    assert interval(groups, confidence=0.4) == Interval(2.0, 2.0, 2.0)  # 13/27 of the resamples have the median 2


@pytest.mark.parametrize("seed", range(20))
def test_what_holds_of_any_interval(seed: int) -> None:
    chance = random.Random(seed)
    groups = [[chance.lognormvariate(0, 1) for _ in range(chance.randint(3, 30))] for _ in range(chance.randint(1, 6))]
    values = [value for group in groups for value in group]
    found = interval(groups, seed=seed, resamples=200)
    if len(values) < FEWEST:
        return
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert min(values) <= found.low <= found.median <= found.high <= max(values)
    assert interval(groups, seed=seed, resamples=200) == found  # the same seed, the same interval
    doubled = interval([[2 * value for value in group] for group in groups], seed=seed, resamples=200)
    assert doubled is not None
    assert (doubled.low, doubled.median, doubled.high) == (2 * found.low, 2 * found.median, 2 * found.high)


def test_launches_that_differ_make_the_interval_wider() -> None:
    """The same values, once in launches that differ from one another and once mixed."""
    chance = random.Random(5)
    apart = [[level + chance.random() for _ in range(40)] for level in (0, 10, 20, 30, 40)]
    values = [value for group in apart for value in group]
    chance.shuffle(values)
    mixed = [values[start : start + 40] for start in range(0, 200, 40)]
    wide, narrow = interval(apart), interval(mixed)
    assert wide is not None
    assert narrow is not None
    assert (wide.high or 0) - (wide.low or 0) > (narrow.high or 0) - (narrow.low or 0)


def test_an_interval_contains_the_truth_about_as_often_as_it_says() -> None:
    """200 samples of 25 from a distribution with the median 1; seeded, so always the same."""
    hits = 0
    for seed in range(200):
        chance = random.Random(seed)
        found = interval([[chance.lognormvariate(0, 0.5) for _ in range(25)]], seed=seed, resamples=200)
        assert found is not None
        hits += (found.low or 0) <= 1 <= (found.high or 0)
    assert 180 <= hits <= 199


def test_an_interval_does_not_depend_on_the_order_of_samples() -> None:
    chance = random.Random(3)
    samples = [chance.lognormvariate(0, 0.1) for _ in range(9)]
    each = interval([[value] for value in samples])
    assert each is not None
    assert each.low is not None
    assert each == interval([[value] for value in reversed(samples)]) == interval([samples])
    assert min(samples) < each.low < each.median


def test_thousands_of_cells_share_their_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A campaign of 2,000 cells took half a minute for them."""
    drawn: list[int] = []
    choices = random.Random.choices
    count = lambda self, *words, k: drawn.append(k) or choices(self, *words, k=k)  # noqa: E731
    monkeypatch.setattr(random.Random, "choices", count)
    for at in range(50):
        interval([[1.0 + at + n] for n in range(7)], seed=987)
    assert len(drawn) == RESAMPLES


@pytest.mark.parametrize("q", [0.6, 0.9, 0.975, 0.99999])
@pytest.mark.parametrize("freedom", [1.0, 1.3, 2.0, 3.7, 8.0, 30.0, 1000.0])
def test_quantiles_of_students_distribution(monkeypatch: pytest.MonkeyPatch, q: float, freedom: float) -> None:
    """They undo the distribution, and take a dozen evaluations of it."""
    asked: list[float] = []
    cdf = student.t_cdf
    monkeypatch.setattr(student, "t_cdf", lambda t, f: asked.append(t) or cdf(t, f))
    assert 1 - cdf(student.t_quantile(q, freedom), freedom) == pytest.approx(1 - q, rel=1e-6)
    assert len(asked) <= 25
