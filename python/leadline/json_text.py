"""Reads JSON that others may have written."""

from __future__ import annotations

import json
from typing import Any


def parsed(text: str | bytes) -> Any:
    """Raises ValueError if it is no JSON, or if it is nested too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None
