"""The tree of the call paths that reach MPI: each routine beneath its caller, with all calls made within it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from leadline.figures.entries import STARTUP, Entry


@dataclass
class CallNode:
    """A routine, called from that of `parent`. Figures are of all ranks and of MPI calls only.

    time_s, calls, messages, n_bytes: in it and in what it calls (inclusive).   own_s: in the calls that it makes itself
    (exclusive).   function: the MPI function in which it spends most of own_s.   depth: routines around it.
    """

    routine: str
    full: str
    depth: int
    parent: CallNode | None = None
    time_s: float = 0.0
    own_s: float = 0.0
    calls: int = 0
    messages: int = 0
    n_bytes: int = 0
    functions: dict[str, float] = field(default_factory=dict)
    children: dict[str, CallNode] = field(default_factory=dict)

    @property
    def function(self) -> str:
        return max(self.functions, key=lambda name: self.functions[name], default="")

    def add(self, entry: Entry) -> None:
        self.time_s += entry.time_s
        self.calls += entry.calls
        self.messages += entry.messages
        self.n_bytes += entry.n_bytes

    def walk(self) -> Iterator[CallNode]:
        """It and all beneath it, callers first, otherwise the one with most time first. Paths may be deep."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(sorted(node.children.values(), key=lambda each: (each.time_s, each.calls)))


def call_tree(sites: Sequence[Entry]) -> list[CallNode]:
    """The outermost routines, most time first. sites: of MPI functions; local calls and those that start and end
    MPI are left out, as are calls whose path is unknown."""
    top = CallNode("", "", -1)
    for entry in sites:
        if entry.site is None or entry.local or entry.cls in STARTUP:
            continue
        node = top
        for location in entry.site.path:
            inner = node.children.get(location.full)
            if inner is None:
                outer = node if node is not top else None
                inner = CallNode(location.routine, location.full, node.depth + 1, outer)
                node.children[location.full] = inner
            node = inner
            node.add(entry)
        if node is not top:
            node.own_s += entry.time_s
            node.functions[entry.name] = node.functions.get(entry.name, 0.0) + entry.time_s
    return sorted(top.children.values(), key=lambda each: (-each.time_s, -each.calls))
