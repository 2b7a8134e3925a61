"""How the report's figures are written in JSON, whichever section they are in."""

from __future__ import annotations

from typing import Any

from leadline import _core
from leadline.figures.entries import Entry, Spread
from leadline.figures.run import Site
from leadline.symbols import Location

MOST_DISTINCT_SIZES = 64


def entry_json(entry: Entry) -> dict[str, Any]:
    return {
        **({"class": entry.cls} if entry.cls else {}),
        "local": entry.local,
        "calls": entry.calls,
        "messages": entry.messages,
        "bytes": entry.n_bytes,
        "bytes_received": entry.bytes_received,
        "time_s": entry.time_s,
        "share": entry.share,
        "mean_s": entry.mean_s,
        # These are of single calls; not known for local functions, whose times are summed.
        "min_s": None if entry.local else entry.per_call_min_s,
        "max_s": None if entry.local else entry.per_call_max_s,
        "max_s_rank": None if entry.local else rank_id(entry.per_call_max_rank),
        "ranks": entry.ranks,
        **_spread("calls", entry.calls_spread),
        **_spread("messages", entry.messages_spread),
        **_spread("bytes", entry.bytes_spread),
        **_spread("time", entry.time_spread, "_s"),
        "sizes": distinct_json(entry.sizes),
        "one_sided_operations": entry.operations,
        "bytes_put": entry.bytes_put,
        "bytes_got": entry.bytes_got,
        "one_sided_sizes": distinct_json(entry.operation_sizes, "operations"),
    }


def _spread(name: str, spread: Spread, unit: str = "") -> dict[str, Any]:
    number = (lambda value: value) if unit else whole
    return {
        f"{name}_min{unit}": number(spread.min),
        f"{name}_median{unit}": number(spread.median),
        f"{name}_max{unit}": number(spread.max),
        f"{name}_min_rank": rank_id(spread.min_rank),
        f"{name}_max_rank": rank_id(spread.max_rank),
    }


def rank_id(label: str | None) -> int | str | None:
    """Ranks are numbers, but "1.3" (world 1, rank 3) where programs were spawned, and "pid 77" where not known."""
    return int(label) if label is not None and label.isdecimal() else label


def whole(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def distinct_json(sizes: _core.Sizes, what: str = "messages") -> list[dict[str, int]] | None:
    """Messages, or operations, by exact size, ascending; None if there are too many sizes."""
    if not sizes.distinct_complete or len(sizes.distinct) > MOST_DISTINCT_SIZES:
        return None
    return [{"bytes": size, what: sizes.distinct[size]} for size in sorted(sizes.distinct)]


def site_json(entry: Entry) -> dict[str, Any]:
    site = entry.site
    assert site is not None
    where = site.location
    return {
        "function": site.function,
        "routine": site.routine,
        "file": where.file if where is not None and where.file else None,
        **line_json(where),
        "path": [described(location) for location in site.path],
        "frames": [_frame(location) for location in site.path],
        "path_whole": site.whole,
        **entry_json(entry),
    }


def line_json(where: Location | None) -> dict[str, Any]:
    """line: null if unknown.   line_exact: false if the compiler gave the call no line of its own."""
    known = where is not None and where.file != ""
    return {
        "line": where.line if where is not None and known and (where.line or where.exact) else None,
        "line_exact": where is not None and known and where.exact,
    }


def described(location: Location) -> str:
    """A frame as text: "exchange (halo.cpp:41)"."""
    place = location.place()
    return f"{location.routine} ({place})" if place else location.routine


def _frame(location: Location) -> dict[str, Any]:
    return {
        "routine": location.routine,
        "full": location.full,
        "file": location.file or None,
        **line_json(location),
        "module": location.module,
    }


def place_json(site: Site) -> dict[str, Any]:
    """A call site by its innermost frame."""
    where = site.location
    return {
        "function": site.function,
        "routine": site.routine,
        "file": where.file if where and where.file else None,
        "line": where.line if where and where.line else None,
    }
