"""Where ranks may run: each on a core of its own, or on all."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting

WHAT = "binding"
RISK = "threads of a rank that is bound to a core share it"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if not any(_told(facts, "core")):
        yield NotTried(WHAT, "Leadline knows no option of this launcher for it")
        return
    if facts.bound:
        options, variables = _told(facts, "none")
        yield Setting(
            "unbound",
            "binding",
            "ranks bound to no core",
            "ranks may move",
            1.0,
            options=options,
            variables=variables,
            # Where the user's options name cores, launchers refuse to bind to none.
            without_options=tuple(each for each in facts.set_options if options and facts.places(each)),
        )
    if facts.crowding > 1:
        yield NotTried(WHAT, f"to cores: there are {facts.crowding:.2g} busy threads for each core")
    elif not facts.bound:
        options, variables = _told(facts, "core")
        what = "each rank bound to a core"
        yield Setting("bound", "binding", what, RISK, 1.0, options=options, variables=variables)


def _told(facts: Facts, to: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Options of the launcher or variables of the library, whichever binds."""
    variables = facts.library.binding(to) if facts.library is not None else {}
    return ((), variables) if variables else (tuple(facts.launcher.binding(to)), {})
