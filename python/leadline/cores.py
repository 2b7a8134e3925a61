"""Native work on several cores at once: such calls release the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

MOST = 8  # others work on a login node, too

T = TypeVar("T")
R = TypeVar("R")


def number() -> int:
    return min(len(os.sched_getaffinity(0)), MOST)


def at_once(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """What `work` makes of each item, in their order. Raises what the first of them raises."""
    with ThreadPoolExecutor(number()) as pool:
        return list(pool.map(work, items))
