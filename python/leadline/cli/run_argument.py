"""The argument that names a run: by default the newest one, and completed by the shell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from leadline.cli.saying import say
from leadline.errors import UsageError
from leadline.run_directory import DEFAULT_PARENT, read_description, runs_in
from leadline.text.visible import in_shell

MOST_LISTED = 200


class RunType(click.ParamType):
    name = "directory"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        runs = list(_runs(incomplete))
        return [CompletionItem(run) for run in runs] or [CompletionItem(incomplete, type="dir")]


def _runs(begun: str) -> Iterator[str]:
    """Paths of runs that begin so: in the folder named, or, as long as none is, here and in leadline-runs."""
    folder, slash, _ = begun.rpartition("/")
    left = MOST_LISTED
    for parent in [folder + slash] if slash else ["", f"{DEFAULT_PARENT}/"]:
        try:
            inside = sorted(path for path in Path(parent or ".").iterdir() if f"{parent}{path.name}".startswith(begun))
        except OSError:
            continue
        yield from (f"{parent}{path.name}" for path in inside[:left] if path.is_dir() and runs_in(path))
        left -= len(inside[:left])


run_argument = click.argument("directory", required=False, metavar="[DIR]", type=RunType())


def run_or_newest(directory: str | None) -> Path:
    """Raises UsageError if none is named and there is none."""
    return Path(directory) if directory is not None else newest()


def newest() -> Path:
    """The newest recorded run; predictions, which were not measured, are only mentioned."""
    parent = Path(DEFAULT_PARENT)
    found = [path for path in parent.iterdir() if path.is_dir() and runs_in(path)] if parent.is_dir() else []
    if not found:
        raise UsageError(
            f"no runs in {DEFAULT_PARENT}", hint="record one with leadline run, or name one: leadline report DIR"
        )
    ordered = sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)
    recorded = next((path for path in ordered if not _is_predicted(path)), None)
    if recorded is None:
        raise UsageError(f"all runs in {DEFAULT_PARENT} are predictions", hint=f"name one: {in_shell(str(ordered[0]))}")
    if recorded != ordered[0]:
        say(f"{recorded}: the newest run that was recorded; {ordered[0]} is newer, but a prediction")
    return recorded


def _is_predicted(path: Path) -> bool:
    return read_description(path).get("state") == "predicted"
