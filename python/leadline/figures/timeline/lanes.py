"""The ranks that a timeline shows if there are too many to draw: representative ones and those they talk to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from leadline.figures.content import Content

MOST_LANES = 48
MOST_READ = 1_200_000
"""The most calls with times that a timeline reads: what 48 ranks keep by default, about 0.4 GB."""

Role = Literal["first", "most", "least", "median"]  # of the ranks, by their computation


@dataclass(frozen=True)
class Lanes:
    """processes: indices into run.processes, in display order.

    representatives: where not all ranks are shown, those that stand for others, with what they are; then come
    `partners` ranks that exchange most messages with them, and `spread` ranks at equal distances.
    """

    processes: tuple[int, ...]
    representatives: tuple[tuple[Role, int], ...] = ()
    partners: int = 0
    spread: int = 0


def choose_lanes(content: Content, most: int = MOST_LANES) -> Lanes:
    """All ranks, or `most` of them.

    First those that compute longest, least, and as long as the median rank, and the first one; then, one after the
    other, the ranks with which each of those chosen exchanges most messages; then ranks at equal distances.
    """
    run = content.run
    if len(run.order) <= most:
        return Lanes(tuple(run.order))
    place = {index: n for n, index in enumerate(run.order)}
    by_computation = sorted(run.order, key=lambda index: content.ranks[place[index]].computation_s)
    first: dict[Role, int] = {
        "first": run.order[0],
        "most": by_computation[-1],
        "least": by_computation[0],
        "median": by_computation[len(by_computation) // 2],
    }
    chosen = list(dict.fromkeys(first.values()))[:most]
    representative = len(chosen)
    _add_partners(chosen, content, most)
    partners = len(chosen) - representative
    spread = [run.order[n * len(run.order) // most] for n in range(most)]
    chosen += [index for index in spread if index not in chosen][: most - len(chosen)]
    rest = len(chosen) - representative - partners
    return Lanes(tuple(sorted(chosen, key=place.__getitem__)), tuple(first.items()), partners, rest)


def shown_lanes(content: Content) -> Lanes:
    """The ranks that page and terminal show, by which they also choose steps; none if one alone kept too many calls."""
    return choose_lanes(content, min(MOST_LANES, MOST_READ // max(calls_to_read(content), 1)))


def calls_to_read(content: Content) -> int:
    """The most calls whose times a rank has kept, about."""
    most = max((rank.calls for rank in content.ranks), default=0)
    iterations = content.iterations
    if iterations is None:
        return most
    found = iterations.found
    kept = found.count if found.kept == "full" else len(found.sampled)
    return min(most, int(2 * found.calls * kept))


def _add_partners(chosen: list[int], content: Content, most: int) -> None:
    messages: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for edge in content.run.profile.edges():
        target = content.run.process_of(edge.source, edge.target)
        if target is not None and edge.messages and target != edge.source:
            messages[edge.source][target] += edge.messages
            messages[target][edge.source] += edge.messages
    there = set(chosen)
    for index in chosen:  # it grows: partners' partners come after the partners of all before them
        for other in _busiest(messages.get(index, {})):
            if len(chosen) >= most:
                return
            if other not in there:
                there.add(other)
                chosen.append(other)


def _busiest(messages: dict[int, int]) -> Sequence[int]:
    return sorted(messages, key=lambda other: (-messages[other], other))
