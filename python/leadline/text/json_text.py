"""JSON with an indent, as `json` writes it, but as fast as without one.

`json` writes indented text element by element in Python. The columns of a report are lists of 10^5 numbers: they are
written here without an indent, by `json`'s own C, and their commas replaced.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from json.encoder import encode_basestring_ascii
from typing import Any

from leadline.text.visible import NUMBERS, without_surrogates


def json_text(content: Any, indent: int) -> str:
    """What json.dumps(content, indent=indent) returns, but lone surrogates in strings become \\xNN."""
    parts: list[str] = []
    _add("", content, "\n", " " * indent, parts.append)
    return "".join(parts)


def _add(before: str, value: Any, newline: str, step: str, add: Callable[[str], None]) -> None:
    leaf = _LEAVES.get(type(value))
    if leaf is not None:
        add(before + leaf(value))
    elif isinstance(value, dict):
        _add_object(before, value, newline, step, add)
    elif isinstance(value, list | tuple):
        _add_array(before, value, newline, step, add)
    else:
        add(before + (_string(value) if isinstance(value, str) else json.dumps(value)))


def _add_object(before: str, value: dict[Any, Any], newline: str, step: str, add: Callable[[str], None]) -> None:
    inner = newline + step
    before += "{" + inner
    for key, each in value.items():
        _add(f"{before}{_string(key) if isinstance(key, str) else _key(key)}: ", each, inner, step, add)
        before = "," + inner
    add(newline + "}" if value else before[: -len(inner)] + "}")


def _add_array(
    before: str, value: list[Any] | tuple[Any, ...], newline: str, step: str, add: Callable[[str], None]
) -> None:
    inner = newline + step
    if not value:
        add(before + "[]")
    elif set(map(type, value)) <= NUMBERS:
        add(f"{before}[{inner}{json.dumps(value)[1:-1].replace(', ', ',' + inner)}{newline}]")
    else:
        before += "[" + inner
        for each in value:
            _add(before, each, inner, step, add)
            before = "," + inner
        add(newline + "]")


def _string(text: str) -> str:
    return encode_basestring_ascii(without_surrogates(text))


def _float(value: float) -> str:
    return repr(value) if math.isfinite(value) else json.dumps(value)


def _key(key: Any) -> str:
    """A key that is not a string, as `json` makes a string of it."""
    return json.dumps({key: 0})[1:].rpartition(":")[0]


_LEAVES: dict[type, Callable[[Any], str]] = {
    str: _string,
    int: repr,
    float: _float,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
}
