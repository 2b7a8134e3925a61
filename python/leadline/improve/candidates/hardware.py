"""What the machine would have to have for a setting to matter: said of those that it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting

SYSTEM, DEVICES = Path("/sys/devices/system"), Path("/dev")
KERNEL_COPIES = {"KNEM": "knem", "XPMEM": "xpmem"}
MEMORY = "memory on another NUMA node than the rank's"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if len([*SYSTEM.glob("node/node[0-9]*")]) < 2:
        yield NotTried(MEMORY, "this host has one NUMA node")
    else:
        yield NotTried(MEMORY, "Linux gives a rank memory where it runs: a rank that has a place keeps it near")
    for title, device in KERNEL_COPIES.items():
        if facts.messages + facts.collective_share < WORTH:
            return
        if not (DEVICES / device).exists():
            yield NotTried(f"copies by {title}", f"this host has no {DEVICES / device}")
        else:
            yield NotTried(f"copies by {title}", "improve has no setting for it")
