"""Makes the report of a recorded run: on the terminal, as text, as JSON."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leadline import own_files, owners
from leadline.cli.saying import say, shown
from leadline.errors import LeadlineError, MissingPrerequisite, UsageError
from leadline.text import printing

if TYPE_CHECKING:
    from leadline.figures.run import Run
    from leadline.report import Report

PATIENCE_S = 2.0
step_option = click.option(
    "--step",
    metavar="LOOP",
    envvar="LEADLINE_STEP",
    help="Main loop: FILE:LINE, ROUTINE[:LINE] or a region.  [default: the loop of the steps]",
)
PAGE = "report.html"


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """After two seconds, say on standard error what is going on; on a terminal, with a spinner."""
    shown_by: list[Any] = []

    def show() -> None:
        if not sys.stderr.isatty():  # without importing rich, which takes as long as a small report
            return say(f"{what} …")
        screen = printing.console(stderr=True)
        if screen.is_terminal:
            shown_by.append(screen.status(f"leadline: {what}"))
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


def open_run(directory: Path, step: str | None = None) -> Run:
    """The run recorded in `directory`. Raises DamagedTrace, MissingPrerequisite."""
    with _native_part():
        from leadline.figures.run import open_run as opened
    say_owner(directory)
    return opened(directory, step=step)


def open_report(directory: Path, step: str | None = None, iteration: int | None = None) -> Report:
    """The report of the run recorded in `directory`; its timeline shows `iteration`, too.

    Raises DamagedTrace, MissingPrerequisite.
    """
    with _native_part():
        from leadline.report import open_report as opened
    say_owner(directory)
    return opened(directory, step=step, iteration=iteration)


def say_owner(directory: Path) -> None:
    """Warn if the run belongs to another user, who may have written anything into it."""
    with contextlib.suppress(OSError):
        if owner := owners.foreign_owner(directory.stat()):
            say(f"{shown(directory)} belongs to {owner}, who may have changed it")


_FEWEST_NEW_OBJECTS = 50_000
"""Between two searches for garbage: a report's figures are some 10^5 objects that all stay."""


@contextlib.contextmanager
def _native_part() -> Iterator[None]:
    """Modules being imported leave no garbage and never become any, so nobody need look for it among them. Only the
    first command of a process imports them: what later ones find in memory may well be garbage."""
    if "leadline._core" in sys.modules:
        yield
        return
    gc.disable()
    try:
        yield
        sys.modules["leadline._core"].share_one_heap()
    except ImportError as error:
        raise MissingPrerequisite(
            f"Leadline's native module is missing: {error}",
            hint="build the source tree (./dev build) or reinstall Leadline",
        ) from error
    finally:
        gc.freeze()
        gc.set_threshold(_FEWEST_NEW_OBJECTS)
        gc.enable()


def write_json(report: Report, directory: Path) -> None:
    with own_files.replacing(directory / "report.json") as out:
        printing.write_json(report.data, out)


def write_text(report: Report, directory: Path) -> None:
    with own_files.replacing(directory / "report.txt", errors="replace") as out:
        report.print(printing.console(file=out, width=140, color_system=None))


def write_page(report: Report, directory: Path, file: str | None = None) -> Path:
    """Write the page of a report to `file`, by default beside the recording. Raises UsageError if that fails."""
    from leadline.report import page

    target = Path(file) if file else directory / PAGE
    if target.is_dir():
        raise UsageError(f"{target} is a directory", hint="leadline report DIR --html FILE")
    try:
        page.write_page(report.page_data, target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}", hint="leadline report DIR --html FILE") from error
    return target


def summarise(directory: Path, *, quiet: bool, exit_code: int, step: str | None = None) -> None:
    """Write report.json, .txt and .html into `directory` and print the summary on standard error.

    If the program itself failed, a report that cannot be made is a message, not an exception: the program's exit code
    matters more. A file that cannot be written (a full disk) is a message too, and does not prevent the other files or
    the summary.
    """
    try:
        with working("reading the run"):
            report = open_report(directory, step)
            written = _written(report, directory)
        if not quiet:
            sys.stdout.flush()
            report.print_summary(printing.console(stderr=True))
            again = f"details: leadline report {shown(directory)} --all"
            also = f" (also {', '.join(written[1:])})" if written[1:] else ""
            for words in filter(None, (advice_for(report), advise_next(report, directory))):
                say(words)
            say(f"report: {shown(directory / written[0])}{also}; {again}" if written else again)
    except LeadlineError as error:
        if exit_code == 0:
            raise
        say(str(error))


def advise_next(report: Report, directory: Path) -> str:
    """The command that says more of what changes gain; "" where nothing can be said of it."""
    if not report.says_what_changes_gain:
        return ""
    if report.advice is None:
        return f"What a change gains: leadline advise {shown(directory)}."
    if report.advice.proposals:
        return f"How to make the first change: leadline advise {shown(directory)} --brief 1."
    return f"Why nothing is proposed: leadline advise {shown(directory)}." if report.advice.not_worth_it else ""


def advice_for(report: Report) -> str:
    """Advice that would give the next report more to say; "" if there is none."""
    from leadline.figures.without_lines import advice

    return advice(report.content)


def _written(report: Report, directory: Path) -> list[str]:
    """The names of the report's files that could be written."""
    written = []
    for name, write in (
        (PAGE, lambda: write_page(report, directory)),
        ("report.txt", lambda: write_text(report, directory)),
        ("report.json", lambda: write_json(report, directory)),
    ):
        try:
            write()
        except OSError as error:
            say(f"cannot write {shown(directory)}/{name}: {error.strerror}")
        except UsageError as error:
            say(str(error))
        else:
            written.append(name)
    return written
