"""leadline improve: makes an unmodified program faster on this machine, with proof, or says that nothing helps."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from leadline import run_directory
from leadline.cli.recorded_command import PROGRAM_FOLLOWS, say_mistakes
from leadline.cli.saying import nearby, say, shown
from leadline.errors import UsageError
from leadline.launch import process
from leadline.launch.inside import refuse_inside_job
from leadline.launch.launcher import find_launcher
from leadline.text.durations import seconds_of
from leadline.text.printing import write_json


def _numbers_in(text: str) -> tuple[int, ...]:
    """Raises UsageError."""
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", text):
        raise UsageError(f"--ranks {text}: expected numbers", hint="e.g. 32,48,64")
    return tuple(dict.fromkeys(map(int, text.split(","))))


def _words_of(option: str) -> tuple[str, ...]:
    """Raises UsageError."""
    try:
        return tuple(shlex.split(option))
    except ValueError as error:
        raise UsageError(f"--steps-option {option}: {error}") from None


def _meter(times_parts: bool) -> Any:
    """Raises UsageError if there is none here."""
    from leadline.improve import energy

    if times_parts:
        raise UsageError("--goal energy is of whole runs: without --time, --iterations and --stop-after")
    found = energy.meter()
    if isinstance(found, str):
        raise UsageError(f"--goal energy: {found}", hint="--goal time, the default, needs none")
    return found


@click.command("improve", context_settings=PROGRAM_FOLLOWS)
@click.option(
    "--for",
    "limit",
    metavar="DURATION",
    default="10m",
    show_default=True,
    envvar="LEADLINE_FOR",
    help="Time for everything, for example 90s, 10m, 1h30m.",
)
@click.option(
    "--goal",
    type=click.Choice(["time", "energy"]),
    default="time",
    show_default=True,
    envvar="LEADLINE_GOAL",
    help="What is to become less; energy by the counters of this host's processors, of whole runs.",
)
@click.option(
    "--time",
    "pattern",
    metavar="REGEX",
    envvar="LEADLINE_TIME",
    help="Compare the time that the program prints: REGEX's first group.",
)
@click.option(
    "--iterations",
    is_flag=True,
    envvar="LEADLINE_ITERATIONS",
    help="Compare iterations of the main loop, or end if there are none.  [default: iterations, else the whole run]",
)
@click.option(
    "--stop-after",
    type=click.IntRange(min=5),
    metavar="N",
    envvar="LEADLINE_STOP_AFTER",
    help="End each launch when about N iterations of the main loop are done, instead of running the program whole.",
)
@click.option(
    "--steps-option",
    metavar="OPTION",
    envvar="LEADLINE_STEPS_OPTION",
    help="Run the program with fewer steps: OPTION in place of its own, for example '--steps 20' or 'steps=20'.",
)
@click.option(
    "--ranks",
    metavar="N,...",
    envvar="LEADLINE_RANKS",
    help="Other numbers of ranks to try, for example 32,48,64.",
)
@click.option(
    "--reorder",
    is_flag=True,
    envvar="LEADLINE_REORDER",
    help="Also try settings that change the order of sums, and so, perhaps, results.",
)
@click.option(
    "--compare",
    "compared",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    envvar="LEADLINE_COMPARE",
    help="A file that the program writes, which must be the same with every setting. May be repeated.",
)
@click.option(
    "--only",
    metavar="KIND,...",
    envvar="LEADLINE_ONLY",
    help="Kinds of settings to try, for example protocol,binding.  [default: all]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    required=True,
    envvar="LEADLINE_OUTPUT",
    help="Directory for what is measured and found. With that of an earlier search, go on with it.",
)
@click.option(
    "--again",
    is_flag=True,
    envvar="LEADLINE_AGAIN",
    help="Measure what the search in -o DIR kept once more, in fresh launches. COMMAND is then that of the search.",
)
@click.option("--json", "json_", is_flag=True, envvar="LEADLINE_JSON", help="Print the result as JSON.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND [ARGS]...")
def command(
    limit: str,
    goal: str,
    pattern: str | None,
    iterations: bool,
    stop_after: int | None,
    steps_option: str | None,
    ranks: str | None,
    reorder: bool,
    compared: tuple[Path, ...],
    only: str | None,
    output: Path,
    again: bool,
    json_: bool,
    program: tuple[str, ...],
) -> int:
    """Find settings with which COMMAND is faster here, without changing it, and prove that they help.

    COMMAND is recorded once, and the record says what could matter. Each candidate is run by turns with the unchanged
    program; those that win are combined, and confirmed in fresh launches. `leadline apply DIR/improve.toml -- COMMAND`
    then runs it with them. Often nothing helps, which is then said.

    Exit codes: 0 when the search came to an end, whether or not something helps; 7 if the unchanged program fails; 130
    after Ctrl-C, when the same command goes on.
    """
    from leadline.improve.candidates import kinds
    from leadline.improve.improving import improve
    from leadline.improve.telling import as_json, lines
    from leadline.improve.wanted import Wanted
    from leadline.runs.progress import ProgressLine
    from leadline.text.suggestions import available
    from leadline.tuning.protocol import check_pattern

    for_s = seconds_of(limit)
    if again:
        if any((pattern, iterations, stop_after, steps_option, ranks, reorder, compared, only)) or goal != "time":
            raise UsageError("--again measures as the search did: it takes --for and --json only")
        return _again(output, for_s, program, json_=json_)
    if not program:
        raise click.UsageError("Missing argument '-- COMMAND [ARGS]...'.")
    refuse_inside_job("improve", program, os.environ)
    if pattern is not None:
        check_pattern(pattern)
        if iterations:
            raise UsageError("--time and --iterations exclude each other")
        if stop_after is not None:
            raise UsageError("--time and --stop-after exclude each other: a program that is ended prints no time")
    meter = _meter(pattern is not None or iterations or stop_after is not None) if goal == "energy" else None
    if compared and stop_after is not None:
        raise UsageError("--compare and --stop-after exclude each other: a program that is ended leaves half of a file")
    numbers = _numbers_in(ranks) if ranks else ()
    short = _words_of(steps_option) if steps_option else ()
    chosen = tuple(only.split(",")) if only else ()
    for kind in chosen:
        if kind not in kinds():
            raise UsageError(f"--only: unknown kind {kind!r}", hint=available(kind, kinds()))
    process.resolve(program[0], os.environ.get("PATH"))
    run_directory.make(output.absolute())
    run_directory.refuse_if_others_write(output.absolute(), shared=False)
    say_mistakes(program, find_launcher(program))
    directory = output.absolute()
    wanted = Wanted(
        program, directory, for_s, pattern, iterations, reorder, compared, chosen, stop_after, short, numbers, meter
    )
    with ProgressLine(say) as line:
        found = improve(wanted, line.note, line.show)
    told = lines(found, nearby(output), program)
    (output / "report.txt").write_text("\n".join(told) + "\n")
    if json_:
        write_json(as_json(found), sys.stdout)
    else:
        print("\n".join(told))
    if found.interruption.signal:
        say(f"interrupted; the same command goes on with {shown(output)}")
    found.interruption.end_if_any()
    return 0


def _again(output: Path, for_s: float, program: tuple[str, ...], *, json_: bool) -> int:
    from leadline.improve.again import measure_again
    from leadline.improve.wanted import Wanted
    from leadline.runs.progress import ProgressLine

    wanted = Wanted.of_search(output.absolute(), for_s)
    if program and program != wanted.command:
        raise UsageError(f"{output} holds another search: {shlex.join(wanted.command)}")
    refuse_inside_job("improve", wanted.command, os.environ)
    process.resolve(wanted.command[0], os.environ.get("PATH"))
    run_directory.refuse_if_others_write(output.absolute(), shared=False)
    with ProgressLine(say) as line:
        found = measure_again(wanted, line.show)
    if json_:
        write_json(found.as_dict(), sys.stdout)
    else:
        print("\n".join(found.lines()))
    found.interruption.end_if_any()
    return 0
