"""leadline timeline: draws an iteration of a recorded run, call by call, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from leadline.cli.reporting import open_run, step_option, working
from leadline.cli.run_argument import run_argument, run_or_newest
from leadline.errors import UsageError
from leadline.run_directory import require
from leadline.text import format as fmt
from leadline.text.printing import console
from leadline.text.visible import visible

WORDS = ("typical", "slowest", "output")


@click.command("timeline")
@click.option(
    "--iteration",
    metavar="N|typical|slowest|output",
    default="typical",
    show_default=True,
    envvar="LEADLINE_ITERATION",
    help="Iteration to draw: number (from 0), typical, slowest, or output (one with file I/O or rare calls).",
)
@click.option(
    "--ranks",
    metavar="RANKS",
    envvar="LEADLINE_RANKS",
    help="Draw only these ranks, e.g. 0-3,17.  [default: all, or 48 representative ones]",
)
@click.option(
    "--width",
    type=click.IntRange(min=20),
    envvar="LEADLINE_WIDTH",
    help="Width in columns.  [default: the terminal's]",
)
@step_option
@run_argument
def command(iteration: str, ranks: str | None, width: int | None, step: str | None, directory: str | None) -> int:
    """Draw an iteration of the run in DIR, by default that of the newest run under leadline-runs: a row per rank, a
    column per stretch of time.
    """
    path = run_or_newest(directory)
    require(path)
    if iteration not in WORDS and not iteration.isdecimal():
        raise UsageError(f"--iteration {iteration}: expected a number, {', '.join(WORDS[:-1])} or {WORDS[-1]}")
    from rich.text import Text

    screen = console()
    with working("reading the run"):
        run = open_run(path, step)
        lines = drawn(run, iteration, ranks, width or screen.width)
    for line in lines:
        screen.print(Text.assemble(*((visible(text), style) for text, style in line)), soft_wrap=True)
    return 0


def drawn(run: Any, iteration: str, ranks: str | None, width: int) -> list[list[tuple[str, str]]]:
    """Lines of (text, style). Raises UsageError if there is no timeline, no such iteration or no such rank."""
    from leadline.figures.content import Content
    from leadline.figures.timeline.drawing import Drawing
    from leadline.figures.timeline.lanes import choose_lanes, shown_lanes
    from leadline.figures.timeline.reading import StepTimeline, absent
    from leadline.report.sections.iterations import about_clocks
    from leadline.report.timeline_text import longest_calls, picture
    from leadline.text.screen import folded
    from leadline.wording.timelines import shown_ranks, waiting_share, why_none

    content = Content(run)
    if (why := absent(content)) is not None:
        raise UsageError(f"no timeline: {why_none(run, why)}")
    lanes = shown_lanes(content)
    if not lanes.processes:  # whoever asks has more patience than a report
        lanes = choose_lanes(content, 1)
    timeline = StepTimeline(content, lanes.processes)
    number, title = _find(timeline, iteration)
    about = _about(timeline, number, title, run)
    wanted = lanes.processes if ranks is None else chosen(run, ranks)
    if not {*wanted} <= {*lanes.processes}:
        timeline = StepTimeline(content, wanted)
    calls = timeline.calls(number.number)
    labels = [run.label(process) for process in timeline.processes]
    drawing = Drawing(timeline)
    shown = [lane for lane, process in enumerate(timeline.processes) if process in wanted]
    about = f"{about}. {waiting_share(calls, shown)}"
    lines = _wrapped(about, width, "bold")
    if lanes.representatives and ranks is None:
        lines += _wrapped(shown_ranks(run, lanes), width, "dim")
    if run.profile.time().kind != "shared":
        lines += _wrapped(about_clocks(run.profile.time()), width, "dim")
    lines += picture(calls, labels, shown, width, lambda row: drawing.category(calls.function(row)))
    for text in _without_calls(run, timeline, calls, shown):
        lines += _wrapped(text, width, "")
    longest = longest_calls(calls, labels, shown, lambda row: _where(timeline, calls, row), run.label)
    if longest:
        lines += [[("", "")], [("Longest calls", "bold")]]
    return [*lines, *([(line, "")] for text in longest for line in folded(text, width))]


def _without_calls(run: Any, timeline: Any, calls: Any, lanes: list[int]) -> list[str]:
    """Why lanes are empty."""
    cut: list[str] = []
    others: list[str] = []
    for lane, rows in enumerate(calls.rows_by_lane(len(timeline.processes))):
        if lane in lanes and not len(rows):
            process = timeline.processes[lane]
            (cut if run.cut(process) else others).append(run.label(process))
    texts = []
    if cut:
        ranks = "rank" if len(cut) == 1 else "ranks"
        texts.append(f"The trace of {ranks} {', '.join(cut)} is truncated: its calls in this iteration are not in it.")
    if others:
        ranks = "rank" if len(others) == 1 else "ranks"
        texts.append(f"Of {ranks} {', '.join(others)}, no call in this iteration is known.")
    return texts


def _wrapped(text: str, width: int, style: str) -> list[list[tuple[str, str]]]:
    import textwrap

    return [[(line, style)] for line in textwrap.wrap(text, width)]


def _find(timeline: Any, iteration: str) -> tuple[Any, str]:
    from leadline.figures.timeline.steps import representative_steps
    from leadline.wording.timelines import kept_iteration, title_of

    if iteration != "output":
        found = kept_iteration(timeline, int(iteration) if iteration.isdecimal() else iteration)
        return found, "" if iteration.isdecimal() else iteration
    for step in representative_steps(timeline):
        if set(step.kinds) & {"output", "files", "other_calls"}:
            return step.time, title_of(step)
    raise UsageError(
        "every recorded iteration makes the same calls: there is no 'output' iteration", hint="--iteration typical"
    )


def _about(timeline: Any, number: Any, title: str, run: Any) -> str:
    from leadline.figures.timeline.steps import median_s

    cut = sum(run.cut(process) for process in timeline.processes)
    ranks = "the ranks" if len(timeline.processes) == len(run.order) else f"{len(timeline.processes)} ranks"
    ranks += f" ({cut} of which {'has' if cut == 1 else 'have'} a truncated trace)" if cut else ""
    which = f"Iteration {number.number:,}{f' ({title})' if title else ''}"
    return (
        f"{which}: {fmt.seconds(number.mean_s)} mean over {ranks}, max {fmt.seconds(number.longest_s)} on rank "
        f"{run.label(number.process)}; the run's median is {fmt.seconds(median_s(timeline))}"
    )


def _where(timeline: Any, calls: Any, row: int) -> str:
    from leadline.figures.paths import short_place

    site = timeline.sites[calls.site(row)] if calls.site(row) >= 0 else None
    if site is None or not site.path:
        return str(calls.function(row))
    place = short_place(site.location)
    return f"{calls.function(row)} in {site.routine}" + (f" ({place})" if place else "")


def chosen(run: Any, text: str) -> tuple[int, ...]:
    """The processes of the ranks that the text names ("0-3,17"), in display order. Raises UsageError."""
    by_label = {run.label(process): process for process in run.order}
    wanted: set[int] = set()
    for part in (part.strip() for part in text.split(",")):
        first, _, last = part.partition("-")
        if part in by_label:
            wanted.add(by_label[part])
        elif first.isdecimal() and last.isdecimal():
            found = {p for label, p in by_label.items() if label.isdecimal() and int(first) <= int(label) <= int(last)}
            wanted |= _some(found, part, by_label)
        else:
            raise UsageError(f"--ranks {text}: no rank {part}", hint=_ranks_there(by_label))
    return tuple(process for process in run.order if process in wanted)


def _some(found: set[int], part: str, by_label: Mapping[str, int]) -> set[int]:
    if not found:
        raise UsageError(f"--ranks {part}: no such ranks", hint=_ranks_there(by_label))
    return found


def _ranks_there(by_label: Mapping[str, int]) -> str:
    numbers = sorted(int(label) for label in by_label if label.isdecimal())
    return f"the run has ranks {fmt.ranges(numbers)}" if len(numbers) == len(by_label) else ", ".join(by_label)
