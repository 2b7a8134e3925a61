"""A site's answer, on a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leadline import __version__
from leadline.site.ranking import Ranking, Sum
from leadline.text import format as fmt

if TYPE_CHECKING:
    from leadline.text.screen import Screen

SCHEMA = "leadline.site/1"
WIDEST_NAME = 32
HOUR = 3600.0
MOST_UNREAD = 3
SPOILED = {
    "separate-processes": "each process was a job of its own",
    "still-running": "still running",
    "interrupted": "interrupted",
    "aborted": "aborted",
    "ended-by-error": "ended by an error",
    "unseen-calls": "calls bypassed the recorder",
    "budget-spent": "the budget was spent",
    "incomplete": "a trace is missing or cut",
    "ranks-stopped": "ranks stopped",
    "oversubscribed": "more threads than cores",
    "cores-taken": "other processes took cores",
}
"""Conditions of a run, as the report's JSON names them: why its times say nothing of its program."""


def show(out: Screen, ranking: Ranking, most: int) -> None:
    """most: rows of the table; 0: all."""
    total = ranking.total
    out.paragraph(_first_sentence(total))
    if total.counted_s > 0:
        out.paragraph(
            f"{hours(total.lost_s)} are lost by what findings name (waiting, messages, collectives, files), "
            f"{fmt.percent(total.lost_s / total.counted_s)} of the time of the runs that can be judged."
        )
    if ranking.rows:
        _table(out, ranking, most)
    if ranking.not_counted:
        several = sorted(ranking.not_counted.items(), key=lambda item: -item[1])
        why = ", ".join(f"{SPOILED.get(name, name)} ({number:,})" for name, number in several)
        runs = fmt.plural(sum(ranking.not_counted.values()), "run")
        out.paragraph(f"What {runs} lost is unknown: {why}.")
    for entry in ranking.unread[:MOST_UNREAD]:
        out.paragraph(f"Not read: {entry.path}: {entry.account.why}")
    if len(ranking.unread) > MOST_UNREAD:
        out.paragraph(f"Not read: {fmt.plural(len(ranking.unread) - MOST_UNREAD, 'more run')}")


def _first_sentence(total: Sum) -> str:
    if not total.runs:
        return "No run with a readable trace."
    of = f"{fmt.plural(total.runs, 'run')} of {fmt.plural(len(total.programs), 'program')} by "
    of += f"{fmt.plural(len(total.users), 'user')}: {hours(total.time_s)} of all ranks"
    if total.time_s <= 0:
        return f"{of}."
    mpi, waiting, files = (_share(value, total.time_s) for value in (total.mpi_s, total.waiting_s, total.io_s))
    return f"{of}, MPI {mpi} (known waiting {waiting}), files {files}."


def _table(out: Screen, ranking: Ranking, most: int) -> None:
    rows = ranking.rows[: most or None]
    titles = {"program": "Programs", "user": "Users", "library": "MPI libraries", "finding": "Findings"}
    out.section(titles[ranking.by], "those that lose most first; times are sums over ranks")
    width = max(len(ranking.by), *(min(len(row.name), WIDEST_NAME) for row in rows))
    out.lines(
        [f"{ranking.by:{width}}  {'lost':>8}  {'time':>8}  {'runs':>6}  {'MPI':>6}  {'waiting':>7}  {'files':>6}"]
    )
    for row in rows:
        out.lines([_row(row, width)])
        if row.example[0]:
            out.lines([f"  {row.example[2]}", f"  leadline report {row.example[0]}"])
    if len(ranking.rows) > len(rows):
        out.paragraph(f"{len(ranking.rows) - len(rows)} more; --all shows them")


def _row(row: Sum, width: int) -> str:
    name = row.name if len(row.name) <= WIDEST_NAME else row.name[: WIDEST_NAME - 1] + "…"
    shares = [_share(value, row.time_s) for value in (row.mpi_s, row.waiting_s, row.io_s)]
    lost = hours(row.lost_s) if row.counted_s > 0 else "?"
    return (
        f"{name:{width}}  {lost:>8}  {hours(row.time_s):>8}  {fmt.short_count(row.runs):>6}  "
        f"{shares[0]:>6}  {shares[1]:>7}  {shares[2]:>6}"
    )


def _share(value: float, whole: float) -> str:
    return fmt.percent(value / whole) if whole > 0 else "?"


def hours(seconds: float) -> str:
    """Rank-hours from a tenth of an hour on, else seconds."""
    return f"{fmt.short_count(round(seconds / HOUR, 1))} h" if seconds >= HOUR / 10 else fmt.seconds(seconds)


def as_data(ranking: Ranking) -> dict[str, Any]:
    """Times in rank-seconds."""
    return {
        "schema": SCHEMA,
        "leadline": __version__,
        "by": ranking.by,
        "total": _data(ranking.total),
        "rows": [_data(row) for row in ranking.rows],
        "not_counted": ranking.not_counted,
        "unread": _unread(ranking),
    }


def _unread(ranking: Ranking) -> Sequence[dict[str, str]]:
    return [{"run": entry.path, "why": entry.account.why} for entry in ranking.unread]


def _data(row: Sum) -> dict[str, Any]:
    return {
        "name": row.name,
        "runs": row.runs,
        "users": sorted(row.users),
        "programs": sorted(row.programs),
        "time_s": row.time_s,
        "judged_s": row.counted_s,
        "lost_s": row.lost_s,
        "mpi_s": row.mpi_s,
        "waiting_s": row.waiting_s,
        "io_s": row.io_s,
        "own_s": row.own_s,
        "trace_bytes": row.trace_bytes,
        "findings_s": dict(sorted(row.kinds.items(), key=lambda item: -item[1])),
        "example": {"run": row.example[0], "lost_s": row.example[1], "finding": row.example[2]}
        if row.example[0]
        else None,
    }
