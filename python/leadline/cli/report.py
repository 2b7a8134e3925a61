"""leadline report: shows the report of a recorded run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from leadline.cli.reporting import PAGE, advice_for, open_report, step_option, working, write_page
from leadline.cli.saying import nearby, say, shown
from leadline.errors import UsageError
from leadline.run_directory import DEFAULT_PARENT, require, runs_in
from leadline.text.printing import console, write_json, write_path


@click.command("report")
@click.option("--json", "json_", is_flag=True, envvar="LEADLINE_JSON", help="Print the report as JSON.")
@click.option(
    "--all",
    "all_sites",
    is_flag=True,
    envvar="LEADLINE_ALL",
    help="Show all tables, with every call site, not only the summary.",
)
@click.option(
    "--section",
    "sections",
    multiple=True,
    metavar="NAME",
    envvar="LEADLINE_SECTION",
    help="Show this section (findings, phases, waits, patterns, ...); may be given several times. A wrong name lists "
    "them.",
)
@click.option(
    "--html",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[FILE]",
    envvar="LEADLINE_HTML",
    help=f"Write the report as one HTML page and print its path.  [default: {PAGE} in DIR]",
)
@click.option(
    "--iterations",
    is_flag=True,
    envvar="LEADLINE_ITERATIONS",
    help="Show only the main loop's time per iteration.",
)
@click.option(
    "--table",
    metavar="NAME",
    envvar="LEADLINE_TABLE",
    help="Print one table as CSV, e.g. sites, calls, ranks, timeline:all. A wrong name lists them.",
)
@click.option("--csv", metavar="FILE", envvar="LEADLINE_CSV", help="Write the --table to FILE as CSV.")
@click.option("--parquet", metavar="FILE", envvar="LEADLINE_PARQUET", help="Write the --table to FILE as Parquet.")
@step_option
@click.argument("directory", required=False, metavar="[DIR]")
def command(
    json_: bool,
    all_sites: bool,
    sections: tuple[str, ...],
    html: str | None,
    iterations: bool,
    table: str | None,
    csv: str | None,
    parquet: str | None,
    step: str | None,
    directory: str | None,
) -> int:
    """Show the report of the run in DIR, by default that of the newest run under leadline-runs.

    A summary of at most 25 lines; with --all or --section the tables.
    """
    if html and directory is None and Path(html).is_dir():
        html, directory = "", html  # `report --html DIR`: the word after an option that may have a value
    path = Path(directory) if directory is not None else newest()
    require(path)
    if table is not None or csv is not None or parquet is not None:
        from leadline.cli.tables import export

        return export(path, table, step, csv=csv, parquet=parquet)
    with working("reading the recording"):
        report = open_report(path, step)
        page = write_page(report, path, html) if html is not None else None
        content = report.data if json_ else None
    if json_:
        write_json(content, sys.stdout)
        if page is not None:
            say(f"page: {shown(page)}")
    elif page is not None:
        write_path(nearby(page))
    else:
        if iterations:
            report.print_iterations(console())
        elif sections:
            report.print_sections(console(), sections, all_sites=all_sites)
        elif all_sites:
            report.print(console(), all_sites=True)
        else:
            where = f"More: --all or --section NAME. As a page: leadline report {shown(path)} --html."
            report.print_summary(console(), " ".join([where, *filter(None, [advice_for(report)])]))
    return 0


def newest() -> Path:
    parent = Path(DEFAULT_PARENT)
    found = [path for path in parent.iterdir() if path.is_dir() and runs_in(path)] if parent.is_dir() else []
    if not found:
        raise UsageError(
            f"no runs in {DEFAULT_PARENT}", hint="record one with leadline run, or name one: leadline report DIR"
        )
    return max(found, key=lambda path: path.stat().st_mtime)
