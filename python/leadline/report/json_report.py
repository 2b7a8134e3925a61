"""The report as data, for scripts. Schema "leadline.report/1": fields are added, never renamed or removed."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any

from leadline import __version__, _core
from leadline.report import iterations as loop
from leadline.report import job, placement, unfinished
from leadline.report.content import COLLECTIVE, Content, Entry, RankEntry, Spread, shared_chain
from leadline.report.control import paused_ranks, regions, settings, variables
from leadline.report.files_json import files_json
from leadline.report.one_sided import kinds_of_operations
from leadline.report.verdict import verdict
from leadline.run import Loss, Run
from leadline.symbols import Location

SCHEMA = "leadline.report/1"
MOST_DISTINCT_SIZES = 64


def to_json(run: Run) -> dict[str, Any]:
    """Every figure of the run. Times in seconds, sizes in bytes; min and max are over ranks."""
    content = Content(run)
    return {
        "schema": SCHEMA,
        "leadline": __version__,
        **_about(run),
        "duration_s": None if content.ended_at_start.all_ranks else run.duration_s,
        "verdict": verdict(content),
        "conditions": [{"code": c.code, "message": c.message, **c.details} for c in content.conditions],
        "hosts_detail": _hosts(run),
        "mpi_share": None if content.ended_at_start.all_ranks else content.mpi_share,
        "ended_at_start": _ended_at_start(content),
        "unfinished": [_stop(stop) for stop in unfinished.stops(run)],
        "live_memory": _live_memory(run),
        "mpi_s": content.mpi_s,
        "io_s": content.io_s,
        "time_s": content.time_s,
        "time_of": "threads" if content.whose_time else "ranks",
        "computation_s": sum(rank.computation_s for rank in content.ranks),
        "totals": _totals(content),
        "losses": [_loss(loss) for loss in content.losses],
        "not_recorded": [{"what": entry.what, "why": entry.why} for entry in content.not_recorded],
        "functions": [{"function": entry.name, **_entry(entry)} for entry in content.functions],
        "sites": [_site(entry) for entry in content.sites],
        "places": _places(content),
        "routines": [
            {"routine": entry.name, "full": entry.key, "at_least": entry.at_least, **_entry(entry)}
            for entry in content.routines
        ],
        "call_paths": [{"path": entry.name, **_entry(entry)} for entry in content.call_paths],
        "ranks_detail": [_rank(rank) for rank in content.ranks],
        "size_histogram": histogram(content.sizes),
        "sizes": _distinct(content.sizes),
        "one_sided_size_histogram": histogram(content.operation_sizes, "operations"),
        "one_sided_sizes": _distinct(content.operation_sizes, "operations"),
        "matrix": [
            {
                "source": rank_id(e.source),
                "target": rank_id(e.target),
                "messages": e.messages,
                "bytes": e.n_bytes,
                "one_sided_operations": e.operations,
                "bytes_put": e.bytes_put,
                "bytes_got": e.bytes_got,
            }
            for e in content.matrix
        ],
        "collectives": _collectives(content),
        "locals": [{"function": e.name, "calls": e.calls, "time_s": e.time_s} for e in content.functions if e.local],
        "iterations": loop.as_data(loop.iterations(run), rank_id),
        "no_iterations": loop.why_none(run) if loop.iterations(run) is None else None,
        "regions": _regions(content),
        "paused": _paused(content),
        "variables": _variables(content),
        "settings": _settings(content),
        "io": files_json(content, rank_id, _entry, _site),
        "overhead": {
            "own_s": content.own_s,
            "per_call_ns": content.own_s * 1e9 / content.calls if content.calls else 0.0,
            "fraction": content.own_share,
        },
        "trace": {
            "bytes": content.trace_bytes,
            "shared_bytes": run.shared_bytes,
            "bytes_per_call": content.trace_bytes / content.calls if content.calls else 0.0,
        },
    }


def _about(run: Run) -> dict[str, Any]:
    description = run.description
    return {
        "run": str(run.path),
        "command": description.get("command"),
        "start": description.get("start"),
        "exit_code": description.get("exit_code"),
        "program": next((p.program for p in run.processes if p.program), ""),
        "ranks": run.ranks,
        "ranks_recorded": len(run.processes),
        "worlds": len(run.worlds),
        "hosts": sorted({process.host for process in run.processes}),
        "job": description.get("job", {}).get("name"),
        "batch": job.batch_job(run),
        "placement": [
            {
                "host": place.host,
                "ranks": [rank_id(label) for label in place.labels],
                "cores": [core for first, count in place.cores for core in range(first, first + count)],
                "host_cores": place.host_cores,
                "bound": place.is_bound,
            }
            for place in job.places(run)
        ],
        "other_jobs": [str(path) for path in run.others],
        "library": run.library,
        "family": next((p.family for p in run.processes if p.family), ""),
        "complete": run.complete,
        "command_duration_s": description.get("duration_s"),
    }


def _ended_at_start(content: Content) -> dict[str, Any] | None:
    ended = content.ended_at_start
    if not ended:
        return None
    return {
        "all_ranks": ended.all_ranks,
        "in_init": [rank_id(label) for label in ended.in_init],
        "after_init": [rank_id(label) for label in ended.after_init],
        "aborted": [rank_id(label) for label in ended.aborted],
    }


def _live_memory(run: Run) -> list[dict[str, Any]]:
    """Where ranks kept their recordings while they ran (docs/file-systems.md)."""
    places = Counter(
        (place.file_system, place.live_kind, place.live_reason)
        for place in (process.placement for process in run.processes)
        if place.file_system
    )
    return [
        {"file_system_of_run": system, "place": kind, "why_not_on_the_node": reason or None, "ranks": ranks}
        for (system, kind, reason), ranks in places.most_common()
    ]


def _stop(stop: unfinished.Stop) -> dict[str, Any]:
    return {
        "rank": rank_id(stop.label),
        "host": stop.host,
        "in_call": stop.call,
        "routine": stop.routine or None,
        "last_call_ended_s": stop.last_call_s,
        "since_s": stop.since_s,
        "until_s": stop.until_s,
        "silent_s": stop.silent_s,
        "end_known_from": stop.source,
    }


def _totals(content: Content) -> dict[str, Any]:
    return {
        "calls": content.calls,
        "messages": content.messages,
        "message_bytes": content.message_bytes,
        "collective_calls": sum(rank.category_calls["collective"] for rank in content.ranks),
        "collective_bytes": sum(rank.contributed for rank in content.ranks),
        "collective_bytes_received": sum(rank.collected for rank in content.ranks),
        "local_calls": sum(entry.calls for entry in content.functions if entry.local),
        "one_sided_operations": content.operations,
        **{kind.name: kind.operations for kind in kinds_of_operations(content)},
        "bytes_put": content.bytes_put,
        "bytes_got": content.bytes_got,
    }


def _entry(entry: Entry) -> dict[str, Any]:
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
        # Of single calls; not known for purely local functions, whose times are summed.
        "min_s": None if entry.local else entry.per_call_min_s,
        "max_s": None if entry.local else entry.per_call_max_s,
        "max_s_rank": None if entry.local else rank_id(entry.per_call_max_rank),
        "ranks": entry.ranks,
        **_spread("calls", entry.calls_spread),
        **_spread("messages", entry.messages_spread),
        **_spread("bytes", entry.bytes_spread),
        **_spread("time", entry.time_spread, "_s"),
        "sizes": _distinct(entry.sizes),
        "one_sided_operations": entry.operations,
        "bytes_put": entry.bytes_put,
        "bytes_got": entry.bytes_got,
        "one_sided_sizes": _distinct(entry.operation_sizes, "operations"),
    }


def _spread(name: str, spread: Spread, unit: str = "") -> dict[str, Any]:
    number = (lambda value: value) if unit else _whole
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


def _whole(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def _distinct(sizes: _core.Sizes, what: str = "messages") -> list[dict[str, int]] | None:
    """Messages, or operations, by exact size, ascending; None where there are too many sizes."""
    if not sizes.distinct_complete or len(sizes.distinct) > MOST_DISTINCT_SIZES:
        return None
    return [{"bytes": size, what: sizes.distinct[size]} for size in sorted(sizes.distinct)]


def histogram(sizes: _core.Sizes, what: str = "messages") -> list[dict[str, Any]]:
    """Messages, or operations, by power of two: at least `from`, less than `to` bytes. Empty buckets are left out."""
    buckets = []
    for bucket, messages in enumerate(sizes.messages):
        if messages > 0:
            low = 0 if bucket == 0 else 1 << (bucket - 1)
            buckets.append({"from": low, "to": 1 << bucket, what: messages, "bytes": _whole(sizes.bytes[bucket])})
    return buckets


def _site(entry: Entry) -> dict[str, Any]:
    site = entry.site
    assert site is not None
    where = site.location
    return {
        "function": site.function,
        "routine": site.routine,
        "file": where.file if where is not None and where.file else None,
        **_line(where),
        "path": [described(location) for location in site.path],
        "frames": [_frame(location) for location in site.path],
        "path_whole": site.whole,
        **_entry(entry),
    }


def _places(content: Content) -> list[dict[str, Any]]:
    """Call sites as the terminal lists them: those of one function at one line with one chain of routines are one."""
    index_of = {id(entry.site): index for index, entry in enumerate(content.sites)}
    places = []
    for entry in content.places:
        site = entry.site
        assert site is not None
        where = site.location
        places.append(
            {
                "function": site.function,
                "routine": site.routine,
                "file": where.file if where is not None and where.file else None,
                **_line(where),
                "path": shared_chain(entry.sites),
                "sites": sorted(index_of[id(site)] for site in entry.sites if id(site) in index_of),
                **_entry(entry),
            }
        )
    return places


def _line(where: Location | None) -> dict[str, Any]:
    """line: null where it is not known.   line_exact: false where the compiler gave the call no line of its own."""
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
        **_line(location),
        "module": location.module,
    }


def _rank(rank: RankEntry) -> dict[str, Any]:
    return {
        "rank": rank_id(rank.rank),
        "host": rank.host,
        "pid": rank.pid,
        "threads": rank.threads,
        "duration_s": rank.duration_s,
        "time_s": rank.time_s,
        "computation_s": rank.computation_s,
        "mpi_s": rank.mpi_s,
        "io_s": rank.io_s,
        "by_kind_s": rank.category_s,
        "calls": rank.calls,
        "messages": rank.messages,
        "bytes": rank.bytes_sent,
        "bytes_received": rank.bytes_received,
        "collective_bytes": rank.contributed,
        "collective_bytes_received": rank.collected,
        "one_sided_operations": rank.operations,
        "bytes_put": rank.bytes_put,
        "bytes_got": rank.bytes_got,
        "own_s": rank.own_s,
        "trace_bytes": rank.trace_bytes,
        "finalized": rank.finalized,
        "complete": rank.complete,
    }


def _hosts(run: Run) -> list[dict[str, Any]]:
    return [
        {
            "host": use.host,
            "ranks": use.ranks,
            "threads": use.threads,
            "cores": use.cores,
            "host_cores": use.host_cores,
            "waited_share": use.waited_share,
        }
        for use in placement.uses(run)
    ]


def _regions(content: Content) -> list[dict[str, Any]] | None:
    entries = [
        {
            "region": entry.name,
            "path": "/".join(entry.path),
            "parent": "/".join(entry.path[:-1]) or None,
            "entries": entry.entries,
            "time_s": entry.time_s,
            "mpi_s": entry.mpi_s,
            "calls": entry.calls,
            "messages": entry.messages,
            "bytes": entry.n_bytes,
            "one_sided_operations": entry.operations,
            "bytes_put": entry.bytes_put,
            "bytes_got": entry.bytes_got,
            "time_min_s": entry.time_min_s,
            "time_max_s": entry.time_max_s,
            "max_rank": rank_id(entry.max_rank),
        }
        for entry in regions(content.run)
    ]
    return entries or None


def _variables(content: Content) -> list[dict[str, Any]] | None:
    entries = []
    for entry in variables(content.run):
        numbers = [value for _, value in entry.values]
        most = max(numbers)
        entries.append(
            {
                "name": entry.name,
                "description": entry.description,
                "class": entry.cls,
                "unit": entry.unit,
                "min": min(numbers),
                "median": statistics.median(numbers),
                "max": most,
                "max_rank": rank_id(entry.values[numbers.index(most)][0]),
                "ranks": len(numbers),
                "values": [{"rank": rank_id(rank), "value": value} for rank, value in entry.values],
            }
        )
    return entries or None


def _settings(content: Content) -> list[dict[str, Any]] | None:
    entries = [
        {
            "name": entry.name,
            "value": entry.value,
            "ranks": None if entry.ranks is None else [rank_id(rank) for rank in entry.ranks],
        }
        for entry in settings(content.run)
    ]
    return entries or None


def _paused(content: Content) -> list[dict[str, Any]] | None:
    entries = [
        {
            "rank": rank_id(entry.rank),
            "times": entry.times,
            "seconds": entry.seconds,
            "calls_not_recorded": entry.calls,
            "intervals": [{"from_s": begin, "to_s": end} for begin, end in entry.intervals],
        }
        for entry in paused_ranks(content.run)
    ]
    return entries or None


def _collectives(content: Content) -> list[dict[str, Any]]:
    return [
        {
            "function": entry.name,
            "calls": entry.calls,
            "bytes": entry.n_bytes,
            "bytes_received": entry.bytes_received,
            "time_s": entry.time_s,
        }
        for entry in content.functions
        if entry.cls in COLLECTIVE
    ]


def _loss(loss: Loss) -> dict[str, Any]:
    return {"code": loss.code, "amount": loss.amount, "message": loss.message, "rank": rank_id(loss.rank)}
