"""What was measured, by candidate and round."""

from leadline.runs.samples import Samples


def test_a_failure_is_a_gap() -> None:
    samples = Samples()
    for number, (base, other) in enumerate([(10.0, 5.0), (12.0, None), (None, 4.0), (9.0, 3.0)]):
        samples.add("other", number, other)  # whichever came first in its round
        samples.add("base", number, base)
    assert samples.by_round("base") == [10.0, 12.0, None, 9.0]
    assert samples.values("base") == [10.0, 12.0, 9.0]
    assert (samples.failed("base"), samples.failed("other"), samples.failed("nobody")) == (1, 1, 0)
    found = samples.ratio("base", "other")
    assert found is not None
    assert found.ratios == (2.0, 3.0)
    assert samples.ratio("base", "nobody") is None


def test_rounds_that_one_of_two_did_not_come_to_are_not_compared() -> None:
    samples = Samples()
    for number in (2, 0, 1):
        samples.add("base", number, 6.0 + number)
    samples.add("other", 2, 4.0)
    found = samples.ratio("base", "other")
    assert found is not None
    assert found.ratios == (2.0,)
