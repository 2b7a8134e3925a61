"""The program that the runs have in common: its calls once, with everything that differs as a function of the rank.

The bodies of loops are merged into one sequence of places for calls and loops; each rank of each run goes through some
of them, some number of times. How often, and with which partners, sizes and tags, is fitted to all ranks of all runs
(fitting.py), so that edges and corners of a grid, roots, and rounds of a schedule follow from the values.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from leadline.predict.ranks.forms import Model, Point
from leadline.predict.ranks.partners import Members
from leadline.predict.ranks.recorded_tree import Leaf, Part
from leadline.predict.ranks.requests import Rule


class NoFit(Exception):
    """what: of which site the values follow no form; a sentence without its full stop."""

    def __init__(self, name: Hashable, what: str) -> None:
        super().__init__(what)
        self.name, self.what = name, what


class NotShown(NoFit):
    """What the recorded runs have in common leaves it open."""


@dataclass(frozen=True)
class Quantity:
    name: Hashable
    what: str
    form: str
    error: float
    sure: bool


@dataclass(eq=False)
class PartModels:
    """partner: None: it has none, as a collective's."""

    part: Part
    members: Model[Members] | None
    family: tuple[int, int]
    partner: Model[int | None] | None
    tag: Model[int]
    posted: Model[int]
    sent: Model[int]
    received: Model[int]


@dataclass(eq=False)
class Source:
    """A recorded call of the last run.   at: whether each index is the first one, and the last one."""

    rank: int
    leaf: int
    ends: tuple[tuple[bool, bool], ...]


@dataclass(eq=False)
class Variant:
    """Calls with parts of the same kinds."""

    members: Model[Members] | None
    family: tuple[int, int]
    root: Model[int]
    posted: Model[int]
    parts: list[PartModels]
    sources: dict[int, list[Source]]  # by rank of the last run


@dataclass(eq=False)
class ProgramCall:
    number: int
    leaf: Leaf
    which: Model[int]
    variants: list[Variant]
    rule: Rule | None
    samples: list[tuple[int, int, int]]  # run, rank, leaf


@dataclass(eq=False)
class ProgramLoop:
    """number: in the last run."""

    number: int
    main: bool
    repeat: Repeat


@dataclass(eq=False)
class Repeat:
    """kinds: contents of the iterations in their order, if all runs have as many; otherwise one for all. indexed: what
    it holds knows its iteration. uniform: all iterations are alike."""

    name: Hashable
    trips: Model[int]
    kinds: list[tuple[Any, int]]
    indexed: bool
    uniform: bool
    depth: int


ProgramBody = list[Repeat]
Sample = tuple[Point, int, Any]  # run, and what is there
