"""How many nodes a run takes, as far as the campaign's file and the surroundings say: for node hours.

A run within an allocation takes all of its nodes, whatever it uses of them, for nothing else runs there meanwhile.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline import own_files
from leadline.campaign.plan import Batch, Cell
from leadline.launchers import srun
from leadline.launchers.variables import batch_variables

HERE = 1  # of a run on this machine
# Slurm: -N 4, -N4, --nodes=4, --nodes=2-4.   PBS: -l select=4:ncpus=8, select=1:ncpus=4+3:ncpus=8, -l nodes=4:ppn=8.
SLURM = re.compile(r"(?:^| )(?:-N ?|--nodes[= ])(?:\d+-)?(\d+)(?= |$)")
PBS = re.compile(r"(?:^|[ ,])(?:select|nodes)=([^ ,]+)")
# Where no nodes are named, they follow from these.
TASKS = re.compile(r"(?:^| )(?:-n ?|--ntasks[= ])(\d+)(?= |$)")
TASKS_PER_NODE = re.compile(r"(?:^| )--ntasks-per-node[= ](\d+)(?= |$)")


def nodes_of(cell: Cell, batch: Batch | None, environ: Mapping[str, str] = os.environ) -> int:
    """The nodes of one run; HERE if nothing says how many."""
    if cell.machine is not None:
        return len(cell.machine.hosts)
    if batch is not None:
        return _named(batch.options, cell.ranks) or HERE
    if within := _of_allocation(environ):
        return within
    launcher = cell.setting.launcher
    asks = bool(launcher) and Path(launcher[0]).name == srun.SRUN.name  # which outside an allocation makes a job
    return (_named([*launcher, *cell.setting.options], cell.ranks) if asks else 0) or HERE


def _named(words: Sequence[str], ranks: int) -> int:
    """0: they name none."""
    text = " ".join(word.format(ranks=ranks) for word in words)
    if found := SLURM.findall(text):
        return int(found[-1])
    if found := PBS.findall(text):
        return sum(int(count) if count.isdecimal() else 1 for count in _chunks(found[-1]))
    tasks, each = TASKS.findall(text), TASKS_PER_NODE.findall(text)
    return -(-int(tasks[-1]) // int(each[-1])) if tasks and each and int(each[-1]) else 0


def _chunks(text: str) -> list[str]:
    """Of PBS: the number of each, before its resources; a name of a host counts as one."""
    return [chunk.partition(":")[0] for chunk in text.split("+")]


def _of_allocation(environ: Mapping[str, str]) -> int:
    """0: this is none."""
    for batch in batch_variables().values():
        if not environ.get(batch.id):
            continue
        if (count := environ.get(batch.node_count, "")).isdecimal():
            return int(count)
        if listed := environ.get(batch.node_file):
            try:
                return len(set(own_files.read_named(Path(listed)).split()))
            except OSError:
                continue
    return 0
