"""The energy of launches, by the counters of this host's processors and their memory (RAPL, as Linux shows it).

They count everything that the host does meanwhile, and nothing of its disks, fans and network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

POWERCAP = Path("/sys/class/powercap")
PARTS = ("package", "dram")  # a package has its cores in it, and not its memory
MICRO = 1e-6


@dataclass(frozen=True)
class Meter:
    """ranges: of the counters, by their files. Behind it they are 0 again, after minutes to hours."""

    ranges: Mapping[Path, int]

    def now(self) -> dict[Path, int]:
        return {file: int(file.read_text()) for file in self.ranges}

    def joules_since(self, before: Mapping[Path, int]) -> float:
        return MICRO * sum((value - before[file]) % self.ranges[file] for file, value in self.now().items())


def meter() -> Meter | str:
    """A text: why there is none."""
    found: dict[Path, int] = {}
    for domain in sorted(POWERCAP.glob("*-rapl:*")) if POWERCAP.is_dir() else ():
        try:
            if (domain / "name").read_text().strip().startswith(PARTS):
                int((domain / "energy_uj").read_text())
                found[domain / "energy_uj"] = int((domain / "max_energy_range_uj").read_text()) + 1
        except PermissionError:
            return f"{domain / 'energy_uj'} can be read by root only"
        except (OSError, ValueError):
            continue
    return Meter(found) if found else f"this machine shows no energy counters (RAPL) in {POWERCAP}"
