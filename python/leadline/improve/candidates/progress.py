"""Threads by which messages go on while the program computes."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting
from leadline.text import format as fmt

WHAT = "asynchronous progress"
RISK = "the thread takes a core, and every call a lock"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if facts.library is None:
        yield NotTried(WHAT, "the MPI library is unknown")
        return
    known = facts.library.progress()
    if not known:
        yield NotTried(WHAT, f"{facts.library.title} has no thread for it within a node")
    elif not facts.nonblocking:
        yield NotTried(WHAT, "no message is begun before it is waited for")
    elif facts.messages < WORTH:
        yield NotTried(WHAT, f"messages take {fmt.percent(facts.messages)} of the time")
    elif not facts.longer_than(facts.library.eager_bytes):
        yield NotTried(WHAT, "no message is long enough to wait for its receiver")
    elif facts.crowding > 0.5:
        yield NotTried(WHAT, f"no core is free for a thread more: {facts.crowding:.2g} busy threads for each core")
    else:
        for each in known:
            yield Setting(
                f"progress-{each.name}",
                "progress",
                each.what,
                RISK,
                facts.messages,
                variables=each.variables,
                sent=each,
            )
