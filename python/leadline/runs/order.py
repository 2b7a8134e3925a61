"""Which candidate runs when. Every round has each candidate once, so that the rounds can be compared pairwise."""

from __future__ import annotations

import enum
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


class Order(enum.Enum):
    """How a round differs from the one before it.

    ROTATING: it begins at another place, so that no candidate always comes first; the first round is as given.
    SHUFFLED: each round is a new draw, so that no candidate always follows the same one.
    BACK_AND_FORTH: it is reversed. Of two candidates, A B B A: a steady drift cancels.
    SAME: not at all, for a base that comes before each.
    """

    ROTATING = "rotating"
    SHUFFLED = "shuffled"
    BACK_AND_FORTH = "back and forth"
    SAME = "same"


@dataclass(frozen=True)
class Turn(Generic[T]):
    """A candidate's place. round, place: counted from 0.   rounds, places: how many there are."""

    candidate: T
    round: int
    place: int
    rounds: int
    places: int


def turns(candidates: Sequence[T], rounds: int, order: Order = Order.ROTATING, *, seed: int = 1) -> list[Turn[T]]:
    """The turns of all rounds, one after the other. seed: of SHUFFLED; the same one gives the same order."""
    chance = random.Random(seed)
    return [
        Turn(candidates[which], number, place, rounds, len(candidates))
        for number in range(rounds)
        for place, which in enumerate(_round(len(candidates), number, rounds, order, chance))
    ]


def _round(n: int, number: int, rounds: int, order: Order, chance: random.Random) -> list[int]:
    numbers = list(range(n))
    match order:
        case Order.ROTATING:
            # The first places are spread over all candidates, even if there are fewer rounds than those.
            first = number * n // rounds if rounds < n else number % max(n, 1)
            return numbers[first:] + numbers[:first]
        case Order.SHUFFLED:
            return chance.sample(numbers, n)
        case Order.BACK_AND_FORTH:
            return numbers[::-1] if number % 2 else numbers
        case Order.SAME:
            return numbers
