"""leadline export: writes a recorded run in another tool's format."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from leadline.cli.reporting import open_run, step_option, working
from leadline.cli.run_argument import run_argument, run_or_newest
from leadline.cli.saying import say
from leadline.errors import UsageError
from leadline.interchange import FORMATS
from leadline.run_directory import why_not_written
from leadline.text.suggestions import available


class _Formats(click.Choice[str]):
    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            raise UsageError(f"unknown format {value!r}", hint=available(value, self.choices))
        return str(super().convert(value, param, ctx))

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        return f"One of {', '.join(self.choices)}"


@click.command("export")
@click.option(
    "-o", "--output", "output", metavar="PATH", required=True, help="Output file or directory; must not exist."
)
@click.option(
    "--iterations",
    metavar="A:B",
    envvar="LEADLINE_ITERATIONS",
    help="Export only iterations A to B-1 of the main loop, counted from 0.  [default: whole run]",
)
@click.option(
    "--ranks", metavar="RANKS", envvar="LEADLINE_RANKS", help="Export only these ranks, e.g. 0-3,17.  [default: all]"
)
@step_option
@click.argument("name", metavar="FORMAT", type=_Formats(list(FORMATS)))
@run_argument
def command(
    name: str, directory: str | None, output: str, iterations: str | None, ranks: str | None, step: str | None
) -> int:
    """Write the run in DIR, by default the newest run under leadline-runs, in another tool's FORMAT.

    \b
    callgrind  call tree with times and bytes: KCachegrind
    goal       operations and their dependencies: LogGOPSim
    otf2       events of all ranks: Vampir, otf2-print
    parquet    a row for each call: pandas, Polars, DuckDB
    perfetto   timeline with messages: ui.perfetto.dev
    simgrid    time-independent traces: smpirun -replay
    tau        profile directory: ParaProf, pprof
    """
    target = Path(output)
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target} already exists; choose a new path", hint="-o NEWPATH")
    if not target.absolute().parent.is_dir():
        raise UsageError(
            f"no such directory: {target.absolute().parent}", hint="make it first, or choose another: -o PATH"
        )
    if why := why_not_written(target.absolute().parent):
        raise UsageError(f"cannot write {target}: {why}", hint="-o PATH")
    window = window_of(iterations)
    with working("exporting"):
        run = open_run(run_or_newest(directory), step)
        written = _export(name, run, target, window, ranks)
    if run.predicted:
        say(f"{name}: the run is predicted, not measured")
    for note in written.notes:
        say(f"{name}: {note}")
    for loss in run.losses:
        if loss.code in ("missing-ranks", "unreadable-trace", "on-nodes"):
            say(f"{name}: {loss.message}")
    amounts = ", ".join(f"{amount:,} {what}{'' if amount == 1 else 's'}" for what, amount in written.amounts.items())
    say(f"{target}: {amounts}")
    return 0


def window_of(text: str | None) -> tuple[int, int] | None:
    """ "3:7" -> (3, 7), "5" -> (5, 6), "10:" -> from 10 on, None -> None. Raises UsageError."""
    if text is None:
        return None
    first, colon, end = (part.strip() for part in text.partition(":"))
    if not all(part.isdecimal() or (colon and not part) for part in (first, end if colon else "0")) or text == ":":
        raise UsageError(f"--iterations {text}: expected A:B, e.g. 10:20 (counted from 0, B excluded)")
    begin = int(first or 0)
    stop = begin + 1 if not colon else int(end) if end else 2**63
    if stop <= begin or stop > 2**63:
        raise UsageError(f"--iterations {text}: empty range (B is excluded)")
    return begin, stop


def _export(name: str, run: Any, target: Path, window: tuple[int, int] | None, ranks: str | None) -> Any:
    """Leaves nothing behind if it fails."""
    from leadline.cli.timeline import chosen
    from leadline.interchange import Selection, exporter

    processes = tuple(run.order) if ranks is None else chosen(run, ranks)
    selection = Selection(run, processes, window, _loop(run, window))
    try:
        written = exporter(name)(selection, target)
    except BaseException as error:
        if target.is_dir():
            shutil.rmtree(target, ignore_errors=True)
        else:
            target.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UsageError(f"cannot write {target}: {error.strerror or error}") from error
        raise
    return written


def _loop(run: Any, window: tuple[int, int] | None) -> int:
    """The number of the step's loop. Raises UsageError if a window is wanted and there are no iterations."""
    from leadline.figures.iterations import iterations
    from leadline.wording.loops import why_no_main_loop

    if window is None and run.step is None:
        return 0
    found = iterations(run)
    if window is not None and found is None:
        raise UsageError(f"--iterations: no main loop found in this run: {why_no_main_loop(run)}")
    if window is not None and found is not None and found.region is not None:
        raise UsageError(f"--iterations: region {found.region.name} has no call times per iteration")
    if window is not None and found is not None and window[0] >= found.found.count:
        raise UsageError(f"--iterations: the main loop has only {found.found.count:,} iterations, counted from 0")
    return 0 if found is None else found.found.loop
