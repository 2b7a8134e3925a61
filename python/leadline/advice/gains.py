"""What a replay with a change gains over the one without, and how far off that may be."""

from __future__ import annotations

from leadline.advice.proposal import Gain
from leadline.errors import UsageError
from leadline.predict import Prediction

WORTH = 0.01
"""A share of the run's time: what gains less is not proposed. Runs differ by more than that from one to the next."""
MODEL = 0.25
"""A share of the gain that draws do not show: replays of planted faults are off by it (docs/tune/advise-suite.md)."""


def gain_between(base: Prediction, found: Prediction, *, uncertain: bool = False, less: float = 0.0) -> Gain:
    """The interval is from replays whose iterations were drawn alike with and without the changes; wider by what the
    replay of the base is off by, and by MODEL. Where what calls cost is `uncertain`, it is wider by that, and by what
    the base was off by before its costs were adapted to it, if that is more.

    The recorder's own time of calls that are not made is no gain of a run that is not recorded. A rank may have waited
    meanwhile: the upper end has it.   less: a share that the replay gains of calls which recording made longer; as much
    may be gained.
    """
    before, after = base.predicted.drawn_s, found.predicted.drawn_s
    shares = [1 - b / a for a, b in zip(before, after, strict=True) if a > 0]
    if not shares:
        raise UsageError("the run takes no time")
    low, high = min(shares), max(shares)
    # What the replay is off by may be a part of the gain, or hide one.
    error = abs(found.error_of_base["whole"] or 0.0)
    if uncertain:
        error = max(error, found.adapted)
        low = min(low, 1 - found.of_change.high / before[0])
        high = max(high, 1 - found.of_change.low / before[0])
    low, high = low - less - error, high + error + found.own_s / before[0]
    return Gain(shares[0] - less, min(low, (1 - MODEL) * low), max(high, (1 + MODEL) * high), less)
