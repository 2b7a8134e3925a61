"""leadline collect: brings what killed processes left on this node into the run's directory."""

from __future__ import annotations

from pathlib import Path

import click

from leadline import nodes
from leadline.cli.saying import say, shown
from leadline.errors import UsageError
from leadline.run_directory import require, who_else_writes
from leadline.text import format as fmt


@click.command("collect")
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--shared-directory",
    "shared",
    is_flag=True,
    envvar="LEADLINE_SHARED_DIRECTORY",
    help="Allow a directory owned by another user or writable by others.",
)
@click.option(
    "-q", "--quiet", is_flag=True, envvar="LEADLINE_QUIET", help="Suppress Leadline's messages, except errors."
)
def command(directory: Path, shared: bool, quiet: bool) -> int:
    """Copy the traces that killed ranks of the run in DIR left on this node.

    Traces stay on nodes only if the run's directory is on a network file system. Run this command on each node that
    the report names, for example with srun; one process per node is enough.
    """
    require(directory)
    for run in nodes.runs_in(directory):
        why = "" if shared else who_else_writes(run)
        if why:
            raise UsageError(
                f"nothing copied into {run}: {why}",
                hint="ask the owner to run it; or, if you trust everyone who can write there, add --shared-directory",
            )
    try:
        done = nodes.collect(directory)
    except OSError as error:
        raise UsageError(f"cannot copy this node's traces to {directory}: {error.strerror}") from error
    for path in done.refused:
        say(f"skipped {path}: it is a symbolic link, or not owned by the user who recorded this run")
    if quiet:
        return 0
    if done.files:
        say(f"copied {fmt.plural(done.files, 'trace')} ({fmt.size(done.n_bytes)}) into {shown(directory)}")
    if done.running:
        verb = "runs" if done.running == 1 else "run"
        say(f"{fmt.plural(done.running, 'process', 'processes')} of this run still {verb} on this node")
    others = [node.host for node in nodes.on_nodes(directory) if not node.here]
    if others:
        say(
            f"more traces are on {', '.join(others[:20])}{' …' if len(others) > 20 else ''}: "
            "run leadline collect there too"
        )
    elif not done.files and not done.running:
        say(f"no traces of {shown(directory)} on this node")
    return 0
