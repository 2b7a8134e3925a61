"""Which computation a run waits for: the share of its time that is on the longest path, by the call that follows.

A path goes from rank to rank, along messages and collectives. What lies on the longest one makes the run longer by as
much as it grows itself, and everything else by nothing. So the computation before a call site is multiplied by a little
more than 1 and replayed: how much longer the run takes, over how much it is longer, is the share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leadline import _core, cores
from leadline.figures.run import Run

MORE = 1e-3  # a fraction
MOST_SITES = 20  # by their computation


@dataclass(frozen=True)
class OnPath:
    """where: the call after the computation.   share: of the run's time."""

    where: str
    share: float


def on_longest_path(
    run: Run, tree: Callable[[], _core.ReplayTree], seconds: Callable[[_core.ReplayTree], float]
) -> list[OnPath]:
    """Most of it first; sites without any are left out.   tree: a new copy.   seconds: of its replay."""
    base_s = seconds(tree())
    sites = _with_most_computation(run, tree())

    def share(members: Sequence[int]) -> float:
        longer = tree()
        longer.computation([], list(members), 1 + MORE)
        return (seconds(longer) - base_s) / MORE / base_s

    shares = cores.at_once(lambda of: share(of[1]), sites)
    found = [OnPath(where, part) for (where, _), part in zip(sites, shares, strict=True) if part > MORE]
    return sorted(found, key=lambda one: -one.share)


def _with_most_computation(run: Run, tree: _core.ReplayTree) -> list[tuple[str, tuple[int, ...]]]:
    """Names and numbers of call sites."""
    before_ns: dict[int, float] = {}
    _, ranks = _core.tree_size(tree)
    for rank in range(ranks):
        leaves = _core.tree_leaves(tree, _core.tree_rank(tree, rank)[0])
        for leaf, call in zip(leaves, _core.tree_calls(tree, rank), strict=True):
            before_ns[leaf[0]] = before_ns.get(leaf[0], 0.0) + call[5] * call[6]
    named: list[tuple[float, str, tuple[int, ...]]] = []
    for site in run.sites:
        place = site.path[-1].place() if site.path else ""
        members = tuple(number for number in site.members if before_ns.get(number, 0.0) > 0)
        if members:
            where = f"{site.function} in {place}" if place else site.function
            named.append((sum(before_ns[number] for number in members), where, members))
    named.sort(key=lambda one: -one[0])
    return [(where, members) for _, where, members in named[:MOST_SITES]]
