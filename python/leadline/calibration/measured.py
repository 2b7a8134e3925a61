"""What a launch of the measuring program wrote (src/bench/calibration.hpp)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from leadline.bench.launching import Noise

Times = dict[int, list[float]]  # ns of each turn, by bytes


@dataclass
class Pair:
    """Messages between two ranks. eager_bytes: -1: none is.   copied_bytes: None: unknown.   asked: by question."""

    ranks: tuple[int, int]
    eager_bytes: int = -1
    asked: dict[str, Times] = field(default_factory=dict)
    copied_bytes: int | None = None


@dataclass
class Launch:
    """pairs: by distance.   flows: of several pairs at once, by distance, number of pairs and bytes.
    memory: by kind.   noise: before and after, of each rank."""

    library: str = ""
    ranks: int = 0
    hosts: int = 1
    oversubscribed: bool = False
    noise: list[Noise] = field(default_factory=list)
    pairs: dict[str, Pair] = field(default_factory=dict)
    flows: dict[tuple[str, int, int], list[float]] = field(default_factory=dict)
    memory: dict[str, Times] = field(default_factory=dict)


def take(launch: Launch, lines: Iterable[str]) -> None:
    """Raises ValueError, KeyError or IndexError for what is not such a line."""
    for line in lines:
        key, *words = line.split()
        if key == "pair":
            launch.pairs[words[0]] = Pair((int(words[1]), int(words[2])))
        elif key == "eager":
            launch.pairs[words[0]].eager_bytes = int(words[1])
        elif key == "copied":
            launch.pairs[words[0]].copied_bytes = int(words[1]) if int(words[1]) >= -1 else None
        elif key == "asked":
            launch.pairs[words[0]].asked.setdefault(words[1], {})[int(words[2])] = [float(ns) for ns in words[3:]]
        elif key == "flows":
            launch.flows[words[0], int(words[1]), int(words[2])] = [float(ns) for ns in words[3:]]
        elif key == "memory":
            launch.memory.setdefault(words[0], {})[int(words[1])] = [float(ns) for ns in words[2:]]
