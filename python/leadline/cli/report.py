"""leadline report: shows the report of a recorded run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from leadline.cli.reporting import PAGE, advice_for, advise_next, open_report, step_option, working, write_page
from leadline.cli.run_argument import run_argument, run_or_newest
from leadline.cli.saying import nearby, say, shown
from leadline.errors import UsageError
from leadline.run_directory import require
from leadline.text.printing import console, write_json, write_path


def _sections(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from leadline.report.terminal import section_names

    return [name for name in section_names() if name.startswith(incomplete)]


def _tables(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from leadline.cli.tables import names

    return [name for name in names() if name.startswith(incomplete)]


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
    shell_complete=_sections,
    help="Show this section (findings, phases, waits, patterns, ...); may be given several times. An unknown name "
    "lists them.",
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
    shell_complete=_tables,
    help="Print one table as CSV, e.g. sites, calls, ranks, timeline:all. An unknown name lists them.",
)
@click.option("--csv", metavar="FILE", envvar="LEADLINE_CSV", help="Write the --table to FILE as CSV.")
@click.option("--parquet", metavar="FILE", envvar="LEADLINE_PARQUET", help="Write the --table to FILE as Parquet.")
@click.option(
    "--iteration",
    type=click.IntRange(min=0),
    metavar="N",
    help="Show this iteration, too, in the timeline of --html and --json.",
)
@step_option
@run_argument
def command(
    json_: bool,
    all_sites: bool,
    sections: tuple[str, ...],
    html: str | None,
    iterations: bool,
    table: str | None,
    csv: str | None,
    parquet: str | None,
    iteration: int | None,
    step: str | None,
    directory: str | None,
) -> int:
    """Show the report of the run in DIR, by default that of the newest run under leadline-runs.

    A summary of at most 25 lines; with --all or --section the tables.
    """
    if html and directory is None and Path(html).is_dir():
        html, directory = "", html  # `report --html DIR`: the word after an option that may have a value
    if iteration is not None and html is None and not json_:
        raise UsageError("--iteration is of --html and --json", hint=f"leadline timeline --iteration {iteration}")
    path = run_or_newest(directory)
    require(path)
    if table is not None or csv is not None or parquet is not None:
        if json_:
            raise UsageError("--table is CSV or Parquet, not --json", hint="leadline report DIR --table NAME")
        from leadline.cli.tables import export

        return export(path, table, step, csv=csv, parquet=parquet)
    with working("reading the run"):
        report = open_report(path, step, iteration)
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
            next_step = advise_next(report, path)
            report.print_summary(console(), " ".join(filter(None, [where, next_step, advice_for(report)])))
    return 0
