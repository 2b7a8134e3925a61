"""leadline anonymise: copies a run so that it can be given away."""

from __future__ import annotations

import click

from leadline.cli.reporting import say_owner, working
from leadline.cli.run_argument import run_argument, run_or_newest
from leadline.cli.saying import say, shown
from leadline.errors import UsageError
from leadline.run_directory import new_directory, require
from leadline.text import format as fmt


@click.command("anonymise")
@click.option(
    "-o", "--output", "output", metavar="NEW", required=True, help="Directory of the copy; must not exist or be empty."
)
@click.option(
    "--keep-source", is_flag=True, help="Keep the names of routines and source files, without their directories."
)
@run_argument
def command(directory: str | None, output: str, keep_source: bool) -> int:
    """Copy the run in DIR, by default the newest run under leadline-runs, without names of machines and files.

    Hosts, paths, programs, files, regions, jobs and, without --keep-source, routines get pseudonyms, the same one
    everywhere. Arguments and environment are omitted. Structure and figures stay. The copy is a run like any other:
    leadline report NEW.
    """
    run = run_or_newest(directory)
    require(run)
    say_owner(run)
    target = new_directory(output, "")
    from leadline.anonymise import anonymise

    with working("anonymising"):
        try:
            written = anonymise(run, target, keep_source=keep_source)
        except BaseException as error:
            for file in target.iterdir():
                file.unlink()
            target.rmdir()
            if isinstance(error, OSError):
                raise UsageError(f"cannot copy {run} to {target}: {error.strerror or error}") from error
            raise
    say(f"{shown(target)}: {fmt.plural(written.traces, 'trace')} ({fmt.size(written.n_bytes)})")
    say("look through it before you give it away: leadline report " + shown(target))
    return 0
