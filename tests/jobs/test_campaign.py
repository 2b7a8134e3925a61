"""leadline campaign under a real Slurm: steps of one allocation, and a job for each run."""

import json
from pathlib import Path

import pytest

from .conftest import LEADLINE, Program, ranks_of, whole
from .hosts import wait_for
from .slurm import Slurm

pytestmark = pytest.mark.ci


@pytest.mark.parametrize("around", ["salloc -p wide -N3 -n3 ", ""])
def test_runs_are_steps_of_an_allocation_or_jobs(
    cluster: Slurm, program: Program, directory: Path, around: str
) -> None:
    (directory / "c.toml").write_text(
        f"""
ranks = [2, 3]
repeats = 2
record = "alternate"
libraries = ["{program.library.name}"]
launcher = "{program.srun} {"" if around else "-p wide "}-n {{ranks}}"
[[program]]
command = ["{program.path}"]
"""
    )
    ended = cluster.run(f"{around}{LEADLINE} campaign c.toml -o out --json", directory, program.environ)
    assert ended.code == 0, ended.everything
    found = json.loads(ended.out[ended.out.index("{") :])
    assert found["runs"] == {"planned": 8, "finished": 8, "failed": 0}
    runs = sorted(path for path in (directory / "out" / "runs").iterdir())
    assert sorted(len(ranks_of(run)) for run in runs) == [2, 2, 3, 3]
    assert all(ranks_of(run) == whole(len(ranks_of(run))) for run in runs)
    jobs = {json.loads((run / "report.json").read_text())["batch"]["id"] for run in runs}
    assert len(jobs) == (1 if around else 4)


@pytest.mark.full("openmpi")  # the jobs are the same, and the test above has its runs
@pytest.mark.parametrize(("job", "n_jobs"), [("run", 4), ("ranks", 2)])
def test_the_campaign_submits_its_jobs(
    cluster: Slurm, program: Program, directory: Path, job: str, n_jobs: int
) -> None:
    (directory / "c.toml").write_text(
        f"""
ranks = [2, 3]
repeats = 2
timeout = 60
libraries = ["{program.library.name}"]
launcher = "{program.srun} -n {{ranks}}"
[[program]]
command = ["{program.path}"]
[batch]
system = "slurm"
job = "{job}"
options = ["-p", "wide", "-N2", "-n{{ranks}}"]
time = 600
"""
    )
    environ = {**program.environ, "XDG_CACHE_HOME": str(directory / "cache")}
    ended = cluster.run(f"{LEADLINE} campaign c.toml -o out --json", directory, environ, timeout=300)
    assert ended.code == 0, ended.everything
    found = json.loads(ended.out[ended.out.index("{") :])
    assert found["runs"] == {"planned": 4, "finished": 4, "failed": 0}
    runs = [*(directory / "out" / "runs").iterdir()]
    assert sorted(len(ranks_of(run)) for run in runs) == [2, 2, 3, 3]
    jobs = {json.loads((run / "report.json").read_text())["batch"]["id"] for run in runs}
    assert len(jobs) == n_jobs
    wait_for("no job is left", lambda: cluster.run("squeue -h", directory).out == "")
