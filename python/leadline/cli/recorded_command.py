"""Shared by `record`, `run` and `exec`: their options, and the messages printed while and after a program runs."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, TypeVar

import click

from leadline.cli.recorder_settings import SAMPLES_PER_S, SETTINGS
from leadline.cli.saying import say, shown
from leadline.errors import NothingRecorded
from leadline.launch.inside import refuse_inside_job
from leadline.launch.launcher import Launcher
from leadline.launch.record import RecordedCommand, note_nothing, record
from leadline.text.printing import has_rewritten_lines, rewrite_line

Function = TypeVar("Function", bound=Callable[..., Any])

# Everything after the first word that is not an option of ours belongs to the program, its options included.
PROGRAM_FOLLOWS = {"allow_interspersed_args": False}


class Recording(click.Command):
    """Takes `--sample mpiexec …` for --sample without a RATE: click would take any word after it for the RATE."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = {flag: param for param in self.params if isinstance(param, click.Option) for flag in param.opts}
        at = 0
        while at < len(args) and args[at].startswith("-") and args[at] != "--":
            option = options.get(args[at])  # none: --name=value, or --help
            at += 1
            if option is None or option.is_flag:
                continue
            if option.name != "sample" or (args[at : at + 1] and args[at][0:1].isdigit()):
                at += 1
            elif args[at : at + 1] and not args[at].startswith("-"):
                args = [*args[:at], "--", *args[at:]]
        return super().parse_args(ctx, args)


def recorder_options(function: Function) -> Function:
    """The options of recorder_settings.SETTINGS."""
    for setting in reversed(SETTINGS):
        shapes: dict[str, dict[str, Any]] = {
            "flag": {"is_flag": True},
            "size": {"metavar": "SIZE"},
            "series": {"metavar": "SIZE|all|none"},
            "rate": {"metavar": "[RATE]", "is_flag": False, "flag_value": str(SAMPLES_PER_S)},
            "text": {"metavar": setting.values},
        }
        function = click.option(
            setting.flag, envvar=setting.variable, help=setting.help, **shapes.get(setting.kind, {})
        )(function)
    return function


def output_option(function: Function) -> Function:
    return click.option(
        "-o",
        "--output",
        metavar="DIR",
        envvar="LEADLINE_OUTPUT",
        help="Directory for the run; new or empty.  [default: leadline-runs/<program>-<time>-<n>]",
    )(function)


class Clock:
    """Shows how long the program has run, on one line of the terminal, which is cleared at the end.

    It is shown only if the program's output goes elsewhere, because the two must never mix.
    """

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._shown = 0.0
        self._allowed = has_rewritten_lines(sys.stderr) and not sys.stdout.isatty()

    def tick(self) -> None:
        now = time.monotonic()
        if self._allowed and now - self._begin > 2 and now - self._shown > 1:
            self._shown = now
            rewrite_line(sys.stderr, f"leadline: recording for {now - self._begin:.0f} s ")

    def clear(self) -> None:
        if self._shown:
            rewrite_line(sys.stderr, "")


def record_with_words(
    command: tuple[str, ...],
    output: str | None,
    settings: dict[str, str],
    *,
    quiet: bool,
    summary: bool = False,
    environ: dict[str, str] | None = None,
) -> RecordedCommand:
    """Record. Before the run, print mistakes that can be seen then, and the directory, on standard error; afterwards,
    explain a run without traces.

    summary: whether the report follows. Raises InsideJob.
    """
    refuse_inside_job("run" if summary else "record", command, os.environ if environ is None else environ)
    clock = Clock()
    hinted: set[str] = set()

    def started(directory: Path, launcher: Launcher | None) -> None:
        if not quiet:
            hinted.update(say_mistakes(command, launcher, environ))
            say(f"recording to {shown(directory)}")

    try:
        recording = record(
            command,
            output=output,
            settings=settings,
            environ=environ,
            on_start=started,
            while_waiting=clock.tick,
            on_trouble=say,
        )
    finally:
        clock.clear()
    if not recording.has_traces:
        _explain(recording, os.environ if environ is None else environ, hinted)
    return recording


def say_mistakes(
    command: Sequence[str], launcher: Launcher | None, environ: Mapping[str, str] | None = None
) -> list[str]:
    """Returns the hints that were printed."""
    from leadline.launch.mistakes import mistakes_of

    mistakes = mistakes_of(command, launcher, environ)
    for mistake in mistakes:
        say(f"warning: {mistake.message}")
        say(mistake.hint)
    return [mistake.hint for mistake in mistakes]


def _explain(recording: RecordedCommand, environ: Mapping[str, str], hinted: Set[str]) -> None:
    """hinted: hints that stand above, before the program's own output; they are not repeated."""
    from leadline.launch.explain import why_nothing
    from leadline.launch.queueing import submitter, what_becomes_of

    if recording.exit_code == 0 and submitter(recording.command):
        say(what_becomes_of(recording.command, environ, recording.directory))
        return
    verdict = why_nothing(recording.command, recording.launcher, recording.directory, recording.exit_code)
    note_nothing(recording.directory, verdict.reason)
    if verdict.elsewhere:
        say(f"nothing was recorded in {shown(recording.directory)}: {verdict.reason}")
        return
    hint = "" if verdict.hint in hinted else verdict.hint
    if recording.exit_code == 0:
        raise NothingRecorded(f"nothing was recorded: {verdict.reason}", hint=hint)
    say(f"nothing was recorded: {verdict.reason} (the program exited with code {recording.exit_code})")
    if hint:
        say(hint)
