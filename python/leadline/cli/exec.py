"""leadline exec: becomes one recorded rank, as in `mpiexec -n 4 leadline exec ./app`.

This is for what leadline-exec leaves to Python (leadline.cli.native_exec); it does the rest in the same way.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import click

from leadline import run_directory
from leadline.cli.recorded_command import PROGRAM_FOLLOWS, Recording, recorder_options
from leadline.cli.recorder_settings import variables_of
from leadline.cli.saying import say
from leadline.launch import ignored_signals, keeper, process
from leadline.launch.inside import own_rank
from leadline.launch.program import program_file
from leadline.launch.recorder import RUNS, merged_preload, variables
from leadline.launch.sanitizers import runtime_in_front
from leadline.launch.wrappers import with_variables


@click.command("exec", cls=Recording, context_settings=PROGRAM_FOLLOWS)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    envvar=["LEADLINE_OUTPUT", "LEADLINE_DIR"],
    help="Directory for the run, the same for all its ranks.  [default: leadline-runs/<job>]",
)
@recorder_options
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="PROGRAM [ARGS]...")
def command(output: str | None, program: tuple[str, ...], **given: Any) -> int:
    """Run PROGRAM as one recorded rank: mpiexec -n 4 leadline exec ./app.

    All ranks of a job share one directory. If DIR already contains another job's run, this job gets a subdirectory
    of its own, and rank 0 says so.
    """
    settings = variables_of(given)
    path = process.resolve(program[0], os.environ.get("PATH"))
    directory, of_several = _directory(output)
    in_front = runtime_in_front(program_file(program, None, os.environ))
    ours = variables(directory, of_several, settings, os.environ.get("LD_PRELOAD"), in_front)
    os.environ.pop(RUNS, None)
    if _say_if_unwritable(directory):
        ours["LEADLINE_UNWRITABLE"] = "1"  # the recorder need not say it again
    words = with_variables(program, ours, merged_preload(None, in_front))
    keeper.watch(directory)
    for number in ignored_signals.to_default():
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(path, words, {**os.environ, **ours})
    except OSError as error:
        raise process.cannot_start(program[0], path, error) from error


def _say_if_unwritable(directory: Path) -> bool:
    """Whether it was said."""
    own = own_rank(os.environ)
    why = run_directory.why_not_written(directory) if own is None or own.rank == 0 else ""
    if why:
        say(f"cannot write to {directory}: {why}; the program runs, and its recording will be lost")
        say("choose another directory with -o DIR")
    return bool(why)


def _directory(output: str | None) -> tuple[Path, bool]:
    """The directory asked for, and whether the run gets its own directory within it.

    The recorder makes that directory when the job begins: it knows which ranks form one job. No problem with
    directories therefore keeps a program from starting.
    """
    if output is None and "LEADLINE_DIR" not in os.environ:
        return Path(run_directory.DEFAULT_PARENT).absolute(), True
    directory = Path(output or os.environ["LEADLINE_DIR"]).absolute()
    inherited = os.environ.get("LEADLINE_DIR") == str(directory)
    if inherited:
        return directory, bool(os.environ.get(RUNS))
    # An older Leadline did not write down which job a run belongs to.
    return directory, run_directory.is_unclaimed_run(directory)
