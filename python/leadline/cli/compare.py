"""leadline compare: what differs between recorded runs."""

from __future__ import annotations

import glob
import re
import sys
from pathlib import Path
from typing import Any

import click

from leadline.cli.reporting import say_owner, step_option, working
from leadline.cli.run_argument import RunType
from leadline.cli.saying import say, shown
from leadline.errors import MissingPrerequisite, SlowerThanAllowed, UsageError
from leadline.text.printing import write_json

PAGE = "compare.html"
PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%?")


@click.command("compare")
@click.option("--json", "json_", is_flag=True, envvar="LEADLINE_JSON", help="Print the comparison as JSON.")
@click.option("--all", "all_tables", is_flag=True, envvar="LEADLINE_ALL", help="Show all tables, not only the summary.")
@click.option(
    "--html",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[FILE]",
    envvar="LEADLINE_HTML",
    help=f"Write the comparison as one HTML page and print its path.  [default: {PAGE}]",
)
@click.option(
    "--fail-above",
    metavar="PERCENT",
    envvar="LEADLINE_FAIL_ABOVE",
    help=(
        "Exit with code 6 if a group's iterations are slower than A's by more than this (and beyond noise), e.g. 5%."
    ),
)
@step_option
@click.argument("groups", metavar="A B [C…]", nargs=-1, type=RunType())
def command(
    json_: bool, all_tables: bool, html: str | None, fail_above: str | None, step: str | None, groups: tuple[str, ...]
) -> int:
    """Compare runs: environments, structure, times.

    A is the baseline. Each is a run's directory, or repeats of one configuration: A1,A2,A3 or 'A*' in quotes. Repeats
    give confidence intervals; single runs do not.
    """
    allowed = _percent(fail_above) if fail_above is not None else None
    if html and len(groups) < 2 and _is_group(html):
        html, groups = "", (html, *groups)  # `compare --html A B`: the word after an option that may have a value
    if len(groups) < 2:
        raise UsageError(
            "compare needs at least two runs",
            hint="leadline compare A B, or with repeats: leadline compare A1,A2,A3 B1,B2,B3",
        )
    if allowed is not None and all(len(paths_of(text)) < 2 for text in groups):
        raise UsageError(
            "--fail-above needs repeats: single runs do not show run-to-run variation",
            hint="record each configuration three times or more, alternating, then: leadline compare A1,A2,A3 B1,B2,B3",
        )
    for path in (path for text in groups for path in paths_of(text)):
        say_owner(Path(path))
    with working("reading the runs"):
        comparison = _opened(groups, step)
        page = _written(comparison, Path(html or PAGE)) if html is not None else None
    _say_notes(comparison)
    if json_:
        from leadline.compare.as_json import as_json

        write_json(as_json(comparison), sys.stdout)
    else:
        from leadline.compare.terminal import draw
        from leadline.text.printing import console
        from leadline.text.screen import Screen

        draw(comparison, Screen(console(), complete=all_tables))
    if page is not None:
        say(f"page: {shown(page)}")
    if allowed is not None:
        _check(comparison, allowed)
    return 0


def _say_notes(comparison: Any) -> None:
    """What several runs have alike, but for its numbers, is said of the first of them."""
    runs: dict[str, list[str]] = {}
    said: dict[str, str] = {}
    for run in (run for group in comparison.groups for run in group.runs):
        for note in run.notes:
            alike = re.sub("[0-9]+", "#", note)
            runs.setdefault(alike, []).append(run.name)
            said.setdefault(alike, note)
    for alike, (first, *others) in runs.items():
        likewise = f" Likewise: {', '.join(dict.fromkeys(others))}." if others else ""
        say(f"{first}: {said[alike]}{likewise}")


def _is_group(text: str) -> bool:
    return Path(text).is_dir() or "," in text or glob.has_magic(text)


def _opened(groups: tuple[str, ...], step: str | None) -> Any:
    try:
        from leadline.compare import Group, compare
        from leadline.compare.opening import open_subject
    except ImportError as error:
        raise MissingPrerequisite(
            f"Leadline's native module is missing: {error}",
            hint="build the source tree (./dev build) or reinstall Leadline",
        ) from error
    return compare([Group(text, [open_subject(path, step) for path in paths_of(text)]) for text in groups])


def paths_of(text: str) -> list[Path]:
    """The runs of a group: "A1,A2", a pattern, or one path, which may itself contain a comma. Raises UsageError."""
    if Path(text).exists():
        return [Path(text)]
    found: list[Path] = []
    for part in text.split(","):
        matches = sorted(glob.glob(part)) if part and not Path(part).exists() and glob.has_magic(part) else []
        if part and not matches and glob.has_magic(part) and not Path(part).exists():
            raise UsageError(f"no directory matches {part}", hint="a pattern must match the repeats' directories")
        found += [Path(match) for match in matches] if matches else [Path(part)] if part else []
    if not found:
        raise UsageError(
            f"{text!r}: no run given",
            hint="leadline compare A B, or with repeats: leadline compare A1,A2,A3 B1,B2,B3",
        )
    if len({path.resolve() for path in found}) < len(found):
        raise UsageError(f"{text}: the same run twice")
    return found


def _percent(text: str) -> float:
    match = PERCENT.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"--fail-above {text}: expected a percentage, e.g. 5%")
    return float(match.group(1)) / 100


def _written(comparison: Any, target: Path) -> Path:
    from leadline.compare.as_json import as_json
    from leadline.report.page import document

    if target.is_dir():
        raise UsageError(f"{target} is a directory", hint="leadline compare A B --html FILE")
    try:
        document.write_comparison(as_json(comparison), target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}", hint="leadline compare A B --html FILE") from error
    return target


def _check(comparison: Any, allowed: float) -> None:
    from leadline.compare.words import letter
    from leadline.text import format as fmt

    slower, unknown = [], []
    for index, pair in enumerate(comparison.pairs, 1):
        main = pair.main
        if pair.slower_than(allowed):
            slower.append(f"{letter(index)}: {main.name} at least {fmt.change(main.ratio.low)} (95 % CI)")
        elif main.ratio is None or not pair.repeats:
            unknown.append(letter(index))
    if unknown:
        say(f"--fail-above: {', '.join(unknown)}: no repeats, so not checked; compare A1,A2,A3 B1,B2,B3")
    if slower:
        raise SlowerThanAllowed(f"slower than A by more than {fmt.number(allowed * 100)} %. {'; '.join(slower)}")
