"""How long messages are copied within a node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting
from leadline.text import format as fmt

DEVICES = Path("/dev")
WHAT = "copies within the node"
RISK = "none known: the same bytes arrive"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if facts.library is None:
        yield NotTried(WHAT, "the MPI library is unknown")
        return
    share = facts.messages + facts.collective_share
    long = facts.longer_than(facts.library.eager_bytes)
    if share < WORTH:
        yield NotTried(WHAT, f"messages and collectives take {fmt.percent(share)} of the time")
    elif not long and not facts.collectives:
        yield NotTried(WHAT, f"no message is longer than the {fmt.size(facts.library.eager_bytes)} sent at once")
    else:
        for known in facts.library.copying():
            if known.device and not (DEVICES / known.device).exists():
                yield NotTried(known.what, f"this host has no {DEVICES / known.device}")
            else:
                yield Setting(
                    f"copying-{known.name}", "copying", known.what, RISK, share, variables=known.variables, sent=known
                )
