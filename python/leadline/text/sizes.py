"""Sizes as people type them: the one place that reads them. docs/reference/units.md describes them for users.

k, M, G and T stand for powers of 1000, as in what Leadline prints; Ki, Mi, Gi and Ti for powers of 1024. A B behind it
changes nothing, nor does the case of letters. The recorder reads its variables in the same way
(src/recorder/memory/budgets.cpp).
"""

from __future__ import annotations

import re

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?))?(b?)", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def parse(text: str) -> float | None:
    """Bytes of "8", "64k", "64 KiB", "1.5MB"; None if it is not a size."""
    found = _SIZE.fullmatch(text.strip())
    if not found:
        return None
    number, prefix, binary, _ = found.groups(default="")
    value = float(number) * (1024 if binary else 1000) ** _POWERS[prefix.lower()]
    return int(value) if value.is_integer() else value


def has_unit(text: str) -> bool:
    """Whether a size is more than a number."""
    return not text.strip().replace(".", "", 1).isdecimal()


def typed(n_bytes: int) -> str:
    """As one would type it: 64000 -> "64kB", 65536 -> "64KiB", 65537 -> "65537B"."""
    for power, prefix in ((4, "T"), (3, "G"), (2, "M"), (1, "k")):
        for base, ending in ((1000, "B"), (1024, "iB")):
            if n_bytes and n_bytes % base**power == 0:
                return f"{n_bytes // base**power}{prefix if base == 1000 else prefix.upper()}{ending}"
    return f"{n_bytes}B"
