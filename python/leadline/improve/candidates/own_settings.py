"""Settings of the library that are in the user's environment: whether the library is faster without them."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting

WHAT = "without a setting of the environment"
RISK = "the library may then use a transport that this machine lacks; it was set for a reason"
MOST = 6


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    given = list(facts.set_variables)
    if not given:
        yield NotTried(WHAT, "none is set")
        return
    if len(given) > 1:
        yield Setting("own-none", "own", f"without {', '.join(given)}", RISK, facts.mpi, without=tuple(given))
    for name in given[:MOST]:
        told = f"without {name}={facts.set_variables[name]}"
        yield Setting(f"without-{name}", f"own-{name}", told, RISK, facts.mpi, without=(name,))
    if len(given) > MOST:
        yield NotTried(WHAT, f"{', '.join(given[MOST:])}: only together with the others")
