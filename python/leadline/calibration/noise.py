"""Why measured times say nothing about the network."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.calibration.measured import Launch
from leadline.statistics.median import median

MOST_LOST = 0.05  # of a core's time, to other work
MOST_APART = 1.3  # between launches, of the time of a message
FEW = 0.2  # of the sizes


def why_too_noisy(launches: Sequence[Launch]) -> str | None:
    first = launches[0]
    lost = median([noise.lost for launch in launches for noise in launch.noise] or [0.0])
    if lost > MOST_LOST:
        return f"other work took {lost:.0%} of the cores' time"
    for name in first.pairs:
        if apart := _apart([launch for launch in launches if name in launch.pairs], name):
            return apart
    return None


def _apart(launches: Sequence[Launch], name: str) -> str | None:
    ratios = []
    for n_bytes in launches[0].pairs[name].asked.get("round_trip", {}):
        of_each = [launch.pairs[name].asked["round_trip"].get(n_bytes) for launch in launches]
        medians = [median(ns) for ns in of_each if ns]
        if len(medians) > 1:
            ratios.append(max(medians) / max(min(medians), 1e-9))
    far = [ratio for ratio in ratios if ratio > MOST_APART]
    if len(far) <= FEW * len(ratios):
        return None
    return (
        f"{name}: messages of {len(far)} of {len(ratios)} sizes took up to {max(far):.1f} times as long in another "
        "launch"
    )
