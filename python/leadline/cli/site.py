"""leadline site: for administrators: which programs of a machine lose most time, over many runs."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from leadline.cli.groups import Group
from leadline.cli.saying import say, shown
from leadline.errors import UsageError
from leadline.text import format as fmt
from leadline.text import sizes

UNITS_S = {"h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
RUNS_IN = click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path))


@click.group("site", cls=Group)
def command() -> None:
    """Record every job of a machine, and find the programs that lose most of its time."""


@command.command("report")
@RUNS_IN
@click.option(
    "--by",
    type=click.Choice(["program", "user", "library", "finding"]),
    default="program",
    envvar="LEADLINE_BY",
    help="What to add up.  [default: program]",
)
@click.option(
    "--since", metavar="AGE|DATE", envvar="LEADLINE_SINCE", help="Only runs since then: 30d, 12h, 2026-11-01."
)
@click.option("--all", "all_", is_flag=True, envvar="LEADLINE_ALL", help="Show all rows, not only the first ten.")
@click.option("--json", "json_", is_flag=True, envvar="LEADLINE_JSON", help="Print the answer as JSON.")
@click.option(
    "--catalogue",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    envvar="LEADLINE_CATALOGUE",
    help="Where to keep what was read of each run (SQLite).  [default: in the user's cache]",
)
def report(
    folders: tuple[Path, ...], by: str, since: str | None, all_: bool, json_: bool, catalogue: Path | None
) -> int:
    """Show which programs, users, MPI libraries or findings lose most time in the runs beneath DIR.

    Each run is read once; what was read of it stays in the catalogue after the run is removed.
    """
    from leadline.site import catalogue as catalogues
    from leadline.site.discovery import runs_beneath
    from leadline.site.ranking import ranked
    from leadline.site.reading import bring_up_to_date
    from leadline.site.show import as_data, show
    from leadline.text.printing import console, write_json
    from leadline.text.screen import Screen

    since_unix = _since(since)
    found = _found(folders, runs_beneath)
    with catalogues.opened(catalogue or _default_catalogue(folders)) as kept:
        bring_up_to_date(kept, found.places, _say_progress)
        ranking = ranked(kept.entries(since_unix), by)
    if json_:
        write_json(as_data(ranking), sys.stdout)
    else:
        show(Screen(console()), ranking, 0 if all_ else 10)
    return 0


def _found(folders: tuple[Path, ...], runs_beneath: Callable[[list[Path]], Any]) -> Any:
    from leadline.run_directory import require

    for folder in folders:
        require(folder, hint="give directories with runs in them or beneath")
    found = runs_beneath(list(folders))
    for path, why in list(found.refused.items())[:10]:
        say(f"skipped {shown(path)}: {why}")
    if len(found.refused) > 10:
        say(f"skipped {len(found.refused) - 10} more directories")
    return found


def _default_catalogue(folders: tuple[Path, ...]) -> Path:
    import hashlib

    from leadline.user_cache import user_cache

    name = hashlib.sha256("\n".join(sorted(str(folder.resolve()) for folder in folders)).encode()).hexdigest()[:16]
    return user_cache("sites") / f"{name}.sqlite"


def _say_progress(done: int, of: int) -> None:
    if of >= 100 and (done % 100 == 0 or done == of):
        say(f"{done:,} of {of:,} new runs read")


def _since(text: str | None) -> float:
    """Seconds since 1970; 0 without a limit."""
    if text is None:
        return 0.0
    age = _age(text)
    if age is not None:
        return time.time() - age
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError as error:
        raise UsageError(f"--since {text}: neither an age nor a date", hint="--since 30d, 12h or 2026-11-01") from error


def _age(text: str) -> float | None:
    match = re.fullmatch(r"(\d{1,6})([hdw])", text)
    return int(match[1]) * UNITS_S[match[2]] if match else None


@command.command("prune")
@RUNS_IN
@click.option("--older-than", metavar="AGE", envvar="LEADLINE_OLDER_THAN", help="Runs last written so long ago: 30d.")
@click.option("--most", metavar="SIZE", envvar="LEADLINE_MOST", help="The oldest runs, until the others fit: 200GB.")
@click.option("--remove", is_flag=True, help="Remove them. Without it, only say what would be removed.")
def prune(folders: tuple[Path, ...], older_than: str | None, most: str | None, remove: bool) -> int:
    """Remove old runs beneath DIR: Leadline's own files, and directories that are empty then.

    Runs that were written to within a day stay, since they may still go on. Links are not followed.
    """
    from leadline.site import retention
    from leadline.site.discovery import runs_beneath

    age_s = _age(older_than) if older_than is not None else None
    if older_than is not None and age_s is None:
        raise UsageError(f"--older-than {older_than}: expected an age", hint="--older-than 30d, 12h or 8w")
    most_bytes = sizes.parse(most) if most is not None else None
    if most is not None and most_bytes is None:
        raise UsageError(f"--most {most}: expected a size", hint="--most 200GB")
    if age_s is None and most_bytes is None:
        raise UsageError("nothing says which runs are to go", hint="--older-than 30d, or --most 200GB, or both")
    places = _found(folders, runs_beneath).places
    chosen = retention.due(places, older_than_s=age_s, most_bytes=most_bytes, now_s=time.time())
    n_bytes = sum(place.n_bytes for place in chosen)
    if not remove:
        for place in chosen:
            click.echo(place.path)
        say(f"{fmt.plural(len(chosen), 'run')} of {len(places):,} ({fmt.size(n_bytes)}) would go: add --remove")
        return 0
    removed = retention.remove(chosen)
    for path, why in removed.kept.items():
        say(f"not removed as a whole: {shown(path)}: {why}")
    say(f"removed {fmt.plural(removed.runs, 'run')} ({fmt.size(removed.n_bytes)})")
    return 0


@command.command("setup")
@click.option(
    "--runs", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Each user's runs go to DIR/$USER."
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["prolog", "module", "profile"]),
    default="prolog",
    help="Slurm's TaskProlog, a module file, or lines for /etc/profile.d.  [default: prolog]",
)
@click.option(
    "--one-in", type=click.IntRange(1, 1_000_000), default=1, metavar="N", help="Record one job in N.  [default: 1]"
)
@click.option("--budget", default="4MB", metavar="SIZE", help="Trace size limit per rank.  [default: 4MB]")
@click.option("--off", type=click.Path(path_type=Path), metavar="FILE", help="While FILE exists, nothing is recorded.")
def setup(runs: Path, form: str, one_in: int, budget: str, off: Path | None) -> int:
    """Print what switches the recorder on for every job. Nothing is installed."""
    from leadline.cli.recorder_settings import variables_of
    from leadline.launch.recorder import require_library
    from leadline.site.recording import Recording, written

    settings = variables_of({"budget": budget})
    if one_in > 1:
        settings["LEADLINE_ONE_IN"] = str(one_in)
    if off is not None:
        settings["LEADLINE_OFF"] = str(off.absolute())
    click.echo(written(Recording(require_library(), runs.absolute(), settings), form), nl=False)
    return 0
