"""Processes of a campaign that was killed together with the guard of its launches (leadline.runs.guard).

Each launch has a variable with a word that is the campaign's alone, which its launcher hands on to the ranks. When the
campaign goes on, what still has it is ended, because it would disturb the next runs.
"""

from __future__ import annotations

import time

from leadline.runs.marked import kill_marked, marked

VARIABLE = "LEADLINE_CAMPAIGN"
PATIENCE_S = 5.0


def end(token: str) -> int:
    """The number of processes that were ended."""
    ended: set[int] = set()
    limit = time.monotonic() + PATIENCE_S
    while found := marked(VARIABLE, token):
        for pid in found:
            kill_marked(pid, VARIABLE, token)
        ended |= set(found)
        if time.monotonic() > limit:
            break
        time.sleep(0.01)
    return len(ended)
