"""leadline run: records a command, prints a summary and writes the report."""

from __future__ import annotations

from typing import Any

import click

from leadline.cli.recorded_command import (
    PROGRAM_FOLLOWS,
    Recording,
    output_option,
    record_with_words,
    recorder_options,
)
from leadline.cli.recorder_settings import variables_of
from leadline.cli.reporting import step_option


@click.command("run", cls=Recording, context_settings=PROGRAM_FOLLOWS)
@output_option
@recorder_options
@click.option("-q", "--quiet", is_flag=True, envvar="LEADLINE_QUIET", help="Write the report, but print no summary.")
@step_option
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND [ARGS]...")
def command(output: str | None, quiet: bool, step: str | None, program: tuple[str, ...], **settings: Any) -> int:
    """Record COMMAND, print a summary on standard error, and write the report into the run's directory.

    COMMAND is the command you would type without Leadline. It keeps its own input, output, signals and exit code.
    """
    recording = record_with_words(program, output, variables_of(settings), quiet=quiet, summary=True)
    if recording.has_traces:
        from leadline.cli.reporting import summarise

        for directory in recording.runs:
            summarise(directory, quiet=quiet, exit_code=recording.exit_code, step=step)
    return recording.exit_code
