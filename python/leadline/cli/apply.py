"""leadline apply: runs a program with a tuning table, or what leadline improve found; says what took effect."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from leadline import owners
from leadline.cli.recorded_command import say_mistakes
from leadline.cli.saying import say
from leadline.errors import UsageError
from leadline.launch.inside import refuse_inside_job
from leadline.launch.launcher import find_launcher
from leadline.text.printing import write_json

LEGEND = "applied: the rule took effect (evidence in brackets); not applied: the library default ran"
MEASURED = "speedup: time with the library default / time with the rule"


@click.command("apply")
@click.argument("table", type=click.Path(path_type=Path))
@click.option(
    "--via",
    type=click.Choice(["shim", "native"]),
    default="shim",
    show_default=True,
    envvar="LEADLINE_VIA",
    help="shim: use Leadline's algorithms (LD_PRELOAD). native: set the MPI library's own variables.",
)
@click.option(
    "--fill",
    is_flag=True,
    envvar="LEADLINE_FILL",
    help=(
        "With --via native: give sizes without a rule the rule of the nearest size, "
        "if the library cannot keep its default there."
    ),
)
@click.option(
    "--as-set",
    is_flag=True,
    envvar="LEADLINE_AS_SET",
    help="With --via native: set nothing, only check which rules your own settings already apply.",
)
@click.option(
    "--measure",
    is_flag=True,
    envvar="LEADLINE_MEASURE",
    help="Before the run, time each rule in a job of the same size, and drop rules slower than the library default.",
)
@click.option(
    "--watch",
    is_flag=True,
    envvar="LEADLINE_WATCH",
    help="With a file of leadline improve: say whether the run still shows the gain; it is recorded lightly for that.",
)
@click.option(
    "--as-shell",
    is_flag=True,
    envvar="LEADLINE_AS_SHELL",
    help="With a file of leadline improve: run nothing, print its settings as lines of a shell.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["shell", "prolog", "module"]),
    envvar="LEADLINE_AS",
    help="Likewise run nothing, but print lines of a shell, a script for srun --task-prolog, or a module file.",
)
@click.option(
    "--json", "json_", is_flag=True, envvar="LEADLINE_JSON", help="Print one line of JSON after the program's output."
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    envvar="LEADLINE_APPLIED",
    help="Write the same JSON to FILE.",
)
@click.option(
    "-q", "--quiet", is_flag=True, envvar="LEADLINE_QUIET", help="Suppress Leadline's messages, except errors."
)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND [ARGS]...")
def command(
    table: Path,
    via: str,
    fill: bool,
    as_set: bool,
    measure: bool,
    watch: bool,
    as_shell: bool,
    form: str | None,
    json_: bool,
    report: Path | None,
    quiet: bool,
    program: tuple[str, ...],
) -> int:
    """Run COMMAND with TABLE, a table that `leadline tune` wrote, or the improve.toml of `leadline improve`.

    If the table is missing or malformed, the program is not started. The program keeps its own input, output and exit
    code. A rule that cannot be applied is skipped and reported, and so is a setting that has no effect; the program
    still runs.
    """
    if as_shell or form:
        return _written(table, form or "shell")
    if not program:
        raise UsageError("no COMMAND", hint="leadline apply TABLE -- mpiexec -n 4 ./app")
    refuse_inside_job("apply", program, os.environ)
    for option, given in (("--fill", fill), ("--as-set", as_set)):
        if given and via != "native":
            raise UsageError(
                f"{option} applies only to the library's settings (--via native)", hint=f"{option} needs --via native"
            )
    if as_set and measure:
        raise UsageError("--as-set and --measure exclude each other")
    if report is not None:
        from leadline.bench.output import check_folder

        check_folder(report)
    _check_file(table)
    if not quiet:
        say_mistakes(program, find_launcher(program))
    if (improved := _improved(table, program, watch=watch)) is not None:
        return _end(improved.as_dict(), report, json_=json_, tell=None if quiet else _tell_improved)
    warnings = _warnings(table, program)
    for warning in warnings if not quiet else ():
        say(f"warning: {warning}")
    if via == "native":
        from leadline.tuning.applying import apply_natively

        outcome = apply_natively(table, program, fill=fill, as_set=as_set, measure=measure)
    else:
        from leadline.tuning.shim import apply_by_shim

        outcome = apply_by_shim(table, program, measure=measure)
    outcome.warnings = warnings
    if quiet and outcome.problem is not None:
        say(outcome.problem["message"])
    return _end(outcome.as_dict(), report, json_=json_, tell=None if quiet else _tell)


def _end(
    found: dict[str, Any], report: Path | None, *, json_: bool, tell: Callable[[dict[str, Any]], None] | None
) -> int:
    if report is not None:
        report.write_text(json.dumps(found, indent=1) + "\n")
    if json_:
        write_json(found, sys.stdout, indent=None)
    if tell is not None:
        tell(found)
    code: int = found["exit_code"]
    return code


def _written(table: Path, form: str) -> int:
    from leadline.improve.written import written

    _check_file(table)
    sys.stdout.write(written(table, form))
    return 0


def _improved(table: Path, program: tuple[str, ...], *, watch: bool) -> Any:
    """The program's run with a file of leadline improve; None if it is no such file. Raises UsageError."""
    from leadline.improve import file
    from leadline.improve.applied import apply_improvement

    if file.is_one(table):
        return apply_improvement(table, program, os.environ, watch=watch)
    if watch:
        raise UsageError("--watch applies only to the improve.toml of leadline improve")
    return None


