"""Sentences about what an export lacks."""

from __future__ import annotations

from leadline.interchange.selection import Selection
from leadline.text import format as fmt


def left_out(selection: Selection, untimed: int) -> str:
    """The sentence about calls that were left out because their times are unknown."""
    what = "calls omitted: their times were not kept" if untimed > 1 else "call omitted: its time was not kept"
    return f"{untimed:,} {what} ({kept_iterations(selection)})"


def nothing(selection: Selection, untimed: int) -> str:
    """Why there is nothing to export."""
    first, end = selection.iterations or (0, 0)
    asked = f"iterations {first}:{end}" if selection.iterations else "the run"
    if untimed:
        return f"call times of {asked} were not kept ({kept_iterations(selection)})"
    return f"no MPI or file calls of these ranks in {asked}"


def kept_iterations(selection: Selection) -> str:
    """Which iterations' calls have times, in words."""
    found = selection.run.profile.iterations(selection.loop)
    if not found.found:
        return "no loop has call times"
    if found.kept == "full":
        return f"kept: all {fmt.plural(found.count, 'iteration')}"
    if found.sampled:
        return f"kept: iterations {fmt.ranges(list(found.sampled))}"
    return "keep more: --series SIZE"
