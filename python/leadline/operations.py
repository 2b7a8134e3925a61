"""The collective operations that Leadline has algorithms for, from api/operations.toml; its head explains the words."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.errors import MissingPrerequisite


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
    reduces: bool
    in_place: str
    libraries: Mapping[str, Mapping[str, Any]]

    @property
    def root_receives(self) -> bool:
        """Whether the result is the root's alone: the other ranks are those that send."""
        return self.received.by == "root"


def data_file() -> Path:
    """Raises MissingPrerequisite if it is not there."""
    package = Path(__file__).resolve().parent
    for file in (package / "share" / "api" / "operations.toml", package.parents[1] / "api" / "operations.toml"):
        if file.is_file():
            return file
    raise MissingPrerequisite(f"{package}/share/api/operations.toml is not there", hint="install leadline again")


@functools.cache
def operations() -> Mapping[str, Operation]:
    """By name, in the order of the file."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    data = tomllib.loads(data_file().read_text(encoding="utf-8"))
    return {name: _operation(name, entry) for name, entry in data.items()}


def _operation(name: str, entry: dict[str, Any]) -> Operation:
    return Operation(
        name,
        entry["folder"],
        entry["function"],
        Side(**entry["contributed"]),
        Side(**entry["received"]),
        entry.get("reduces", False),
        entry["in_place"],
        {key: value for key, value in entry.items() if isinstance(value, dict) and "algorithms" in value},
    )
