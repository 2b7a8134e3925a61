"""Files on nodes that share only the run's directory: recordings of killed ranks, and the files of `leadline apply`."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi, nodes
from leadline.errors import DamagedTrace
from leadline.figures.run import open_run
from leadline.launch.shim import library_path
from leadline.report import to_json

from . import hosts
from .conftest import LEADLINE, Program, ranks_of, runs_below
from .slurm import Slurm

pytestmark = pytest.mark.full

WAITING = Path(__file__).resolve().parents[1] / "programs" / "waiting.c"
TABLE = """\
schema = 1
[[rule]]
operation = "allreduce"
processes = [2, 64]
bytes = [1, 1024]
algorithm = "recursive_doubling"
"""


@pytest.fixture
def waiting(cluster: Slurm, library: mpi.Library) -> Program:
    path = cluster.shared / "waiting" / f"waiting-{library.name}"
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        subprocess.run([library.mpicc, WAITING, "-o", path], check=True, env=library.env(), timeout=120)
    return Program(path, library)


def report_of(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = to_json(open_run(run))
    return found


def test_a_rank_is_killed_and_the_others_wait(cluster: Slurm, waiting: Program, directory: Path) -> None:
    """Live memory is each node's own, as where the run's directory is on a network file system."""
    words = f"{waiting.srun} --no-kill --kill-on-bad-exit=0 -N2 -n2 {LEADLINE} exec -o run {waiting.path}"
    job = cluster.submit(words, directory, "-N2", "-n2", environ={**waiting.environ, "LEADLINE_LIVE": "/dev/shm"})
    run = directory / "run"
    hosts.wait_for("both nodes say where live memory is", lambda: len(list(run.glob("*.away"))) == 2)
    first, second = cluster.hosts.nodes[:2]
    rank_1_waits = f"{LEADLINE} report {run} --json"

    def waits() -> bool:
        ended = second.shell(rank_1_waits)
        if ended.code != 0:
            return False
        stops = json.loads(ended.out)["unfinished"]
        return [stop["in_call"] for stop in stops if stop["rank"] == 1] == ["MPI_Recv"]

    hosts.wait_for("rank 1 waits", waits)
    said = f"{first.name}:/dev/shm/.*{second.name}:/dev/shm/.*leadline collect"
    with pytest.raises(DamagedTrace, match=said):
        open_run(run)  # from here neither node's memory can be seen
    name = waiting.path.name[:15]
    assert first.shell(f"pkill -9 -x {name}").code == 0
    left = f"{first.name}-*.live"
    hosts.wait_for("the keeper has brought in what the killed rank left", lambda: list(run.glob(left)))
    # Slurm and the library may end the others for that, or leave them waiting.
    cluster.run(f"scancel {job}", directory)
    cluster.wait(job)
    # Whether Slurm let the other keeper finish its work is its own affair.
    assert second.shell(f"{LEADLINE} collect {run}", directory=directory).code == 0
    hosts.wait_for("all is here", lambda: not nodes.on_nodes(run) and ranks_of(run) == [(0, 2), (1, 2)])
    stops = {stop["rank"]: stop for stop in report_of(run)["unfinished"]}
    assert (stops[1]["in_call"], stops[0]["in_call"]) == ("MPI_Recv", None)
    assert stops[0]["end_known_from"] == "process"


def test_apply_where_nodes_share_the_working_directory(cluster: Slurm, program: Program, directory: Path) -> None:
    (directory / "table.toml").write_text(TABLE)
    words = f"{LEADLINE} apply table.toml --json -- {program.srun} -N2 -n2 {program.path}"
    ended = cluster.run(words, directory, program.environ)
    assert ended.code == 0, ended.everything
    found = json.loads(ended.out.splitlines()[-1])
    assert found["problem"] is None
    assert found["not_applied"] == []
    (applied,) = found["applied"]
    assert applied["proof"] == "counted by the shim"
    assert not list(directory.glob(".leadline-*"))


def test_apply_where_they_do_not(cluster: Slurm, program: Program, directory: Path) -> None:
    """/tmp is each host's own: the job runs natively, and the reason is the true one."""
    (directory / "table.toml").write_text(TABLE)
    words = f"{LEADLINE} apply {directory}/table.toml --json -- {program.srun} -D {directory} -N2 -n2 {program.path}"
    ended = cluster.login.shell(words, directory="/tmp", environ=program.environ)
    assert ended.code == 0, ended.everything
    found = json.loads(ended.out.splitlines()[-1])
    assert found["applied"] == []
    (refused,) = found["not_applied"]
    assert "LEADLINE_SHARED" in refused["why"]
    assert runs_below(directory) == []


def test_apply_where_a_node_lacks_the_shim(cluster: Slurm, program: Program, directory: Path) -> None:
    (directory / "table.toml").write_text(TABLE)
    lacking = cluster.hosts.nodes[1]
    folder = library_path().parent
    assert lacking.shell(f"mount -t tmpfs tmpfs {folder}").code == 0
    try:
        words = f"{LEADLINE} apply {directory}/table.toml --json -- {program.srun} -N2 -n2 {program.path}"
        ended = cluster.run(f"salloc -w node1,node2 -N2 -n2 {words}", directory, program.environ)
    finally:
        assert lacking.shell(f"umount {folder}").code == 0
    assert ended.code == 0, ended.everything
    assert ended.out.count("rank ") == 2
    found = json.loads(ended.out.splitlines()[-1])
    assert found["applied"] == []
    assert found["problem"]["message"].startswith(f"{lacking.name} cannot read the shim")
