"""`leadline improve` on several hosts, within an allocation of Slurm and over ssh: a planted setting is undone, and no
job is started."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leadline import mpi

from .conftest import LEADLINE, Program, in_pbs, mpiexec_over_ssh
from .hosts import Ended, Hosts, wait_for
from .slurm import Slurm

pytestmark = pytest.mark.full

SOURCE = Path(__file__).resolve().parents[1] / "programs" / "improvable.c"
LIMIT_S = 900
KILLS = 5
IMPROVE = f"{LEADLINE} improve --json --for 15m --only own-settings -o better --"
# A message of 2000 bytes waits for its receiver: between nodes by TCP, with MPICH within a node.
PLANTED = {
    "openmpi": (2, {"OMPI_MCA_btl_tcp_eager_limit": "256", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "ob1"}),
    "mpich": (1, {"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "0"}),
}


@pytest.fixture
def improvable(cluster: Slurm, library: mpi.Library) -> Program:
    path = cluster.shared / "improvable" / f"improvable-{library.name}"
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        subprocess.run([library.mpicc, SOURCE, "-o", path, "-lm"], check=True, env=library.env(), timeout=120)
    return Program(path, library)


def test_a_planted_setting_is_undone_in_an_allocation(cluster: Slurm, improvable: Program, directory: Path) -> None:
    nodes, planted = PLANTED[improvable.library.name]
    environ = {**improvable.environ, **planted}
    command = f"{improvable.srun} -N{nodes} -n2 {improvable.path} late 8"
    ended = cluster.run(f"salloc -N{nodes} -n2 {IMPROVE} {command}", directory, environ, timeout=LIMIT_S)
    assert_undone(ended, next(iter(planted)))
    prolog = cluster.run(f"{LEADLINE} apply --as prolog better/improve.toml > prolog; chmod +x prolog", directory)
    assert prolog.code == 0, prolog.everything
    shown = f"srun -N1 -n1 --task-prolog={directory}/prolog env"
    tasks = cluster.run(f"salloc -N1 -n1 {shown}", directory, environ)
    assert f"{next(iter(planted))}=" not in tasks.out
    assert cluster.run("squeue -h", directory).out == ""


def test_killed_at_random_moments_it_goes_on_in_another_allocation(
    cluster: Slurm, improvable: Program, directory: Path
) -> None:
    """Nothing is lost, measured twice or left running, and each allocation ends with the search."""
    chance = random.Random(improvable.library.name)
    nodes, planted = PLANTED[improvable.library.name]
    environ = {**improvable.environ, **planted}
    line = f"salloc -N{nodes} -n2 {IMPROVE} {improvable.srun} -N{nodes} -n2 {improvable.path} late 8"
    measured, before = directory / "better" / "measured.jsonl", list[str]()
    for _ in range(KILLS):
        more = len(before) + chance.randrange(1, 4)
        process = cluster.login.start(["/bin/bash", "-c", line], directory=directory, environ=environ)
        wait_for("launches", lambda more=more: len(lines_in(measured)) >= more, seconds=300)
        time.sleep(chance.random())
        for pid in pids_of(f"{sys.executable}\0-m\0leadline\0improve\0", directory):
            os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=120)
        wait_for("the job is over", lambda: cluster.run("squeue -h", directory).out == "")
        wait_for("no rank is left", lambda: not pids_of(f"{improvable.path}\0late\0", directory))
        assert lines_in(measured)[: len(before)] == before
        before = lines_in(measured)
    assert_undone(cluster.run(line, directory, environ, timeout=LIMIT_S), next(iter(planted)))
    assert lines_in(measured)[: len(before)] == before
    assert not (directory / "better" / "trial").exists()


@pytest.mark.parametrize("batch", ["", "pbs"])
def test_a_planted_setting_is_undone_over_ssh(ssh: Hosts, improvable: Program, directory: Path, batch: str) -> None:
    """Also among the variables of a job of PBS, which is not here."""
    _, planted = PLANTED[improvable.library.name]
    environ = {**improvable.environ, **planted, **(in_pbs(ssh, directory) if batch else {})}
    line = f"{IMPROVE} {mpiexec_over_ssh(improvable, 2)} {improvable.path} late 8"
    ended = ssh.login.shell(line, directory=directory, environ=environ, timeout=LIMIT_S)
    assert_undone(ended, next(iter(planted)))


def assert_undone(ended: Ended, planted: str) -> None:
    assert ended.code == 0, ended.everything
    found = json.loads(ended.out[ended.out.index("{") :])
    assert found["confirmed"] is True, ended.everything
    assert any(planted in setting["without"] for setting in found["chosen"])
    assert found["gain"] > 0.1


def lines_in(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def pids_of(start: str, directory: Path) -> list[int]:
    """Processes of any host that were started in the directory, whose command begins so."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it is over
            begins = (path / "cmdline").read_bytes().startswith(start.encode())
            if begins and (path / "cwd").readlink().name == directory.name:
                found.append(int(path.name))
    return found
