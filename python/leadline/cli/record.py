"""leadline record: runs a command with its ranks recorded."""

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
from leadline.cli.saying import say, shown


@click.command("record", cls=Recording, context_settings=PROGRAM_FOLLOWS)
@output_option
@recorder_options
@click.option(
    "-q", "--quiet", is_flag=True, envvar="LEADLINE_QUIET", help="Suppress Leadline's messages, except errors."
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND [ARGS]...")
def command(output: str | None, quiet: bool, program: tuple[str, ...], **settings: Any) -> int:
    """Record COMMAND into a new directory.

    COMMAND is the command you would type without Leadline: mpiexec -n 4 ./app, srun ./app, a script, or the program
    itself. It keeps its own input, output, signals and exit code.
    """
    recording = record_with_words(program, output, variables_of(settings), quiet=quiet)
    if recording.has_traces and not quiet:
        for directory in recording.runs:
            say(f"recorded in {shown(directory)}; show the report: leadline report {shown(directory)}")
    return recording.exit_code
