"""The periodic grid of ranks whose neighbours exchange data in a neighbourhood collective."""

from __future__ import annotations

import math
from collections.abc import Iterable

from leadline.errors import UsageError

Dims = tuple[int, ...]


def parse_dims(text: str) -> dict[int, Dims]:
    """Grids by number of ranks, of "2x2" or "2,2x2,4x2". Raises UsageError."""
    found: dict[int, Dims] = {}
    for word in text.split(","):
        sides = word.split("x")
        if not all(side.isdigit() and int(side) > 0 for side in sides):
            raise UsageError(f"--dims {word}: expected the sides of a grid of ranks", hint="e.g. --dims 4x2")
        dims = tuple(int(side) for side in sides)
        if math.prod(dims) in found:
            raise UsageError(f"--dims names two grids of {math.prod(dims)} ranks", hint="give one for each -n")
        found[math.prod(dims)] = dims
    return found


def default_dims(ranks: int) -> Dims:
    """In two dimensions, as equal as can be; of a prime number of ranks a ring."""
    narrow = max(side for side in range(1, math.isqrt(ranks) + 1) if ranks % side == 0)
    return (ranks // narrow, narrow) if narrow > 1 else (ranks,)


def require_grids(given: dict[int, Dims], counts: Iterable[int]) -> None:
    """Raises UsageError for grids of other numbers of ranks, if none is of a wanted one."""
    wanted = sorted(set(counts))
    if given and not any(ranks in given for ranks in wanted):
        words = ", ".join("x".join(map(str, dims)) for dims in given.values())
        raise UsageError(
            f"--dims {words} is a grid of {', '.join(map(str, given))} ranks, not of {', '.join(map(str, wanted))}",
            hint="the product of its sides is the number of ranks (-n)",
        )


def in_words(dims: Dims) -> str:
    """ "a periodic grid of 4 × 2"."""
    return f"a periodic grid of {' × '.join(map(str, dims))}" if len(dims) > 1 else f"a ring of {dims[0]}"
