"""How ranks wait: busily, or leaving their core to others."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting
from leadline.text import format as fmt

WHAT = "how ranks wait"
RISK = "a rank that sleeps wakes up later: slower where each has a core of its own"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if facts.library is None:
        yield NotTried(WHAT, "the MPI library is unknown")
    elif facts.mpi < WORTH:
        yield NotTried(WHAT, f"MPI takes {fmt.percent(facts.mpi)} of the time")
    elif facts.crowding <= 1:
        yield NotTried(WHAT, f"every rank has a core: {facts.crowding:.2g} busy threads for each core")
    else:
        for known in facts.library.waiting():
            yield Setting(
                f"waiting-{known.name}", "waiting", known.what, RISK, facts.mpi, variables=known.variables, sent=known
            )
