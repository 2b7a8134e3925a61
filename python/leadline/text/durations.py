"""Durations as options have them."""

from __future__ import annotations

import re

from leadline.errors import UsageError

UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600}


def seconds_of(text: str, option: str = "--for") -> float:
    """Seconds of "90s", "10m", "1h30m". Raises UsageError."""
    parts = re.findall(r"(\d+(?:\.\d+)?)(min|[smh])", text)
    if not parts or "".join(number + unit for number, unit in parts) != text.replace(" ", ""):
        raise UsageError(f"{option} {text}: expected a duration", hint="e.g. 90s, 10m, 1h30m")
    return sum(float(number) * UNITS[unit] for number, unit in parts)
