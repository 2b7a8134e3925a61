"""How messages are sent: eager limits, protocols, and from which size on they are copied once."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting
from leadline.text import format as fmt

WHAT = "eager limits and protocols"
RISK = "messages that are sent before they are received take memory of the receiver"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    share = facts.messages + facts.collective_share  # collectives are made of messages, too
    if facts.library is None:
        yield NotTried(WHAT, "the MPI library is unknown")
    elif share < WORTH:
        yield NotTried(WHAT, f"messages and collectives take {fmt.percent(share)} of the time")
    else:
        for known in facts.library.candidates():
            yield Setting(
                f"protocol-{known.name}", "protocol", known.what, RISK, share, variables=known.variables, sent=known
            )
