"""What a person reads first: why the run is slow, in at most 25 lines of 80 columns.

A verdict, how efficient the run is, its main loop, where the time goes, what to change and what that gains, and the
findings that cost most. Tables are in the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.figures.content import Content
from leadline.figures.phases import PhaseEntry
from leadline.figures.time_parts import LEAST_OWN_SHOWN
from leadline.findings import times_are_spoiled
from leadline.findings.finding import Finding
from leadline.report.entry_lines import clip
from leadline.report.helping import leaders, with_help
from leadline.report.json_report import PARTS_OF_TIME
from leadline.report.sections.phases import perhaps_parts, phase_words
from leadline.report.terminal import about
from leadline.report.verdict import verdict
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen
from leadline.text.wrapping import together, wrapped
from leadline.wording.gains import gain_words, to_check
from leadline.wording.loops import or_others, restarting, why_no_main_loop
from leadline.wording.waits import why_unknown

if TYPE_CHECKING:
    from rich.console import Console

    from leadline.advice import Advice, Proposal

MOST_LINES = 25  # as many as an 80-column terminal has; more on a narrower one
FULL_WIDTH = 80
MOST_FINDINGS = 3  # proposals, and the finding in the verdict, included
MOST_NOT_PROPOSED = 2
MOST_INNER = 3
MOST_OTHERS = 2
MOST_COMPUTED, LEAST_COMPUTED = 4, 0.02  # routines that are named; share of the time that makes one worth it
LEAST_SHARE_INNER = 0.005
LABEL = 12  # columns before the facts
MARKS = {"computation": "#", "waiting": "=", "transfer": "-", "mpi": "=", "files": ".", "own": "+"}


@dataclass
class Block:
    """Lines that stand together. rank: which are left out first if there are too many lines; 0: never."""

    lines: list[Line]
    rank: int = 0


def print_summary(
    content: Content, findings: Sequence[Finding], console: Console, more: str = "", advice: Advice | None = None
) -> None:
    """more: a last paragraph that says where the rest is.   advice: None: nothing is known of what changes gain."""
    out = Screen(console)
    out.lines([line for block in _blocks(content, findings, advice, out.width, more) for line in block.lines])


def _blocks(content: Content, findings: Sequence[Finding], advice: Advice | None, width: int, more: str) -> list[Block]:
    # Counts stay exact where times are spoiled.
    blocks = [Block(_wrapped(verdict(content, findings, traffic=times_are_spoiled(findings)), width, style="bold"))]
    answered = advice.answered if advice is not None else []
    stated = _stated(findings)
    if stated is not None and stated.help and stated not in answered:
        blocks.append(Block(_wrapped(stated.help, width, "-> "), 3))
    blocks.append(Block(_wrapped(about(content), width, style="dim"), 6))
    if not content.ended_at_start.all_ranks:
        facts = [*_where_time_goes(content, width), *_efficiency(content, width), *_main_loop(content, width)]
        if facts:
            blocks.append(Block(["", *facts]))
            blocks += [Block([line], 7) for line in _inner_loops(content, width)]
    proposed = _proposals(advice, width) if advice is not None else []
    room = MOST_FINDINGS - max(len(proposed), stated is not None)
    listed = _listed([finding for finding in findings if finding not in answered], stated, room)
    told = with_help(listed, stated.help if stated is not None else "", among=findings)
    entries = [
        *(Block(lines, number) for number, lines in enumerate(proposed, 1)),
        *(Block(_wrapped(text, width, "- "), 5 + number) for number, (_, text) in enumerate(told)),
        *([Block(lines, 8)] if advice is not None and (lines := _not_proposed(advice, width)) else []),
    ]
    if entries:
        entries[0].lines.insert(0, "")
    blocks += entries
    if more:
        blocks.append(Block(["", *_wrapped(more, width)]))
    return _fitting(blocks, MOST_LINES if width >= FULL_WIDTH else MOST_LINES * FULL_WIDTH // width)


def _proposals(advice: Advice, width: int) -> list[list[Line]]:
    """A line of gain and place each, then what to do."""
    return [
        [
            *_wrapped(f"{gain_words(each.gain)}: {each.candidate.title}.", width, f"{number}. "),
            *wrapped(" ".join([each.candidate.text, to_check(each.candidate.assumes)]).rstrip(), width, "   ", "   "),
        ]
        for number, each in enumerate(advice.proposals[:MOST_FINDINGS], 1)
    ]


def _not_proposed(advice: Advice, width: int) -> list[Line]:
    """The usual remedies that gain nothing here, or whose gain is not sure."""
    unsure = advice.unsure
    nothing = [each for each in advice.not_worth_it if each not in unsure]
    said = [
        *_titles("Gain not certain, from a run this short or irregular", unsure),
        *_titles("Not worth it here", nothing),
    ]
    return _wrapped(" ".join(said), width, "- ", "dim") if said else []


def _titles(begin: str, proposals: Sequence[Proposal]) -> list[str]:
    titles = list(dict.fromkeys(each.candidate.title for each in proposals))
    more = len(titles) - MOST_NOT_PROPOSED
    text = "; ".join(f"{title[:1].lower()}{title[1:]}" for title in titles[:MOST_NOT_PROPOSED])
    return [f"{begin}: {text}{f', and {more} more' if more > 0 else ''}."] if titles else []


def _fitting(blocks: list[Block], most: int) -> list[Block]:
    """Removes the least important blocks, last ones first, until the lines fit."""
    kept = list(blocks)
    while sum(len(block.lines) for block in kept) > most and any(block.rank for block in kept):
        last = max(range(len(kept)), key=lambda index: (kept[index].rank, index))
        del kept[last]
    return kept


def _stated(findings: Sequence[Finding]) -> Finding | None:
    """The finding that the verdict states: the one that costs most. None where times are spoiled: the verdict says how
    to get good ones, and nothing is said of costs."""
    if times_are_spoiled(findings):
        return None
    rest = leaders([finding for finding in findings if not finding.in_verdict])
    return next((each for each in rest if each.severity == "notice" and each.cost_s is not None), None)


def _listed(findings: Sequence[Finding], stated: Finding | None, room: int) -> list[Finding]:
    """What went wrong, then what costs time; without any, what stands out. Of costs only so many as there is room."""
    rest = leaders([finding for finding in findings if not finding.in_verdict])
    wrong = [finding for finding in rest if finding.severity != "notice"]
    if times_are_spoiled(findings):
        return wrong[: MOST_FINDINGS - 1]
    costly = [each for each in rest if each.cost_s is not None and each not in wrong and each is not stated]
    if stated is None:
        costly = [finding for finding in rest if finding not in wrong]
    return [*wrong, *costly][: max(room, 0)]


def _wrapped(text: str, width: int, first: str = "", style: str = "") -> list[Line]:
    return [(line, style) if style else line for line in wrapped(text, width, first, " " * len(first))]


def _fact(label: str, text: str, width: int) -> list[Line]:
    lines = wrapped(text, width - LABEL)
    return [f"{label if number == 0 else '':{LABEL}}{line}" for number, line in enumerate(lines)]


def _where_time_goes(content: Content, width: int) -> list[Line]:
    if content.base_s <= 0:
        return []
    room = min(width, FULL_WIDTH) - LABEL
    bar, words, shown, done = "", [], 0.0, 0
    for part in content.time_parts:
        if part.share is None:
            continue
        if part.kind == "own" and part.share < LEAST_OWN_SHOWN:  # the last one: the bar is a little shorter
            continue
        mark = MARKS[part.kind]
        shown += part.share
        cells = round(shown * room) - done
        done += cells
        bar += mark * cells
        words.append(together(f"{mark} {PARTS_OF_TIME[part.kind]} {fmt.percent(part.share)}"))
    lines: list[Line] = _fact("Time", bar[:room], width)
    lines += _wrapped("  ".join(words), width, " " * LABEL)
    startup = content.startup_s / max(len(content.ranks), 1)
    note = f"shares exclude MPI_Init and MPI_Finalize ({fmt.seconds(startup)} per rank)"
    if content.waiting_s is None:
        note += f"; waiting unknown: {why_unknown(content)}"
    return lines + _wrapped(note, width, " " * LABEL, "dim") + _computes_in(content, width)


def _computes_in(content: Content, width: int) -> list[Line]:
    """Routines, if samples were taken."""
    found = [one for one in content.samples.routines if one.share >= LEAST_COMPUTED]
    text = ", ".join(f"{one.routine} {fmt.percent(one.share)}" for one in found[:MOST_COMPUTED])
    return _fact("Computation", text, width) if found else []


def _efficiency(content: Content, width: int) -> list[Line]:
    efficiency = content.efficiency if len(content.ranks) > 1 else None
    if efficiency is None:
        return []
    text = (
        f"{fmt.percent(efficiency.parallel)} parallel = {fmt.percent(efficiency.load_balance)} load balance × "
        f"{fmt.percent(efficiency.communication)} communication"
    )
    return _fact("Efficiency", text, width)


def _main(content: Content) -> PhaseEntry | None:
    return next((entry for entry in content.phases if entry.kind == "loop" and entry.parent is None), None)


def _main_loop(content: Content, width: int) -> list[Line]:
    main = _main(content)
    if main is None:
        if content.iterations is not None or not content.calls:
            return []
        return [*_fact("Main loop", f"none: {why_no_main_loop(content.run)}", width), *_other_loops(content, width)]
    lines = _fact("Main loop", f"{fmt.percent(content.share(main.time_s)):>6}  {phase_words(main)}", width)
    loop = content.iterations.loop if content.iterations is not None else None
    if loop is not None and loop.lumps and loop.restarts:
        lines += _wrapped(restarting(loop), width, " " * LABEL, "dim")
    if unseen := perhaps_parts(main):
        lines += _wrapped(unseen, width, " " * LABEL, "dim")
    return lines + _other_loops(content, width)


def _other_loops(content: Content, width: int) -> list[Line]:
    others = or_others(content.other_loops[:MOST_OTHERS])
    return _wrapped(others, width, " " * LABEL, "dim") if others else []


def _inner_loops(content: Content, width: int) -> list[Line]:
    """What recurs in the main loop, and loops within it, that take most time in MPI. Their whole time says less: it has
    the computation before their first call, which may be another routine's."""
    if _main(content) is None:
        return []
    within = [entry for entry in content.phases if entry.parent is not None]
    weighty = [entry for entry in within if content.share(entry.mpi_s) >= LEAST_SHARE_INNER]
    shown = sorted(weighty, key=lambda entry: -entry.mpi_s)[:MOST_INNER]
    labels = ["MPI inside", *[""] * len(shown)]
    return [
        clip(
            f"{label:{LABEL}}{fmt.percent(content.share(entry.mpi_s)):>6}    {phase_words(entry, period=False)}", width
        )
        for label, entry in zip(labels, shown, strict=False)
    ]
