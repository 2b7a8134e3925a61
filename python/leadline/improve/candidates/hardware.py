"""What the machine would have to have for a setting to matter: said of those that it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting

SYSTEM, DEVICES = Path("/sys/devices/system"), Path("/dev")
KERNEL_COPIES = {"KNEM": "knem", "XPMEM": "xpmem"}
BY_ADVISE = "leadline advise makes rank files by who exchanges with whom, where they save bytes between hosts"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if facts.hosts > 1:
        yield NotTried("mapping by the communication matrix", f"improve has no setting for it; {BY_ADVISE}")
    else:
        yield NotTried("mapping by the communication matrix", "all ranks are on one host")
    numa = len([*SYSTEM.glob("node/node[0-9]*")])
    if numa < 2:
        yield NotTried("placement of memory (NUMA)", "this host has one NUMA node")
    else:
        yield NotTried(
            "placement of memory (NUMA)", "improve has no setting for it; ranks that are bound keep their memory near"
        )
    if not _has_siblings():
        yield NotTried("hardware threads (SMT)", "no core of this host has two of them")
    else:
        yield NotTried("hardware threads (SMT)", "improve has no setting for it; --ranks tries other numbers of ranks")
    for title, device in KERNEL_COPIES.items():
        if facts.messages + facts.collective_share < WORTH:
            return
        if not (DEVICES / device).exists():
            yield NotTried(f"copies by {title}", f"this host has no {DEVICES / device}")
        else:
            yield NotTried(f"copies by {title}", "improve has no setting for it")


def _has_siblings() -> bool:
    lists = (file.read_text().strip() for file in SYSTEM.glob("cpu/cpu[0-9]*/topology/thread_siblings_list"))
    return any(not text.isdecimal() for text in lists)
