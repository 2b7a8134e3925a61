"""leadline collect: brings what killed processes left on this node into the run's directory."""

from __future__ import annotations

from pathlib import Path

import click

from leadline import nodes
from leadline.cli.recording import say, shown
from leadline.errors import UsageError
from leadline.run_directory import who_else_writes
from leadline.text import format as fmt


@click.command("collect")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--shared-directory",
    "shared",
    is_flag=True,
    envvar="LEADLINE_SHARED_DIRECTORY",
    help="Collect into a directory that belongs to somebody else, or that others can write.",
)
@click.option(
    "-q", "--quiet", is_flag=True, envvar="LEADLINE_QUIET", help="Print no messages of Leadline's own, except failures."
)
def command(directory: Path, shared: bool, quiet: bool) -> int:
    """Bring what killed processes of a run left on this node into DIRECTORY, the run's directory.

    Something is left on a node only if the run's directory is on a network file system. Start this command on each
    node that the report names, for example with srun; one process per node is enough.
    """
    if not directory.is_dir():
        raise UsageError(f"{directory} is not a directory", hint="give the directory of the run")
    for run in nodes.runs_in(directory):
        why = "" if shared else who_else_writes(run)
        if why:
            raise UsageError(
                f"nothing is collected into {run}: {why}",
                hint="its owner can collect; if you trust whoever can write there: --shared-directory",
            )
    try:
        done = nodes.collect(directory)
    except OSError as error:
        raise UsageError(f"cannot bring this node's recordings into {directory}: {error.strerror}") from error
    for path in done.refused:
        say(f"{path} is left alone: it is a link, or does not belong to whoever recorded this run")
    if quiet:
        return 0
    if done.files:
        say(f"brought {fmt.plural(done.files, 'recording')} ({fmt.size(done.n_bytes)}) into {shown(directory)}")
    if done.running:
        verb = "runs" if done.running == 1 else "run"
        say(f"{fmt.plural(done.running, 'process', 'processes')} of this run still {verb} on this node")
    others = [node.host for node in nodes.on_nodes(directory) if not node.here]
    if others:
        say(
            f"more recordings are on {', '.join(others[:20])}{' …' if len(others) > 20 else ''}: "
            "run leadline collect there, too"
        )
    elif not done.files and not done.running:
        say(f"this node has no recording of {shown(directory)}")
    return 0
