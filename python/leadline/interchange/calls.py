"""What the exports of single calls share: two passes over the traces, and notes about the result."""

from __future__ import annotations

from typing import Protocol

from leadline import _core
from leadline.errors import UsageError
from leadline.interchange.missing import left_out, nothing
from leadline.interchange.selection import Selection, Written

Sums = tuple[int, int, int, int, int]


class Export(Protocol):
    """One of the core's."""

    def scan(self, process: _core.Process, index: int) -> None: ...
    def begin(self) -> None: ...
    def write(self, process: _core.Process, index: int, label: str) -> None: ...
    def finish(self) -> Sums: ...


def write_calls(selection: Selection, export: Export) -> Written:
    """The first pass finds the messages whose ends are both exported, the second one writes. Raises UsageError if there
    is nothing to write.
    """
    for index, trace in selection.traces():
        export.scan(trace, index)
    export.begin()
    for index, trace in selection.traces():
        export.write(trace, index, selection.label(index))
    calls, messages, _, untimed, unmatched = export.finish()
    if not calls:
        raise UsageError(nothing(selection, untimed))
    written = Written({"call": calls, "message": messages})
    if untimed:
        written.notes.append(left_out(selection, untimed))
    if unmatched:
        ends = "sends or receives have" if unmatched > 1 else "send or receive has"
        written.notes.append(f"{unmatched:,} {ends} no match among the exported calls")
    return written


def site_texts(selection: Selection) -> list[str]:
    """What to call each of the profile's call sites: "exchange (halo.c:41)"; "" where it is unknown."""
    from leadline.figures.paths import short_place

    texts = [""] * len(selection.run.profile.sites())
    for number, site in selection.sites().items():
        if site.path:
            place = short_place(site.location)
            texts[number] = site.routine + (f" ({place})" if place else "")
    return texts
