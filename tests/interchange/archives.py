"""Archives as OTF2's own Python package reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Events:
    """Of one location: (kind, event) in order."""

    name: str
    rows: list[tuple[str, Any]] = field(default_factory=list)

    def all(self, kind: str) -> list[Any]:
        return [event for name, event in self.rows if name == kind]

    def in_calls(self) -> Iterator[tuple[str, str, Any]]:
        """The function around each event, its kind, the event; without those that begin and end calls."""
        function = ""
        for kind, event in self.rows:
            if kind == "Enter":
                function = event.region.name
            elif kind != "Leave":
                yield function, kind, event


def locations_of(archive: Path) -> dict[int, Events]:
    """By rank."""
    otf2 = pytest.importorskip("otf2", reason="the package otf2 is not installed: ./dev setup")
    found: dict[int, Events] = {}
    with otf2.reader.open(str(archive / "traces.otf2")) as trace:
        for rank, location in enumerate(trace.definitions.locations):
            found[rank] = Events(location.name)
        ranks = {location.name: rank for rank, location in enumerate(trace.definitions.locations)}
        for location, event in trace.events:
            found[ranks[location.name]].rows.append((type(event).__name__, event))
        declared = {location.name: location.number_of_events for location in trace.definitions.locations}
    assert declared == {events.name: len(events.rows) for events in found.values()}
    return found


def word(value: Any) -> str:
    """The last part of an enumeration's name: "CollectiveOp.ALLREDUCE" is "ALLREDUCE"."""
    return str(value).rpartition(".")[2]
