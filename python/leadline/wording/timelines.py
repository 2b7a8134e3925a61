"""Which ranks a timeline shows, and why there is none."""

from __future__ import annotations

import math

from leadline.figures.run import Run
from leadline.figures.timeline import Absent
from leadline.figures.timeline.lanes import Lanes
from leadline.text import format as fmt
from leadline.wording.loops import why_no_main_loop

ROLES = {
    "first": "the first",
    "most": "that computes longest",
    "least": "that computes least",
    "median": "at the median",
}


def shown_ranks(run: Run, lanes: Lanes) -> str:
    """ "48 of 64 ranks: 0 (the first), ..."; "" if all are shown."""
    if not lanes.representatives:
        return ""
    names = ", ".join(f"{run.label(index)} ({ROLES[role]})" for role, index in lanes.representatives)
    text = f"{len(lanes.processes)} of {fmt.plural(len(run.order), 'rank')}: {names}"
    text += f"; {lanes.partners} that exchange most messages with them" if lanes.partners else ""
    return text + (f"; {lanes.spread} at equal distances" if lanes.spread else "")


def why_none(run: Run, absent: Absent) -> str:
    """Words that complete a sentence."""
    if absent.reason == "no-loop":
        return why_no_main_loop(run)
    if absent.reason == "region":
        return f"the step is the region {absent.name}, whose calls are not kept by iteration"
    if absent.reason == "step":
        return f"the iterations of {absent.name} were not timed one by one while the program ran (leave out --step)"
    if absent.reason == "not-kept":
        return "the times of single calls were not kept (--series)"
    if absent.reason == "too-many":
        kept = f"{absent.calls:,.0f} calls of a rank"
        return f"the times of {kept} were kept, more than a report reads (--series SIZE keeps fewer)"
    return absent.name if absent.reason == "damaged" else _not_whole(absent.calls)


def _not_whole(calls: float) -> str:
    """No iteration is kept whole; says what would keep one: a call takes five quarters of a byte."""
    enough = math.ceil(calls * 4 * 5 / 4 / 1e6)
    an_iteration = f"an iteration makes {fmt.plural(round(calls), 'call')} on a rank"
    return f"{an_iteration}, and no iteration's call times were all kept on all ranks (--series {enough}MB keeps more)"
