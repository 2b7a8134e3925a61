"""Messages, or one-sided operations, by size."""

from __future__ import annotations

from typing import Any

from leadline import _core
from leadline.figures.json_entries import whole


def histogram(sizes: _core.Sizes, what: str = "messages") -> list[dict[str, Any]]:
    """Messages, or operations, by power of two: at least `from`, less than `to` bytes. Empty buckets are left out."""
    buckets = []
    for bucket, messages in enumerate(sizes.messages):
        if messages > 0:
            low = 0 if bucket == 0 else 1 << (bucket - 1)
            buckets.append({"from": low, "to": 1 << bucket, what: messages, "bytes": whole(sizes.bytes[bucket])})
    return buckets
