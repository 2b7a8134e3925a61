"""One-sided communication in words: puts, gets and accumulates.

The rank that calls is the origin. What it puts or accumulates flows to the target, what it gets flows from it. The
atomics (MPI_Fetch_and_op, MPI_Compare_and_swap) are accumulates of one element that also get.
"""

from __future__ import annotations

from dataclasses import dataclass

from leadline.figures.content import Content
from leadline.text import format as fmt

_KINDS = {"MPI_Put": "puts", "MPI_Rput": "puts", "MPI_Get": "gets", "MPI_Rget": "gets"}  # others: accumulates


@dataclass(frozen=True)
class Kind:
    """n_bytes: one way; an accumulate that fetches moves as much the other way."""

    name: str  # "puts", "gets" or "accumulates"
    operations: int
    n_bytes: int

    def described(self, adjective: str = "") -> str:
        """For example "1,600 gets (1.23 MB)"."""
        name = self.name if self.operations != 1 else self.name[:-1]
        return f"{self.operations:,} {adjective}{name} ({fmt.size(self.n_bytes)})"


def kinds_of_operations(content: Content) -> list[Kind]:
    """Puts, gets and accumulates of the whole run."""
    found = {name: [0, 0] for name in ("puts", "gets", "accumulates")}
    for entry in content.functions:
        if entry.operations:
            sums = found[_KINDS.get(entry.name, "accumulates")]
            sums[0] += entry.operations
            sums[1] += round(sum(entry.operation_sizes.bytes))
    return [Kind(name, operations, n_bytes) for name, (operations, n_bytes) in found.items()]


def summary(content: Content) -> str:
    """For example "1,600 one-sided gets (1.23 MB)" or "300 one-sided puts (2.4 MB) and 16 accumulates (128 B)"."""
    kinds = [kind for kind in kinds_of_operations(content) if kind.operations]
    parts = [kind.described("" if place else "one-sided ") for place, kind in enumerate(kinds)]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
