"""What a recording does not say of its own network, so that the replay of the unchanged run comes closest to it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

from leadline import _core, cores
from leadline.figures.run import Run
from leadline.predict.eager_limit import eager_limit_of
from leadline.predict.message_costs import (
    ALL_COPIED,
    LATENCY_NS,
    RecordedCosts,
    costs_of,
    messages_of,
    replayed_costs,
)
from leadline.text import format as fmt

SHARED = 0.8  # likely part of a call's own cost that fewer calls save; 0 to 1
MORE_LATENCY_NS = 500.0  # than the messages say, since the clocks of ranks are not exact
CLOSE = 0.002  # an error of the replayed base that is small enough
LATENCY_TRIES = 8
NARROW_NS = 20.0
WORTH = 0.8  # of the error before: what an adapted latency leaves at most
MOST_LATENCY_NS = 5000.0  # within a host: what seems to be more is something else


@dataclass(frozen=True)
class Costs:
    """What a recording does not say of its own network. level: which of the durations of a call that is recorded many
    times is taken as its cost when it does not wait: 0: the shortest; then longer ones, up to the median.   messages:
    what its messages say.   after_send: part of a send's time after its message has left.   shared: part of the calls'
    costs that one call in place of several saves, if it may.   longer: factor of long messages; together: of those that
    both ranks copy at once, and did in turn.   long_start_ns: what one takes whatever its size.   error: of the
    replayed base before the latency was adapted to it.   assumes_limit: no send of the run shows that one waits."""

    eager_bytes: int
    copied_bytes: int = ALL_COPIED
    collective_ns: float = 0.0
    level: int = 0
    latency_ns: float = LATENCY_NS
    after_send: float = 0.0
    messages: RecordedCosts | None = None
    shared: float = SHARED
    longer: float = 1.0
    together: float = 1.0
    long_start_ns: float = 0.0
    error: float = 0.0
    assumes_limit: bool = True

    @property
    def assumes_busy(self) -> bool:
        """Whether the run has no long messages from which to know what they take."""
        return self.messages is None or "busy" in self.messages.assumed

    @property
    def long_per_byte_ns(self) -> float | None:
        if self.messages is None or self.assumes_busy:
            return None
        return min(ns / max(n_bytes, 1) for n_bytes, ns in self.messages.busy.items())

    @property
    def in_place(self) -> range:
        """Bytes of messages that are sent in place."""
        return range(self.copied_bytes + 1, self.eager_bytes + 1)

    def set(self, settings: _core.ReplaySettings) -> None:
        settings.eager_bytes = self.eager_bytes
        settings.copied_bytes = self.copied_bytes
        settings.collective_ns = self.collective_ns
        settings.cost_level = self.level
        settings.latency_ns = self.latency_ns
        if self._of_messages is not None:
            settings.messages = self._of_messages

    @functools.cached_property
    def _of_messages(self) -> _core.MessageCosts | None:
        """Made once for all replays: a large run has thousands of call sites."""
        if self.messages is None:
            return None
        costs = replayed_costs(self.messages, self.shared, self.longer)
        costs.after_send = self.after_send
        costs.together = self.together
        costs.long_start_ns = self.long_start_ns
        if self.assumes_busy:
            for n_bytes, ns in self.messages.busy.items():
                costs.set_long_busy(n_bytes, (self.long_start_ns + ns) * self.longer)
        return costs

    def sentence(self) -> str:
        """What they are."""
        limit = f"the send of a message larger than {fmt.size(self.eager_bytes)} waits for its receive"
        limit += " (assumed)" if self.assumes_limit else " (as its sends show)"
        if self.copied_bytes < self.eager_bytes:
            limit += (
                f", that of one larger than {fmt.size(self.copied_bytes)} until its receiver is in a call (assumed)"
            )
        latency = fmt.seconds(self.latency_ns * 1e-9)
        if self.messages is None:
            return (
                "No network was given: a call costs what it cost in the run when it did not wait, a message within a "
                f"node takes {latency} to arrive (assumed), and {limit}."
            )
        return (
            f"No network was given: calls and messages cost what {self.messages.messages:,} messages of the run show, "
            f"a message within a node takes {latency} to arrive, and {limit}."
        )


def closest(run: Run, costs: Costs, error_of: Callable[[Costs], float], large: float) -> Costs:
    """error_of: of the replay of the unchanged run, relative.   large: an error with which what the messages say is not
    used, if the replay is closer without it."""
    messages = messages_of(run)
    functions = [run.profile.functions[function].name for function, *_ in run.profile.sites()]
    limit = eager_limit_of(messages, functions, costs.in_place)
    costs = replace(
        costs,
        eager_bytes=limit.nearest(costs.eager_bytes),
        copied_bytes=limit.copied(costs.in_place),
        assumes_limit=limit.high is None,
    )
    levels = [replace(costs, level=level) for level in range(int(_core.Recorded.cost_levels))]

    def best(several: list[Costs]) -> tuple[float, Costs]:
        errors = cores.at_once(error_of, several)
        return min(zip(errors, several, strict=True), key=lambda found: abs(found[0]))

    known = costs_of(messages, functions, costs.eager_bytes, costs.copied_bytes)
    if known is None:
        return best(levels)[1]
    latency_ns = min(known.latency.value, MOST_LATENCY_NS)
    error, fitted = best([replace(each, messages=known, latency_ns=latency_ns) for each in levels])
    error, fitted = _with_latency(fitted, error, error_of)
    if abs(error) <= large:
        return fitted
    without = best(levels)
    return fitted if abs(error) <= abs(without[0]) else without[1]


def _with_latency(costs: Costs, first: float, error_of: Callable[[Costs], float]) -> tuple[float, Costs]:
    """Clocks of ranks are not exact enough for latencies: these follow from what the replay is off by. first: that of
    these costs. Returns what remains, too.

    A longer latency makes no run shorter. So if the one farthest away leaves too much of the error, all do."""

    def at(value: float) -> Costs:
        if value < 0:
            return replace(costs, latency_ns=0.0, after_send=-value / MORE_LATENCY_NS)
        return replace(costs, latency_ns=value)

    value = costs.latency_ns
    low, high = -0.9 * MORE_LATENCY_NS, value + MORE_LATENCY_NS
    error = first
    for number in range(LATENCY_TRIES):
        if abs(error) < CLOSE or high - low < NARROW_NS:
            break
        low, high = (low, value) if error > 0 else (value, high)
        value = (low + high) / 2
        if number:
            error = error_of(at(value))
            continue
        error, farthest = cores.at_once(error_of, [at(value), at(low if first > 0 else high)])
        if farthest * first > 0 and abs(farthest) > WORTH * abs(first):
            return first, replace(costs, error=first)
    if abs(error) > WORTH * abs(first):  # the latency is not what is wrong
        return first, replace(costs, error=first)
    return error, replace(at(value), error=first)