def _tell_improved(found: dict[str, Any]) -> None:
    for warning in found["warnings"]:
        say(f"warning: {warning}")
    for setting in found["applied"]:
        say(f"applied: {setting['what']} ({setting['proof']})")
    for setting in found["not_applied"]:
        say(f"not applied: {setting['what']}: {setting['why']}")
    if found["watched"] is not None:
        say(found["watched"]["told"])


def _warnings(table: Path, program: tuple[str, ...]) -> list[str]:
    """About a table that can be read. Raises MalformedTable."""
    from leadline.tuning.made_for import warnings_about
    from leadline.tuning.table import read

    return warnings_about(read(table), program)


def _check_file(table: Path) -> None:
    """Raises UsageError."""
    if not table.is_file():
        what = "does not exist" if not table.exists() else "is a directory" if table.is_dir() else "is not a file"
        raise UsageError(f"program not started: table {table} {what}", hint="write one: leadline tune -o FILE")
    why = owners.why_not_obeyed(table)
    if why:
        raise UsageError(
            f"program not started: table {table} rejected: {why}",
            hint="check it, then apply a copy that you own",
        )


def _tell(found: dict[str, Any]) -> None:
    if found["problem"] is not None:
        say(f"{found['problem']['message']}; the program ran with the library default")
        if found["problem"]["hint"]:
            say(found["problem"]["hint"])
    elif not found["applied"] and not found["not_applied"]:
        say("the table has no rules: the program ran with the library default")
    if found["not_measured"] is not None:
        say(f"--measure failed: {found['not_measured']}")
    for warning in found["warnings"]:
        say(f"warning: {warning}")
    for rule in found["applied"]:
        say(f"applied: {_named(rule)} ({rule['proof']}{_worth(rule)})")
    for rule in found["not_applied"] if found["problem"] is None else ():
        say(f"not applied: {_named(rule)}: {rule['why']}")
    if found["applied"] or found["not_applied"]:
        say(LEGEND if not any("measured" in rule for rule in found["applied"]) else f"{LEGEND}; {MEASURED}")


def _worth(rule: dict[str, Any]) -> str:
    gains = [found["median"] for found in rule.get("measured", ())]
    if not gains:
        return ""
    return f"; speedup measured here: {min(gains):.2f} to {max(gains):.2f}"


def _named(rule: dict[str, Any]) -> str:
    (least, most), (first, last) = rule["range"]["processes"], rule["range"]["bytes"]
    return f"{rule['operation']} of {first} to {last} bytes on {least} to {most} ranks by {rule['algorithm']}"
