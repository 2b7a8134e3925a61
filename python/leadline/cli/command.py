"""The `leadline` command: finds the subcommand's file, applies the settings files, and maps click's errors to codes."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys

import click

from leadline import __version__
from leadline.cli.settings import default_map

COMMANDS = {
    "run": "Record a command, summarise it and write the report.",
    "record": "Record a command into a new directory.",
    "report": "Show what a recorded run says.",
    "exec": "Start one rank recorded, under srun or mpiexec.",
    "collect": "Bring what killed processes left on this node into the run's directory.",
    "workload": "List, build and run the programs that come with Leadline.",
    "bench": "Measure messages and collective algorithms against one another.",
    "tune": "Find which algorithms of collectives are faster than the library's own here.",
    "apply": "Run a command with a tuning table, and prove what took effect.",
    "config": "Say where the files for named regions are.",
    "doctor": "Say what is here, and what would be recorded.",
}


class LazyGroup(click.Group):
    """Imports a command's file only when it is used: `leadline exec` runs once per rank and must start quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"leadline.cli.{cmd_name}")
        gc.enable()
        found: click.Command = module.command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="leadline")
def leadline() -> None:
    """Records any MPI program unchanged and reports where its communication goes.

    Every option is also a LEADLINE_* variable, and those that hold for more than one run are keys of leadline.toml
    or ~/.config/leadline/config.toml; the option wins over the variable, that over the project's file, that over the
    user's.
    """


def main(arguments: list[str]) -> int:
    """Run a command line. Returns its exit code; raises LeadlineError for failures of our own."""
    try:
        result = leadline.main(
            arguments, prog_name="leadline", standalone_mode=False, default_map=default_map(set(COMMANDS))
        )
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # The reader of our output left (`| head`): not a failure, and nothing more may be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    return result if isinstance(result, int) else 0
