"""The columns shared by tables of functions, call sites and routines, as lines of text.

They have TAU's names if they mean the same: %Time, Exclusive and Inclusive msec, #Call, usec/call.
"""

from __future__ import annotations

from typing import TypeVar

from leadline.figures.entries import Entry
from leadline.text import format as fmt
from leadline.text.screen import Line

_T = TypeVar("_T")
HEADER = "dim"
_COLUMNS = (
    ("", "%Time", 5),
    ("Exclusive", "msec", 9),
    ("", "#Call", 9),
    ("", "usec/call", 9),
    ("max", "usec", 8),
    ("", "Messages", 8),
    ("", "Bytes", 7),
)
_NOT_IF_NARROW = 4  # the longest call: the page and JSON have it
_NARROW = 80


def header(last: str, width: int = _NARROW, *, inclusive: bool = False) -> list[Line]:
    """inclusive: times include those of the routines called."""
    columns = _shown(_COLUMNS, width)
    first = " ".join(f"{top:>{wide}}" for top, _, wide in columns)
    if inclusive:
        first = first.replace("Exclusive", "Inclusive")
    second = " ".join(f"{bottom:>{wide}}" for _, bottom, wide in columns)
    return [(first.rstrip(), HEADER), (f"{second}  {last}".rstrip(), HEADER)]


def numbers(entry: Entry, width: int = _NARROW) -> str:
    cells = (
        "" if entry.share is None else f"{entry.share * 100:.1f}",
        _fit(entry.time_s * 1e3, 9),
        fmt.count(entry.calls) if entry.calls < 10_000_000 else fmt.short_count(entry.calls),
        _fit(entry.mean_s * 1e6, 9),
        "" if entry.local else _fit(entry.per_call_max_s * 1e6, 8),
        fmt.short_count(entry.messages) if entry.messages else "",
        fmt.size(entry.moved_bytes) if entry.moved_bytes else "",
    )
    return " ".join(
        f"{text:>{column[2]}}" for text, column in zip(_shown(cells, width), _shown(_COLUMNS, width), strict=True)
    )


def _shown(columns: tuple[_T, ...], width: int) -> tuple[_T, ...]:
    return columns if width >= _NARROW else columns[:_NOT_IF_NARROW] + columns[_NOT_IF_NARROW + 1 :]


def _fit(value: float, width: int) -> str:
    """A number of milli- or microseconds with as many decimals as help, in at most `width` characters."""
    for decimals in (2 if value < 100 else 1 if value < 10_000 else 0, 1, 0):
        text = f"{value:,.{decimals}f}"
        if len(text) <= width:
            return text
    return f"{value:.2e}"


def clip(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def clip_front(text: str, width: int) -> str:
    return text if len(text) <= width else "…" + text[len(text) - max(width - 1, 0) :]
