"""How a run ended: at its start, or with ranks that were silent for long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leadline.figures import unfinished
from leadline.figures.ending import EndedAtStart
from leadline.figures.unfinished import Stop
from leadline.text import format as fmt
from leadline.text.ranks import named, rank_list


def of_a_start(ended: EndedAtStart) -> str:
    """The sentence for the verdict; "" if no rank ended like this."""
    if ended.running:
        return _so_far(ended)
    parts = []
    if ended.in_init:
        parts.append(f"MPI_Init did not return on {named(ended.in_init)}")
    parts += _after_init(ended)
    if ended.aborted:
        parts.append(f"{named(ended.aborted)} called MPI_Abort right after MPI_Init")
    text = "; ".join(parts)
    if not ended.all_ranks:
        return f"{text[0].upper()}{text[1:]}." if text else ""
    code = f" Exit code {ended.exit_code}." if ended.exit_code else ""
    return f"The run ended during start-up: {text}.{code}"


def _after_init(ended: EndedAtStart) -> list[str]:
    """Ranks that had entered a call, such as those that waited for one that crashed, made more than local calls."""
    local = [label for label in ended.after_init if label not in ended.called]
    parts = [f"{named(local)} made only local calls after MPI_Init"] if local else []
    for call in dict.fromkeys(ended.called.values()):
        inside = [label for label, entered in ended.called.items() if entered == call]
        verb = "entered" if ended.running else "had entered"
        parts.append(f"{named(inside)} {verb} {call}")
    return parts


def _so_far(ended: EndedAtStart) -> str:
    parts = []
    if ended.in_init:
        parts.append(f"MPI_Init has not returned on {named(ended.in_init)}")
    parts += _after_init(ended)
    if ended.aborted:
        parts.append(f"{named(ended.aborted)} called MPI_Abort right after MPI_Init")
    return f"So far, {'; '.join(parts)}." if parts else ""


def of_stops(found: Sequence[Stop], clock_error_s: float | None) -> str:
    """The sentence that the report begins with; "" if no rank was silent for long.

    clock_error_s: the error of comparing times of different ranks; None if it is unknown.
    """
    long = [stop for stop in found if stop.long]
    if not long:
        return ""
    running = all(stop.source == unfinished.RUNNING for stop in long)
    parts = []
    inside = [stop for stop in long if stop.call is not None]
    for alike in _grouped(inside):
        one = len(alike) == 1
        verb = ("has been" if one else "have been") if running else "sat"
        where = f" ({alike[0].routine})" if alike[0].routine else ""
        parts.append(f"{_ranks(alike)} {verb} in {alike[0].call}{where} {_how_long(alike, running)}")
    outside = [stop for stop in long if stop.call is None]
    if outside:
        verb = "has made" if running and len(outside) == 1 else "have made" if running else "made"
        parts.append(f"{_ranks(outside)} {verb} no MPI call {_how_long(outside, running)}")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}. {_first(found, clock_error_s)}".strip()


def of_the_first_to_stop(found: Sequence[Stop], clock_error_s: float | None) -> str:
    """Of ranks that waited for one that was in no call, or was gone before them; "" if none is known to be that."""
    known = unfinished.first(found, clock_error_s)
    return _first(found, clock_error_s) if known is not None and known[1] != "first-in-call" else ""


def _first(found: Sequence[Stop], clock_error_s: float | None) -> str:
    known = unfinished.first(found, clock_error_s)
    if known is None:
        return ""
    stop, how = known
    name = f"Rank {stop.label}"
    if how == "ended" and stop.until_s is not None:
        last = max(s.until_s or 0.0 for s in found)
        where = f"in {stop.call}" if stop.call else "outside MPI"
        return f"{name} stopped first: it ended {where}, {fmt.seconds(last - stop.until_s)} before the others."
    if how == "no-call":
        before = min((s.since_s for s in found if s is not stop and s.call is not None), default=None)
        if before is None:
            return ""
        return f"{name} stopped first: its last call ended {_at(stop.since_s)}."
    return f"All were in MPI calls; rank {stop.label} entered its call first, {_at(stop.since_s)}."


def _at(seconds: float) -> str:
    return f"{fmt.seconds(seconds)} after the start"


def _grouped(found: Iterable[Stop]) -> list[list[Stop]]:
    """By call and routine, the largest group first."""
    groups: dict[tuple[str | None, str], list[Stop]] = {}
    for stop in found:
        groups.setdefault((stop.call, stop.routine), []).append(stop)
    return sorted(groups.values(), key=len, reverse=True)


def _how_long(alike: Sequence[Stop], running: bool) -> str:
    silent, ends = [stop.silent_s or 0.0 for stop in alike], [stop.until_s or 0.0 for stop in alike]
    if not running and any(stop.source == unfinished.AT_LEAST for stop in alike):
        return f"for at least {fmt.seconds(min(silent))} until the end, at {fmt.seconds(min(ends))} or later"
    longest = ("up to " if len(alike) > 1 else "") + fmt.seconds(max(silent))
    return f"for {longest}" if running else f"for {longest} until the end, at {fmt.seconds(max(ends))}"


def _ranks(alike: Sequence[Stop]) -> str:
    numbers = [int(stop.label) for stop in alike if stop.label.isdecimal()]
    return rank_list(numbers) if len(numbers) == len(alike) else ", ".join(f"rank {stop.label}" for stop in alike[:8])


def ranks_and_place(found: Mapping[str, Any]) -> tuple[str, str]:
    """("rank 1 and 2 others", " in solve at solve.c:9 (exit code 6)"), of a finding's evidence."""
    others = found["ranks"] - 1
    who = f"rank {found['rank']}" + (f" and {fmt.plural(others, 'other')}" if others else "")
    routine = f" in {found['routine']}" if found["routine"] else ""
    at = f" at {found['place']}" if found["place"] else ""
    code = f" (exit code {found['exit_code']})" if found["exit_code"] else ""
    return who, f"{routine}{at}{code}"
