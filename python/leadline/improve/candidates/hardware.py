"""What the machine would have to have for a setting to matter: said of those that it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leadline.improve.candidates.asking import Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting

SYSTEM = Path("/sys/devices/system")
MEMORY = "memory on another NUMA node than the rank's"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if len([*SYSTEM.glob("node/node[0-9]*")]) < 2:
        yield NotTried(MEMORY, "this host has one NUMA node")
    else:
        yield NotTried(MEMORY, "Linux gives a rank memory where it runs: a rank that has a place keeps it near")
