"""leadline collect: brings what killed processes left on this node into the run's directory."""

from __future__ import annotations

from pathlib import Path

import click

from leadline import nodes
from leadline.cli.recording import say, shown
from leadline.errors import UsageError
from leadline.report import format as fmt


@click.command("collect")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("-q", "--quiet", is_flag=True, envvar="LEADLINE_QUIET", help="Say nothing of our own unless it fails.")
def command(directory: Path, quiet: bool) -> int:
    """Bring what killed processes of a run left on this node into DIRECTORY, the run's directory.

    Only where that is on a network file system is anything left on a node. Start it on each node that the report names,
    for example with srun: one process a node is enough.
    """
    if not directory.is_dir():
        raise UsageError(f"{directory} is not a directory", hint="give the directory of the run")
    try:
        done = nodes.collect(directory)
    except OSError as error:
        raise UsageError(f"{directory} cannot take what lies on this node: {error.strerror}") from error
    if quiet:
        return 0
    if done.files:
        say(f"{fmt.plural(done.files, 'recording')} ({fmt.size(done.n_bytes)}) brought into {shown(directory)}")
    if done.running:
        verb = "runs" if done.running == 1 else "run"
        say(f"{fmt.plural(done.running, 'process', 'processes')} of this run still {verb} here")
    others = [node.host for node in nodes.on_nodes(directory) if not node.here]
    if others:
        say(f"more lies on {', '.join(others[:20])}{' …' if len(others) > 20 else ''}: run leadline collect there, too")
    elif not done.files and not done.running:
        say(f"nothing of {shown(directory)} lies on this node")
    return 0
