"""Every job gets a directory of its own, and all its ranks are there: under a real Slurm."""

from pathlib import Path

import pytest

from .conftest import LEADLINE, Program, job_of, ranks_of, runs_below, whole
from .hosts import wait_for
from .slurm import Slurm


def test_a_step_of_several_nodes(cluster: Slurm, program: Program, directory: Path) -> None:
    ended = cluster.run(f"{program.srun} -N3 -n4 {LEADLINE} exec {program.path}", directory, program.environ)
    assert ended.code == 0, ended.everything
    (run,) = runs_below(directory)
    assert ranks_of(run) == whole(4)
    batch = job_of(run)["batch"]
    assert (batch["system"], batch["partition"]) == ("slurm", "short")
    assert run.name == f"slurm-{batch['id']}.0"


@pytest.mark.full
@pytest.mark.parametrize("output", ["", "-o here"])
def test_what_a_batch_script_starts_one_after_the_other(
    cluster: Slurm, program: Program, directory: Path, output: str
) -> None:
    exec_ = f"{LEADLINE} exec {output} {program.path}"
    script = f"""
      {program.mpiexec} -n 2 {exec_}
      {program.mpiexec} -n 3 {exec_}
      {program.srun} -n 4 {exec_}
      {program.srun} -n 2 {exec_}
    """
    _, text = cluster.batch(script, directory, "-N2", "-n4", environ=program.environ)
    found = [ranks_of(run) for run in runs_below(directory)]
    assert sorted(found) == sorted([whole(2), whole(3), whole(4), whole(2)]), text


@pytest.mark.full
def test_steps_at_once(cluster: Slurm, program: Program, directory: Path) -> None:
    script = f"for i in 1 2 3; do {program.srun} --exact -n1 -N1 {LEADLINE} exec {program.path} & done; wait"
    _, text = cluster.batch(script, directory, "-N3", "-n3", environ=program.environ)
    assert [ranks_of(run) for run in runs_below(directory)] == [whole(1)] * 3, text


def test_a_recorded_script_that_starts_two_jobs(cluster: Slurm, program: Program, directory: Path) -> None:
    script = directory / "two.sh"
    script.write_text(f"#!/bin/bash\n{program.mpiexec} -n 2 {program.path}\n{program.mpiexec} -n 3 {program.path}\n")
    script.chmod(0o755)
    _, text = cluster.batch(f"{LEADLINE} run -o run {script}", directory, "-N1", "-n4", environ=program.environ)
    assert sorted(ranks_of(run) for run in runs_below(directory)) == [whole(2), whole(3)], text
    assert (directory / "run" / "report.json").exists()


@pytest.mark.full
def test_a_job_in_the_queue_again(cluster: Slurm, program: Program, directory: Path) -> None:
    if program.library.name != "mpich":
        pytest.skip("takes two minutes: once is enough")
    seen = directory / "seen"
    script = f"{program.srun} -n 2 {LEADLINE} exec {program.path} requeue {seen}"
    job = cluster.submit(script, directory, "-N2", "-n2", "--requeue", environ=program.environ)
    wait_for("the first attempt runs", seen.exists)
    cluster.run(f"scontrol requeue {job}", directory)
    # Slurm waits two minutes of itself. Told to start at once, it takes the end of the first attempt for the second's.
    state = cluster.wait(job, seconds=400)
    assert state == "COMPLETED", "\n".join(file.read_text() for file in directory.glob("out-*"))
    first, second = sorted(runs_below(directory), key=lambda run: len(run.name))
    assert "again1" in second.name
    assert ranks_of(second) == whole(2)
    assert {size for _, size in ranks_of(first)} == {2}


@pytest.mark.full
def test_a_step_of_two_programs_and_one_of_two_parts(cluster: Slurm, program: Program, directory: Path) -> None:
    exec_ = f"{LEADLINE} exec {program.path}"
    ended = cluster.run(f"{program.srun} -n1 {exec_} : -n2 {exec_}", directory, program.environ)
    assert ended.code == 0, ended.everything
    (run,) = runs_below(directory)
    assert ranks_of(run) == whole(3)


@pytest.mark.full
def test_an_array(cluster: Slurm, program: Program, directory: Path) -> None:
    _, text = cluster.batch(
        f"{program.srun} -n 2 {LEADLINE} exec {program.path}", directory, "-n2", "--array=0-2", environ=program.environ
    )
    found = runs_below(directory)
    assert [ranks_of(run) for run in found] == [whole(2)] * 3, text
    assert sorted(job_of(run)["batch"]["array_task"] for run in found) == ["0", "1", "2"]


@pytest.mark.full
def test_a_job_that_is_cancelled_keeps_what_it_recorded(cluster: Slurm, program: Program, directory: Path) -> None:
    script = f"{program.srun} -n 2 {LEADLINE} exec {program.path} sleep 60 > out.txt"
    job = cluster.submit(script, directory, "-N2", "-n2", environ=program.environ)
    out = directory / "out.txt"
    wait_for("both ranks sleep", lambda: out.exists() and out.read_text().count("rank ") == 2)
    cluster.run(f"scancel {job}", directory)
    cluster.wait(job)
    (run,) = runs_below(directory)
    assert ranks_of(run) == whole(2)
