"""leadline doctor: lists what is installed, and says whether a command would be recorded, and if not, why."""

from __future__ import annotations

import sys
from typing import Any

import click

from leadline.cli.recorded_command import PROGRAM_FOLLOWS
from leadline.text.printing import console, write_json
from leadline.text.visible import visible, visible_lines

MARKS = {"yes": ("✔", "green"), "no": ("✘", "red"), "depends": ("?", "yellow"), "note": ("·", "dim")}


@click.command("doctor", context_settings=PROGRAM_FOLLOWS)
@click.option("--json", "json_", is_flag=True, envvar="LEADLINE_JSON", help="Print the result as JSON.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND [ARGS]...]")
def command(json_: bool, program: tuple[str, ...]) -> int:
    """List what is installed here. With COMMAND, say whether its MPI calls would be recorded, without running it.

    The exit code is 0 if recording works (and COMMAND would be recorded, or may be), 3 if COMMAND would not be
    recorded, or would be recorded as several jobs instead of one, and 5 if something that recording needs is missing.
    """
    from leadline.launch import doctor

    if program:
        checks = doctor.examine_command(program)
        failed = 3
    else:
        checks = doctor.examine_machine()
        failed = 5
    bad = any(check.answer == "no" and check.needed for check in checks)
    if json_:
        found: dict[str, Any] = {"schema": 1, "ok": not bad, "checks": [check.as_dict() for check in checks]}
        write_json(found, sys.stdout)
    else:
        _print(checks)
    return failed if bad else 0


def _print(checks: list[Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column(width=1)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        mark, style = MARKS[check.answer]
        words = Text(visible_lines(check.finding))
        if check.hint:
            words.append(f"\n→ {visible_lines(check.hint)}", style="italic")
        table.add_row(Text(mark, style=style), Text(visible(check.subject)), words)
    console().print(table)
