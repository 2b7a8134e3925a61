"""What a change gains, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leadline.text import format as fmt


class Gain(Protocol):
    """As shares of the whole run's time, with an interval."""

    @property
    def share(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def gain_words(gain: Gain) -> str:
    """ "gains 12 % (10 % to 14 %)"; "loses 3 %" where it does. Without an interval where it is not known, as of changes
    that were replayed once."""
    words = f"{'gains' if gain.share >= 0 else 'loses'} {fmt.percent(abs(gain.share))}"
    if gain.low == gain.high:
        return words
    return f"{words} ({signed(gain.low)} to {signed(gain.high)})"


def signed(share: float) -> str:
    return ("-" if share < 0 else "") + fmt.percent(abs(share))


def to_check(assumptions: Sequence[str]) -> str:
    """ "Check first that the work can be divided evenly."; "" if nothing is assumed."""
    return f"Check first that {', and that '.join(assumptions)}." if assumptions else ""
