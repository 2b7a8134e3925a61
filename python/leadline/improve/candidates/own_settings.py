"""Settings of the library in the user's environment and among the launcher's options: whether it is faster without."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting

WHAT = "without a setting of your own"
RISK = "the library may then use a transport that this machine lacks; it was set for a reason"
MOST = 6
MOST_SAVED = 1.0  # of the time: they may be about anything, such as where ranks run


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    given, options = list(facts.set_variables), [option for option in facts.set_options if len(option) > 1]
    words = [" ".join(option) for option in options]
    if not given and not options:
        yield NotTried(WHAT, "none is set")
        return
    if len(given) + len(options) > 1:
        what = f"without {', '.join([*given, *words])}"
        yield Setting("own-none", "own", what, RISK, MOST_SAVED, without=tuple(given), without_options=tuple(options))
    share = facts.mpi if len(given) + len(options) > 1 else MOST_SAVED
    for option, told in zip(options[:MOST], words, strict=False):
        name = f"without-{option[0].lstrip('-') if facts.places(option) else option[1].partition('=')[0]}"
        yield Setting(name, f"own-{name}", f"without {told}", RISK, share, without_options=(option,))
    for name in given[:MOST]:
        told = f"without {name}={facts.set_variables[name]}"
        yield Setting(f"without-{name}", f"own-{name}", told, RISK, share, without=(name,))
    if len(given) > MOST:
        yield NotTried(WHAT, f"{', '.join(given[MOST:])}: only together with the others")
