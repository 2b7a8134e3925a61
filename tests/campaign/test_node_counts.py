"""The nodes of a run, by which --dry-run counts node hours."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.campaign import dry
from leadline.campaign.journal import Journal
from leadline.campaign.machines.machine import Machine
from leadline.campaign.node_counts import nodes_of
from leadline.campaign.plan import Batch, Cell, Input, Program, Setting

from .conftest import a_plan


def cell(*launcher: str, machine: Machine | None = None, options: tuple[str, ...] = ()) -> Cell:
    setting = Setting("default", launcher=launcher, options=options)
    return Cell(Program("app", ("./app",)), "mpich", 8, setting, Input(), machine)


@pytest.mark.parametrize(
    ("options", "nodes"),
    [
        (("-N", "4", "-n", "{ranks}"), 4),
        (("-N4",), 4),
        (("--nodes=2-3",), 3),
        (("-n", "{ranks}", "--ntasks-per-node=3"), 3),
        (("--ntasks={ranks}", "--ntasks-per-node", "4"), 2),
        (("-n", "{ranks}"), 1),
        (("-l", "select=4:ncpus=8:mpiprocs=2"), 4),
        (("-q", "short", "-l", "place=scatter,select=1:ncpus=4+3:ncpus=8"), 4),
        (("-l", "nodes={ranks}:ppn=1,walltime=1:00"), 8),
        (("-l", "nodes=alpha+beta"), 2),
        ((), 1),
    ],
)
def test_nodes_of_a_job_are_those_that_its_options_ask_for(options: tuple[str, ...], nodes: int) -> None:
    assert nodes_of(cell(), Batch("slurm", options=options), {}) == nodes


def test_nodes_of_a_run_here_are_those_of_its_launcher_or_of_the_allocation(tmp_path: Path) -> None:
    assert nodes_of(cell(), None, {}) == 1
    assert nodes_of(cell("srun", "-n", "{ranks}", options=("-N2",)), None, {}) == 2
    assert nodes_of(cell("mpiexec", "-N", "2", "-n", "{ranks}"), None, {}) == 1  # ranks on each node, to Open MPI
    assert nodes_of(cell("srun", "-N2"), None, {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "5"}) == 5
    (tmp_path / "nodes").write_text("alpha\nalpha\nbeta\n")
    assert nodes_of(cell(), None, {"PBS_JOBID": "7.x", "PBS_NODEFILE": str(tmp_path / "nodes")}) == 2
    assert nodes_of(cell(), None, {"PBS_JOBID": "7.x", "PBS_NODEFILE": str(tmp_path / "none")}) == 1


def test_nodes_of_another_machine_are_its_hosts() -> None:
    machine = Machine("far", ("a", "b", "c"), "x", {"mpich": "/x"}, None)
    assert nodes_of(cell(machine=machine), None, {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "5"}) == 3


def test_node_hours_are_those_of_all_runs(journal: Journal) -> None:
    plan = a_plan(libraries=("a",), ranks=(2, 4), repeats=3, batch=Batch("slurm", options=("-N", "{ranks}")))
    found = dry.plan_of(plan, plan.cells(str), journal)
    assert [row["nodes"] for row in found["cells"]] == [2, 4]
    assert found["node_hours"] == pytest.approx((2 + 4) * 3 * 60 / 3600)
