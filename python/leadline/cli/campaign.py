"""leadline campaign: many runs over libraries, numbers of ranks, settings and inputs, compared."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click

from leadline.cli.saying import say, shown
from leadline.errors import MissingPrerequisite, UsageError
from leadline.plots import check_form, matplotlib
from leadline.text.printing import write_json

FAILED = 7
PARENT = "leadline-campaigns"
PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")


@click.command("campaign")
@click.argument("file", metavar="FILE.toml|DIR", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    envvar="LEADLINE_OUTPUT",
    help="Directory of the campaign, to begin or to resume.  [default: leadline-campaigns/<name>]",
)
@click.option(
    "--dry-run",
    is_flag=True,
    envvar="LEADLINE_DRY_RUN",
    help="Print what would run, for how long, and how many repeats show the difference.",
)
@click.option(
    "--difference",
    metavar="PERCENT",
    envvar="LEADLINE_DIFFERENCE",
    help="With --dry-run: the difference to be shown, e.g. 5%.",
)
@click.option(
    "--time-limit",
    metavar="SECONDS",
    type=click.FloatRange(1),
    envvar="LEADLINE_TIME_LIMIT",
    help="Stop after this time; a later call resumes.",
)
@click.option("--retry-failed", is_flag=True, envvar="LEADLINE_RETRY_FAILED", help="Run failed runs once more.")
@click.option("--all", "all_", is_flag=True, envvar="LEADLINE_ALL", help="Print all rows of tables.")
@click.option(
    "--html", metavar="FILE", envvar="LEADLINE_HTML", help="Write the page here.  [default: DIR/campaign.html]"
)
@click.option(
    "--plot",
    metavar="FILE",
    type=click.Path(path_type=Path),
    envvar="LEADLINE_PLOT",
    help="Write a plot (FILE.svg, .png, .pdf). Needs matplotlib.",
)
@click.option("--json", "json_", is_flag=True, envvar="LEADLINE_JSON", help="Print the results as JSON.")
def command(
    file: Path,
    output: str | None,
    dry_run: bool,
    difference: str | None,
    time_limit: float | None,
    retry_failed: bool,
    all_: bool,
    html: str | None,
    plot: Path | None,
    json_: bool,
) -> int:
    """Run every combination that FILE.toml names, in turn, and compare; or show the results in DIR.

    A campaign that was interrupted resumes: finished runs are not repeated. A failed run is a row with its reason. The
    exit code is 0, or 7 if runs failed.
    """
    try:
        from leadline.campaign.show import Campaign
    except ImportError as error:
        raise MissingPrerequisite(
            f"Leadline's native module is missing: {error}",
            hint="build the source tree (./dev build) or reinstall Leadline",
        ) from error
    if html is not None and Path(html).is_dir():
        raise UsageError(f"{html} is a directory", hint="leadline campaign DIR --html FILE")
    if plot is not None:
        check_form(plot)
        matplotlib("figure")
    if file.is_dir():
        if output is not None:
            raise UsageError(f"{file} is the directory of a campaign: it does not take --output")
        campaign = Campaign.of_directory(file)
    else:
        campaign = Campaign.of_file(file, None if output is None else Path(output), Path(PARENT))
    if dry_run or difference is not None:
        return _dry(campaign, difference, all_=all_, json_=json_)
    if not file.is_dir():
        finished = campaign.run(say, time_limit, retry_failed=retry_failed)
    else:
        finished = None
    found = campaign.results()
    _show(campaign, found, all_=all_, json_=json_)
    page = _page(campaign, found, html, again=finished is not None)
    if page is not None:
        say(f"page: {shown(page)}")
    if plot is not None:
        from leadline.campaign.plot import write_plot

        write_plot(found, plot)
        say(f"plot: {shown(plot)}")
    if finished is not None:
        if finished.why:
            say(f"{finished.why}; to resume: leadline campaign {shown(file)}{_output(output)}")
        finished.interruption.end_if_any()
        return FAILED if found["runs"]["failed"] else 0
    return 0


def _output(output: str | None) -> str:
    return "" if output is None else f" -o {shown(Path(output))}"


def _dry(campaign: Any, difference: str | None, *, all_: bool, json_: bool) -> int:
    found = campaign.dry(None if difference is None else _relative(difference))
    if json_:
        write_json(found, sys.stdout)
        return 0
    from leadline.campaign.terminal import draw_plan
    from leadline.text.printing import console
    from leadline.text.screen import Screen

    draw_plan(found, Screen(console(), complete=all_))
    return 0


def _relative(text: str) -> float:
    match = PERCENT.fullmatch(text.strip())
    if match is None or float(match.group(1)) <= 0:
        raise UsageError(f"--difference {text}: expected a percentage above 0, e.g. 5%")
    return float(match.group(1)) / 100


def _show(campaign: Any, found: dict[str, Any], *, all_: bool, json_: bool) -> None:
    if json_:
        write_json(found, sys.stdout)
        return
    from leadline.campaign.terminal import draw
    from leadline.text.printing import console
    from leadline.text.screen import Screen

    draw(found, Screen(console(), complete=all_))
    say(f"runs and results: {shown(campaign.directory)}")


def show_study(campaign: Any, content: dict[str, Any] | None, draw: Any, *, json_: bool) -> int:
    """Of a study that is a campaign; None: what it would run.   draw: what the study adds to the campaign's tables."""
    if content is None:
        return _dry(campaign, None, all_=False, json_=json_)
    _show(campaign, content, all_=False, json_=json_)
    if not json_:
        from leadline.text.printing import console
        from leadline.text.screen import Screen

        draw(content, Screen(console()))
    page = _page(campaign, content, None, again=True)
    if page is not None:
        say(f"page: {shown(page)}")
    return 0


def _page(campaign: Any, found: dict[str, Any], html: str | None, *, again: bool) -> Path | None:
    """Written after runs, and where it is asked for."""
    if html is None and not again:
        return None
    from leadline.report.page import document

    target = campaign.directory / "campaign.html" if html is None else Path(html)
    try:
        document.write_campaign(campaign.for_page(found, target), target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from error
    return target
