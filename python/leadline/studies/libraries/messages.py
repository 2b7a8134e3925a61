"""Messages alone: latency and a curve over sizes of each candidate, in turn, as NetPIPE measures them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline import own_files
from leadline.bench import measure
from leadline.campaign.plan import Setting, candidate_name
from leadline.errors import LeadlineError
from leadline.json_text import parsed
from leadline.mpi import Library
from leadline.runs.interruption import Interruption, ends_the_block
from leadline.runs.order import turns
from leadline.statistics.median import median
from leadline.statistics.welch import Ratio, of_repeats

FILE = "messages.json"
SIZES = (1, 8, 64, 512, 4096, 32768, 262144, 1048576, 4194304)
LATENCY = 0  # bytes
MOST_SAID = 300  # characters of why a launch failed, from the end
ROUNDS = 30
SECONDS = 0.5  # for each size


@dataclass
class Messages:
    """us: by candidate, the median of each repeat for each size, LATENCY among them, without those in which all samples
    were late.   done: by candidate, the number of repeats.   failed: by candidate, why."""

    us: dict[str, dict[int, list[float]]] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    interruption: Interruption = field(default_factory=Interruption)

    def median_us(self, candidate: str, size: int) -> float | None:
        times = self.us.get(candidate, {}).get(size)
        return median(times) if times else None

    def ratio(self, first: str, second: str, size: int) -> Ratio | None:
        """second / first: above 1 the first is faster."""
        one, other = (self.us.get(name, {}).get(size, []) for name in (first, second))
        return of_repeats(one, other) if one and other else None

    def best(self, size: int) -> str | None:
        known = {name: self.median_us(name, size) for name in self.us}
        return min((name for name, value in known.items() if value), key=lambda name: known[name] or 0.0, default=None)

    def as_data(self) -> dict[str, Any]:
        rows = [
            {"candidate": name, "bytes": size, "median_us": median(times), "repeats_us": times}
            for name, sizes in self.us.items()
            for size, times in sorted(sizes.items())
        ]
        return {"rows": rows, "failed": self.failed}


def measured(
    candidates: Sequence[tuple[Library, Setting]], repeats: int, directory: Path, progress: Callable[[str], None]
) -> Messages:
    """What an earlier call has measured is not repeated. A candidate that fails is said, and tried in the next call."""
    found = _kept(directory / FILE)
    with ends_the_block() as found.interruption:
        for turn in turns(list(candidates), repeats):
            if found.interruption.signal:
                break
            library, setting = turn.candidate
            name = candidate_name(library.name, setting.name)
            have = found.us.setdefault(name, {})
            if name in found.failed or found.done.get(name, 0) > turn.round:
                continue
            progress(f"messages of {name}, repeat {turn.round + 1} of {repeats}")
            try:
                points = _once(library, setting)
            except LeadlineError as error:
                found.failed[name] = " ".join(str(error).split())[-MOST_SAID:]
                continue
            found.done[name] = turn.round + 1
            for size, value in points.items():
                if value is not None:
                    have.setdefault(size, []).append(value)
            _keep(found, directory / FILE)
    return found


def _once(library: Library, setting: Setting) -> dict[int, float | None]:
    """Microseconds by bytes, of one launch for the latency and one for the sizes. Raises LeadlineError."""
    points: dict[int, float | None] = {}
    for operation, sizes in (("latency", None), ("p2p", SIZES)):
        one = measure(
            operation,
            sizes=sizes,
            algorithms="blocking" if sizes else None,
            library=library,
            launches=1,
            rounds=ROUNDS,
            seconds=SECONDS,
            environ=setting.environment,
        )
        points |= {row["bytes"]: row["median_us"] for row in one.rows if row["algorithm"] == "blocking"}
    return points


def _keep(found: Messages, file: Path) -> None:
    us = {name: {str(size): times for size, times in sizes.items()} for name, sizes in found.us.items()}
    with own_files.replacing(file) as out:
        json.dump({"us": us, "done": found.done}, out)


def _kept(file: Path) -> Messages:
    try:
        content = parsed(own_files.read(file))
        us = {name: {int(size): times for size, times in sizes.items()} for name, sizes in content["us"].items()}
        return Messages(us, {name: int(number) for name, number in content["done"].items()})
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return Messages()
