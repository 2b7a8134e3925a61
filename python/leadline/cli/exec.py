"""leadline exec: becomes one rank, recorded; for `mpiexec -n 4 leadline exec ./app` and the like."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from leadline.cli.recorder_settings import variables_of
from leadline.cli.recording import PROGRAM_FOLLOWS, recorder_options
from leadline.errors import UsageError
from leadline.launch import job, keeper, process, rundir
from leadline.launch.recorder import merged_preload, variables
from leadline.launch.wrappers import with_variables


@click.command("exec", context_settings=PROGRAM_FOLLOWS)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    envvar=["LEADLINE_OUTPUT", "LEADLINE_DIR"],
    help="Directory for the run, the same for all its ranks.  [default: leadline-runs/<program>-<job>]",
)
@recorder_options
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="PROGRAM [ARGS]...")
def command(output: str | None, program: tuple[str, ...], **given: Any) -> int:
    """Become PROGRAM, recorded: mpiexec -n 4 leadline exec ./app.

    The ranks of one job share one directory; a directory that holds another job's run is refused.
    """
    settings = variables_of(given)
    path = process.resolve(program[0], os.environ.get("PATH"))
    directory = _shared_directory(output, program)
    ours = variables(directory, settings, os.environ.get("LD_PRELOAD"))
    words = with_variables(program, ours, merged_preload(None))
    keeper.watch(directory)
    try:
        os.execve(path, words, {**os.environ, **ours})
    except OSError as error:
        raise process.cannot_start(program[0], path, error) from error


def _shared_directory(output: str | None, program: tuple[str, ...]) -> Path:
    tag = job.tag()
    if output is not None:
        directory = Path(output).absolute()
    else:
        directory = (Path(rundir.DEFAULT_PARENT) / f"{rundir.stem(program[0])}-{tag}").absolute()
    rundir.make(directory)
    if not os.access(directory, os.W_OK | os.X_OK):
        raise UsageError(f"{directory} is not writable", hint="name another directory with -o DIR")
    if rundir.traces(directory) and not (directory / "run.json").exists():
        raise UsageError(f"{directory} holds another run", hint="name a new directory with -o DIR")
    if os.environ.get("LEADLINE_DIR") == str(directory):
        return directory  # set by leadline record around us: its run, which it describes
    found = rundir.write_description_once(directory, rundir.describe(program, state="started", how="exec", job=tag))
    if found.get("job") != tag:
        raise UsageError(f"{directory} holds another run", hint="name a new directory with -o DIR")
    return directory
