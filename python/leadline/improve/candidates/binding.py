"""Where ranks may run: each on a core of its own, or on all."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting

WHAT = "binding"
RISK = "threads of a rank that is bound to a core share it"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    options = facts.launcher.binding("core")
    if not options:
        yield NotTried(WHAT, "Leadline knows no option of this launcher for it")
        return
    if facts.bound:
        free = tuple(facts.launcher.binding("none"))
        yield Setting("unbound", "binding", "ranks bound to no core", "ranks may move", 1.0, options=free)
    if facts.crowding > 1:
        yield NotTried(WHAT, f"to cores: there are {facts.crowding:.2g} busy threads for each core")
    elif not facts.bound:
        yield Setting("bound", "binding", "each rank bound to a core", RISK, 1.0, options=tuple(options))
