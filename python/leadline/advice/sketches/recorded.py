"""What the record says of the calls that a proposal is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.figures.content import Content
from leadline.figures.entries import entry_of
from leadline.figures.run import Site


@dataclass(frozen=True)
class RecordedCall:
    """A call site with its calls, messages and bytes over all ranks. n_bytes: as in the tables of the report."""

    site: Site
    calls: int
    messages: int
    n_bytes: int

    @property
    def bytes_each(self) -> int:
        """The mean of a message, or of a call that sends none."""
        return round(self.n_bytes / (self.messages or self.calls)) if self.messages or self.calls else 0


def recorded_calls(sites: Sequence[Site], content: Content) -> list[RecordedCall]:
    run = content.run
    classes = {function.name: function.cls for function in run.profile.functions}
    rows = run.profile.rows([list(site.members) for site in sites])
    found = []
    for site, row in zip(sites, rows, strict=True):
        entry = entry_of(site.function, row, content.base_s, run.label, classes.get(site.function, ""))
        found.append(RecordedCall(site, entry.calls, entry.messages, entry.moved_bytes))
    return found
