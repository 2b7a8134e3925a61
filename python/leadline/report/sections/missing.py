"""Parts of the recording that are missing, and things that were not recorded, with the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.figures import unfinished
from leadline.figures.content import Content
from leadline.figures.control import PausedRank
from leadline.figures.json_entries import rank_id
from leadline.figures.run import Loss
from leadline.report.not_recorded import not_recorded
from leadline.report.section import Section
from leadline.text import format as fmt
from leadline.text.screen import Screen

MOST_LOSSES = 12


def figures(content: Content) -> dict[str, Any]:
    return {
        "losses": [_loss(loss) for loss in content.losses],
        "not_recorded": [{"what": entry.what, "why": entry.why} for entry in not_recorded(content)],
        "paused": [_paused(rank) for rank in content.paused] or None,
        "unfinished": [_stop(stop) for stop in unfinished.stops(content.run)],
    }


def _loss(loss: Loss) -> dict[str, Any]:
    return {"code": loss.code, "amount": loss.amount, "message": loss.message, "rank": rank_id(loss.rank)}


def _paused(rank: PausedRank) -> dict[str, Any]:
    return {
        "rank": rank_id(rank.rank),
        "times": rank.times,
        "seconds": rank.seconds,
        "calls_not_recorded": rank.calls,
        "intervals": [{"from_s": begin, "to_s": end} for begin, end in rank.intervals],
    }


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


def draw(content: Content, out: Screen) -> None:
    if content.losses:
        out.section("Losses")
        _draw_losses(content.losses, out)
    out.section("Not recorded")
    for entry in not_recorded(content):
        out.item(f"{entry.what}: {entry.why}")


def _draw_losses(losses: Sequence[Loss], out: Screen) -> None:
    """Losses with the same code are one line, which shows the first of them."""
    by_code: dict[str, list[Loss]] = {}
    for loss in losses:
        by_code.setdefault(loss.code, []).append(loss)
    for code, alike in list(by_code.items())[:MOST_LOSSES]:
        first = alike[0]
        who = f"rank {first.rank}: " if first.rank is not None and not first.message.startswith("rank") else ""
        more = ""
        if len(alike) > 1:
            in_all = fmt.count(sum(loss.amount for loss in alike))
            more = f" (and {fmt.plural(len(alike) - 1, 'more like this', 'more like this')}; total {in_all})"
        out.item(f"{code}: {who}{first.message.strip()}{more}")


SECTION = Section(
    id="missing",
    title="Losses and omissions",
    order=130,
    figures=figures,
    draw=draw,
    present=lambda report: bool(report["losses"] or report["not_recorded"]),
)
