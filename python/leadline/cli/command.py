"""The `leadline` command: finds the subcommand's file, applies the settings files, and maps click's errors to codes."""

from __future__ import annotations

import gc
import importlib
import keyword
import os
import signal
import sys

import click

from leadline import __version__
from leadline.cli.groups import Group
from leadline.cli.settings import default_map
from leadline.errors import LeadlineError

COMMANDS = {
    "run": "Record a command, print a summary and write the report.",
    "record": "Record a command into a new directory.",
    "report": "Show the report of a run.",
    "timeline": "Draw one iteration of a run, call by call.",
    "compare": "Compare the environment, structure and times of runs.",
    "predict": "Predict a run's time under other conditions.",
    "calibrate": "Measure what messages cost here, for predictions.",
    "advise": "Propose what to change first, and what it would gain.",
    "export": "Export a run to another tool's format.",
    "import": "Import another tool's trace (OTF2).",
    "anonymise": "Copy a run without names of people, machines and files.",
    "exec": "Record one rank: leadline exec goes between srun/mpiexec and the program.",
    "collect": "Collect traces that killed ranks left on this node.",
    "workload": "List, build and run the programs that come with Leadline.",
    "campaign": "Run a matrix of libraries, ranks, settings and inputs, and compare.",
    "study": "Repeat a published optimisation and compare it with the papers.",
    "site": "Record every job of a machine, and find what loses most time.",
    "mpi": "List, name and install MPI libraries.",
    "bench": "Benchmark messages and collective algorithms.",
    "tune": "Find collective algorithms that beat the library default.",
    "apply": "Run a command with a tuning table and verify it.",
    "improve": "Make a program faster here without changing it, with proof.",
    "config": "Print compiler options and paths, or install shell completion.",
    "doctor": "Check the installation, and whether a command can be recorded.",
}


class LazyGroup(Group):
    """Imports a command's file only when it is used: `leadline exec` runs once per rank and must start quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        file = cmd_name + "_" * keyword.iskeyword(cmd_name)
        module = importlib.import_module(f"leadline.cli.{file}")
        gc.enable()
        found: click.Command = module.command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and command is not None and "" in rest:
            from leadline.cli.empty_values import refuse_empty

            refuse_empty(command, name, rest, ctx)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


READ_ONLY = ("report", "timeline", "compare", "export", "predict", "advise")
"""Commands whose exit code is their own, not that of a program which they start."""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="leadline")
def leadline() -> None:
    """Record any MPI program without recompiling it, and report where its communication goes.

    Every option can also be set as a LEADLINE_* variable. Options that apply to more than one run can be set in
    leadline.toml or in ~/.config/leadline/config.toml. The option takes precedence over the variable, then the
    project's file, then the user's.

    To begin: leadline run -- mpiexec -n 4 ./app
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
        return 0
    return _after_reading(arguments, result if isinstance(result, int) else 0)


def _after_reading(arguments: list[str], code: int) -> int:
    """The exit code; says if traces changed while they were read, so that what was printed leaves calls out."""
    native = sys.modules.get("leadline._core")
    if native is None or not native.lost_generations():
        return code
    from leadline.cli.saying import say

    say("traces changed or were damaged while they were read: what was printed leaves out some of their calls")
    say("run the command again once nothing writes to them")
    return code or (LeadlineError.exit_code if arguments[0] in READ_ONLY else 0)
