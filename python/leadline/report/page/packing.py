"""The report object as JSON for a page: small, and harmless wherever in HTML it stands."""

from __future__ import annotations

import base64
import json
import math
import operator
import zlib
from collections.abc import Iterable
from typing import Any

FEWEST_ROWS = 3
FEWEST_INTEGERS = 16
_KEYS, _ROWS, _INTEGERS, _DELTAS = "$keys", "$rows", "$integers", "$deltas"
# Integers in digits of five bits, the lowest first, each with a sixth bit if more follow: as source maps have them.
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_MOST = 2**50  # JavaScript counts exactly up to 2^53, which leaves bits for a difference and a sign
# With these two no text can end the <script> element that holds it, begin a comment, or be an entity.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def packed(value: Any) -> Any:
    """Lists of objects with equal keys become {"$keys": [...], "$rows": [[...], ...]}; script/data.js undoes it.

    Ranks, the matrix and call sites are such lists, and at thousands of ranks their keys would be most of the file.
    Lists of integers, such as the columns of a timeline, become {"$integers": text}, or {"$deltas": text} if their
    differences take less. Numbers that JSON has not (NaN, infinities) become null.
    """
    if isinstance(value, dict):
        return {key: packed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if (
            len(value) >= FEWEST_INTEGERS
            and set(map(type, value)) == {int}
            and -_MOST < min(value) <= max(value) < _MOST
        ):
            return _packed_integers(value)
        keys = _common_keys(value)
        if keys is None:
            return [packed(item) for item in value]
        return {_KEYS: list(keys), _ROWS: [[packed(item[key]) for key in keys] for item in value]}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _are_exact_integers(values: list[Any] | tuple[Any, ...]) -> bool:
    return set(map(type, values)) == {int} and min(values) > -_MOST and max(values) < _MOST


def _packed_integers(values: list[int] | tuple[int, ...]) -> dict[str, str]:
    known = _Digits()
    plain = _as_digits(values, known)
    deltas = _as_digits(map(operator.sub, values, (0, *values)), known)
    return {_INTEGERS: plain} if len(plain) <= len(deltas) else {_DELTAS: deltas}


class _Digits(dict[int, str]):
    """The digits of each integer that was asked for: most of a column's values occur in it many times."""

    def __missing__(self, value: int) -> str:
        left = 2 * value if value >= 0 else -2 * value - 1
        digits = ""
        while left > 31:
            digits += _DIGITS[32 | left & 31]
            left >>= 5
        digits += _DIGITS[left]
        self[value] = digits
        return digits


def _as_digits(values: Iterable[int], known: _Digits) -> str:
    return "".join(map(known.__getitem__, values))


def _common_keys(values: list[Any] | tuple[Any, ...]) -> tuple[str, ...] | None:
    if len(values) < FEWEST_ROWS or not isinstance(values[0], dict) or not values[0]:
        return None
    keys = tuple(values[0])
    alike = all(isinstance(value, dict) and tuple(value) == keys for value in values)
    return keys if alike else None


def as_script_text(value: Any) -> str:
    """JSON that may stand in a <script type="application/json"> whatever strings it holds."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # A lone surrogate (of a file name that is no UTF-8) has no place in a UTF-8 file, but has an escape in JSON.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text.translate(_ESCAPES)


def compressed(text: str) -> str:
    """JSON of two members: the size of `text` in UTF-8, and the text deflated (RFC 1951, as base64).

    Call sites repeat the same paths, and ranks the same figures: what is left is a fourth to a tenth. script/inflate.js
    undoes it.
    """
    data = text.encode()
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    deflated = base64.b64encode(deflate.compress(data) + deflate.flush()).decode()
    return json.dumps({"bytes": len(data), "deflated": deflated}, separators=(",", ":"))
