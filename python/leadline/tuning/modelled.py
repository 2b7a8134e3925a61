"""Which algorithms are worth measuring: those to which a network's model gives a time near the least.

The model knows messages, ports and routes, not what ranks that copy at the same time take from one another, so it may
be wrong by a factor: what lies within it is measured, and measurements alone make rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline.bench.asking import candidates_for, portfolio
from leadline.bench.bounds import Model

FACTOR = 3.0  # of the least time in the model: what takes longer is not measured,
FEWEST = 3  # but for as many


@dataclass
class Modelled:
    """model: with the number of nodes; None: everything is measured.   found: by operation, number of processes and
    size, what was left out.   tried: algorithms of one operation, number of processes and size."""

    model: Model | None = None
    found: dict[tuple[str, int, int], list[str]] = field(default_factory=dict)
    tried: int = 0

    def left_out(
        self, operation: str, sizes: Sequence[int], processes: int, names: Sequence[str]
    ) -> dict[int, frozenset[str]]:
        """By size: the names, without those that the model cannot time."""
        if self.model is None:
            return {}
        candidates = candidates_for(operation, names, portfolio())[1:]
        left: dict[int, frozenset[str]] = {}
        for size in sizes:
            times = {
                str(one): us
                for one in candidates
                if (us := self.model.time_us(operation, one, size, processes, hosts=1)) is not None
            }
            slow = sorted(times, key=times.__getitem__)[FEWEST:]
            least = min(times.values(), default=0.0)
            left[size] = frozenset(name for name in slow if times[name] > FACTOR * least)
            self.tried += len(candidates)
            if left[size]:
                self.found[operation, processes, size] = sorted(left[size])
        return left

    @property
    def sentence(self) -> str:
        count = sum(map(len, self.found.values()))
        return (
            f"by the model, {count:,} of {self.tried:,} algorithms and sizes take more than {FACTOR:g} times as long "
            "as the best one: not measured"
        )

    def document(self) -> list[dict[str, Any]]:
        return [
            {"operation": operation, "processes": processes, "bytes": size, "algorithms": names}
            for (operation, processes, size), names in sorted(self.found.items())
        ]
