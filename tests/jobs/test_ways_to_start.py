"""The ways in which people start jobs under Slurm: each records all its ranks, or says why not."""

import json
import shutil
from pathlib import Path

import pytest
from mpi_facts import facts

from .conftest import LEADLINE, Program, ranks_of, runs_below, whole
from .hosts import wait_for
from .slurm import Slurm

pytestmark = pytest.mark.full


def test_run_in_an_allocation_tells_the_job_and_where_its_ranks_ran(
    cluster: Slurm, program: Program, directory: Path
) -> None:
    ended = cluster.run(
        f"salloc -J relax -p wide -N3 -n3 {LEADLINE} run -o run -- {program.srun} {program.path}",
        directory,
        program.environ,
    )
    assert ended.code == 0, ended.everything
    assert runs_below(directory) == [directory / "run"]
    assert ranks_of(directory / "run") == whole(3)
    report = json.loads((directory / "run" / "report.json").read_text())
    batch = report["batch"]
    assert (batch["system"], batch["name"], batch["partition"]) == ("slurm", "relax", "wide")
    assert batch["nodes"] == "node[1-3]"
    assert [(place["host"], place["ranks"]) for place in report["placement"]] == [
        ("node1", [0]),
        ("node2", [1]),
        ("node3", [2]),
    ]
    assert f"Slurm job {batch['id']}, partition wide, node[1-3]" in (directory / "run" / "report.txt").read_text()
    assert "node2: rank 1, " in (directory / "run" / "report.txt").read_text()


@pytest.mark.parametrize("starter", ["srun", "mpiexec"])
def test_a_job_whose_environment_is_not_passed_on(
    cluster: Slurm, program: Program, directory: Path, starter: str
) -> None:
    if starter == "mpiexec" and facts(program.library).mpiexec_needs_environment:
        pytest.skip("its own mpiexec can't start its daemons there, recorded or not")
    kept = " ".join(f"{name}={value}" for name, value in program.environ.items())
    started = f"{program.srun} -n 3" if starter == "srun" else f"{program.mpiexec} -n 3"
    script = f"export PATH=$PATH:/usr/bin {kept}\n{LEADLINE} run -o run -- {started} {program.path}"
    _, text = cluster.batch(script, directory, "-N2", "-n3", "--export=NONE")
    assert [ranks_of(run) for run in runs_below(directory)] == [whole(3)], text


def test_a_script_in_a_job_whose_environment_is_not_passed_on(
    cluster: Slurm, program: Program, directory: Path
) -> None:
    inner = directory / "inner.sh"
    inner.write_text(f"#!/bin/bash\n{program.srun} -n 2 {program.path}\n")
    inner.chmod(0o755)
    kept = " ".join(f"{name}={value}" for name, value in program.environ.items())
    script = f"export PATH=$PATH:/usr/bin {kept}\n{LEADLINE} run -o run -- {inner}"
    _, text = cluster.batch(script, directory, "-N2", "-n2", "--export=NONE")
    assert [ranks_of(run) for run in runs_below(directory)] == [whole(2)], text


def test_a_job_that_is_only_queued(cluster: Slurm, program: Program, directory: Path) -> None:
    script = directory / "job.sh"
    script.write_text(f"#!/bin/bash\n{program.srun} -n 2 {program.path}\n")
    ended = cluster.run(f"{LEADLINE} run -o run -- sbatch -n2 -o out.txt {script}", directory, program.environ)
    assert ended.code == 0, ended.everything
    assert "the job was queued; when it runs, it is recorded in" in ended.err
    wait_for("both traces are there", lambda: len(list((directory / "run").glob("*.trace"))) == 2)
    assert ranks_of(directory / "run") == whole(2)


def test_a_job_that_is_only_queued_and_keeps_the_recorder_out(
    cluster: Slurm, program: Program, directory: Path
) -> None:
    script = directory / "job.sh"
    script.write_text(f"#!/bin/bash\n#SBATCH --export=NONE\n{program.srun} -n 2 {program.path}\n")
    ended = cluster.run(f"{LEADLINE} record -o run -- sbatch -o out.txt {script}", directory, program.environ)
    assert ended.code == 0, ended.everything
    assert f"the job was queued but will not be recorded: {script} sets --export=NONE" in ended.err


def test_several_programs_from_a_file(cluster: Slurm, program: Program, directory: Path) -> None:
    copy = directory / "another-name"
    shutil.copy(program.path, copy)
    (directory / "programs").write_text(f"0 {program.path}\n1-2 {copy}\n")
    words = f"{LEADLINE} run -o run -- {program.srun} -n 3 --multi-prog programs"
    ended = cluster.run(words, directory, program.environ)
    assert ended.code == 0, ended.everything
    assert ranks_of(directory / "run") == whole(3)


def test_tasks_that_are_each_a_world_of_their_own_are_named(cluster: Slurm, program: Program, directory: Path) -> None:
    ended = cluster.run(f"{LEADLINE} run -o run -- srun -n 3 {program.path}", directory, program.environ)
    assert ended.code == 0, ended.everything
    assert ranks_of(directory / "run") == [(0, 1)] * 3
    assert "3 processes ran separately, each as rank 0 of 1: srun did not start them" in " ".join(ended.err.split())


def test_a_directory_that_some_nodes_lack(cluster: Slurm, program: Program, directory: Path) -> None:
    """Each node has a /tmp of its own: what was recorded lies there, and it kept nothing from running."""
    ended = cluster.run(
        f"{program.srun} -N2 -n2 {LEADLINE} exec -o /tmp/{directory.name} {program.path}", directory, program.environ
    )
    assert ended.code == 0, ended.everything
    assert ended.out.count("rank ") == 2
    found = sorted(
        line
        for node in cluster.hosts.nodes
        for line in node.shell(f"cd /tmp/{directory.name} && ls rank-*.trace").out.split()
    )
    assert [name.split("-")[1] for name in found] == ["00000", "00001"]
