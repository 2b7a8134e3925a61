"""Makes the report of a recorded run: on the terminal, as text, as JSON."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from leadline.cli.recording import say, shown
from leadline.errors import LeadlineError, MissingPrerequisite, UsageError

PATIENCE_S = 2.0
step_option = click.option(
    "--step",
    metavar="ROUTINE[:LINE]",
    envvar="LEADLINE_STEP",
    help="Take this loop or region as the program's step.  [default: the outermost loop that takes most time]",
)
PAGE = "report.html"


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """After two seconds, say on standard error what is going on; on a terminal, with a spinner."""
    shown_by: list[Any] = []

    def show() -> None:
        from rich.console import Console

        console = Console(stderr=True)
        if console.is_terminal:
            shown_by.append(console.status(f"leadline: {what}"))
            shown_by[0].start()
        else:
            say(f"{what} …")

    timer = threading.Timer(PATIENCE_S, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for status in shown_by:
            status.stop()


def open_run(directory: Path) -> Any:
    """The run recorded in `directory`. Raises DamagedTrace, MissingPrerequisite."""
    try:
        from leadline.figures.run import open_run as opened
    except ImportError as error:
        raise MissingPrerequisite(
            f"the native part of leadline is not built: {error}", hint="in a source tree: ./dev build"
        ) from error
    return opened(directory)


def as_json(run: Any) -> dict[str, Any]:
    from leadline.report import to_json

    found: dict[str, Any] = to_json(run)
    return found


def write_json(content: dict[str, Any], directory: Path) -> None:
    with (directory / "report.json").open("w") as out:
        json.dump(content, out, indent=1)
        out.write("\n")


def write_text(run: Any, directory: Path) -> None:
    from rich.console import Console

    from leadline.report import print_report

    with (directory / "report.txt").open("w") as out:
        print_report(run, Console(file=out, width=140, color_system=None))


def write_page(content: dict[str, Any], directory: Path, file: str | None = None) -> Path:
    """Write the page of a report to `file`, by default beside the recording. Raises UsageError if that fails."""
    from leadline.report import page

    target = Path(file) if file else directory / PAGE
    if target.is_dir():
        raise UsageError(f"{target} is a directory", hint="leadline report DIR --html FILE")
    try:
        page.write_page(content, target)
    except OSError as error:
        raise UsageError(
            f"the page cannot be written: {target}: {error.strerror}", hint="leadline report DIR --html FILE"
        ) from error
    return target


def summarise(directory: Path, *, quiet: bool, exit_code: int, step: str | None = None) -> None:
    """Write report.json, .txt and .html into `directory` and print the summary on standard error.

    If the program itself failed, a report that cannot be made is a message, not an exception: the program's exit code
    matters more. A file that cannot be written (a full disk) is a message too, and does not prevent the other files or
    the summary.
    """
    try:
        with working("reading the recording"):
            run = open_run(directory)
            run.step = step
            content = as_json(run)
            written = _written(run, content, directory)
        if not quiet:
            from rich.console import Console

            from leadline.report import print_summary

            sys.stdout.flush()
            print_summary(run, Console(stderr=True))
            again = f"tables: leadline report {shown(directory)} --all"
            also = f" (also {', '.join(written[1:])})" if written[1:] else ""
            if words := advice_for(run):
                say(words)
            say(f"report: {shown(directory / written[0])}{also}; {again}" if written else again)
    except LeadlineError as error:
        if exit_code == 0:
            raise
        say(str(error))


def advice_for(run: Any) -> str:
    """What would make the next report say more than this one; "" if nothing."""
    from leadline.figures.content import Content
    from leadline.figures.without_lines import advice

    return advice(Content(run))


def _written(run: Any, content: dict[str, Any], directory: Path) -> list[str]:
    """The names of the report's files that could be written."""
    written = []
    for name, write in (
        (PAGE, lambda: write_page(content, directory)),
        ("report.txt", lambda: write_text(run, directory)),
        ("report.json", lambda: write_json(content, directory)),
    ):
        try:
            write()
        except OSError as error:
            say(f"{shown(directory)}/{name} cannot be written: {error.strerror}")
        except UsageError as error:
            say(str(error))
        else:
            written.append(name)
    return written
