"""Finds out whether every node of a job has a file, by means of the job's own launcher, before the program starts.

A message cannot find out whether a rank has the shim: a rank without it would take the message for the program's. Nodes
are therefore asked first, if we run inside a job with several nodes. A launcher that would first have to wait in a
queue is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline import own_files
from leadline.launch.launcher import find_launcher, with_program
from leadline.launchers.variables import batch_variables
from leadline.runs.execute import execute
from leadline.runs.launch import Launch

ASK_S = 30.0
MISSING = re.compile(r"^leadline-missing (\S*)$", re.MULTILINE)


def nodes_without(file: Path, command: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    """The names of the nodes on which the command's ranks can't read the file, as far as that is known."""
    launcher = find_launcher(command, environ.get("PATH"))
    if launcher is None or not has_several_nodes(environ):
        return []
    ask = ["/bin/sh", "-c", 'test -r "$0" || echo "leadline-missing $(uname -n)"', str(file)]
    before, words = command[: launcher.index + 1], command[launcher.index + 1 :]
    argv = (*before, *with_program(words, ask, launcher.kind))
    found = execute(Launch("checking the nodes", argv, environ, limit_s=ASK_S, merged=True))
    return sorted(set(MISSING.findall(found.output)))


def has_several_nodes(environ: Mapping[str, str]) -> bool:
    """Whether a batch system has given us several nodes."""
    for batch in batch_variables().values():
        if count := environ.get(batch.node_count):
            return count != "1"
        if listed := environ.get(batch.node_file):
            try:
                return len(set(own_files.read_named(Path(listed)).split())) > 1
            except OSError:
                return False
    return False
