"""The rules of a tuning table: each is an algorithm for some numbers of processes and some sizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Rule:
    """processes, n_bytes: first and last, both included. segment_bytes, radix: 0 if they are the algorithm's own."""

    operation: str
    processes: tuple[int, int]
    n_bytes: tuple[int, int]
    algorithm: str
    segment_bytes: int = 0
    radix: int = 0
    evidence: dict[str, Any] = field(default_factory=dict, compare=False, hash=False)

    def fits(self, operation: str, n_bytes: int, processes: int) -> bool:
        return (
            operation == self.operation
            and self.processes[0] <= processes <= self.processes[1]
            and self.n_bytes[0] <= n_bytes <= self.n_bytes[1]
        )

    @property
    def name(self) -> str:
        """The name that leadline bench uses: chain:segment=65536."""
        segment = f":segment={self.segment_bytes}" if self.segment_bytes else ""
        return f"{self.algorithm}{segment}{f':radix={self.radix}' if self.radix else ''}"

    @property
    def range(self) -> dict[str, list[int]]:
        return {"processes": list(self.processes), "bytes": list(self.n_bytes)}


@dataclass(frozen=True)
class Table:
    rules: tuple[Rule, ...]
    evidence: dict[str, Any] = field(default_factory=dict, compare=False, hash=False)

    def choice(self, operation: str, n_bytes: int, processes: int) -> Rule | None:
        """The rule for a call; None: the library's own."""
        found = next((rule for rule in self.rules if rule.fits(operation, n_bytes, processes)), None)
        return None if found is None or found.algorithm == "native" else found
