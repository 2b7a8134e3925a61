"""What candidates are asked for, and what they say of those that are not worth trying."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.improve.places import Places
from leadline.libraries.rule import Table
from leadline.placing.traffic import Traffic

WORTH = 0.01  # of the time: nothing that could save less is tried


@dataclass(frozen=True)
class NotTried:
    """what: settings, in a few words.   why: with the figure that says so."""

    what: str
    why: str


@dataclass(frozen=True)
class Asked:
    """libmpi: the library's file.   reorder: whether sums may be made in another order, which can change results.

    places: where the ranks are, the hardware of their hosts, the bytes between all pairs, and the launcher's version;
    None if ranks cannot be asked. Raises LeadlineError if they do not answer.
    only: kinds; () for all.   ranks: other numbers of them that may be tried.
    defaults: the values that the library's own variables have without the user's file of settings, None for those that
    it lacks. Raises LeadlineError.
    tuned: measures Leadline's own algorithms for these operations of the record, and returns the rules that won; None
    if nothing is to be measured here.
    """

    libmpi: Path
    reorder: bool = False
    only: tuple[str, ...] = ()
    tuned: Callable[[list[str]], Table] | None = None
    ranks: tuple[int, ...] = ()
    places: Callable[[], tuple[Places, Traffic, str]] | None = None
    defaults: Callable[[Sequence[str]], Mapping[str, str | None]] | None = None
