"""The collective operations that Leadline has algorithms for, from api/operations.toml; its head explains the words."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leadline.api_data import api_data


@dataclass(frozen=True)
class Side:
    """The data that ranks contribute to an operation, or receive from it."""

    by: str = "all"
    blocks: str = "one"
    counts: str = "one"
    datatypes: str = "one"


@dataclass(frozen=True)
class Operation:
    """name: as commands say.   function: MPI's, without MPI_.   libraries: what is known of each library's own."""

    name: str
    folder: str
    function: str
    contributed: Side
    received: Side
    in_place: str
    libraries: Mapping[str, Mapping[str, Any]]
    reduces: bool = False
    prefix: str = "everybody"
    parts: tuple[str, ...] = ()

    @property
    def has_data(self) -> bool:
        """False: ranks only wait for one another."""
        return self.contributed.blocks != "none"

    @property
    def for_neighbours(self) -> bool:
        """Whether the blocks are those of a process topology's neighbours."""
        return self.received.blocks == "per_neighbour"

    @property
    def has_counts_by_rank(self) -> bool:
        return "per_rank" in (self.contributed.counts, self.received.counts)

    @property
    def sizes_are_known(self) -> bool:
        """Whether all ranks know how many bytes there are, so that rules may be for some sizes."""
        rooted = "root" in (self.contributed.by, self.received.by)
        same = self.reduces or not (rooted or self.contributed.blocks == "per_rank")
        return self.has_data and not self.for_neighbours and (same or not self.has_counts_by_rank)

    @property
    def root_receives(self) -> bool:
        """Whether the result is the root's alone: the other ranks are those that send."""
        return self.received.by == "root"


@functools.cache
def operations() -> Mapping[str, Operation]:
    """By name, in the order of the file."""
    return {name: operation_of(name, entry) for name, entry in api_data("operations.toml").items()}


def measured() -> Mapping[str, Operation]:
    """Those that tune and improve take by default: a topology, and so its neighbours, is the program's own."""
    return {name: operation for name, operation in operations().items() if not operation.for_neighbours}


def operation_of(name: str, entry: Mapping[str, Any]) -> Operation:
    """Raises TypeError or KeyError where a fact is missing or unknown: codegen has checked that."""
    facts = {key: value for key, value in entry.items() if key not in libraries_of(entry)}
    contributed, received = (Side(**facts.pop(key)) for key in ("contributed", "received"))
    facts["parts"] = tuple(facts.get("parts", ()))
    return Operation(name=name, contributed=contributed, received=received, libraries=libraries_of(entry), **facts)


def libraries_of(entry: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The tables [OPERATION.LIBRARY]."""
    return {key: value for key, value in entry.items() if isinstance(value, dict) and "algorithms" in value}
