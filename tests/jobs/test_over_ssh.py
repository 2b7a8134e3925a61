"""Jobs over ssh on several hosts, without a batch system; and in one of PBS, by a stand-in that sets what PBS sets."""

import sys
from pathlib import Path

import pytest
from mpi_facts import facts

from .conftest import LEADLINE, Program, job_of, ranks_of, runs_below, whole
from .hosts import Hosts, wait_for
from .slurm import Slurm

pytestmark = pytest.mark.full


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


def _mpiexec(program: Program, ranks: int) -> str:
    folder = program.path.parents[1] / "ssh"
    options = facts(program.library).over_ssh(program.library.version, str(folder))
    return f"{program.mpiexec} {options} -n {ranks}"


@pytest.mark.parametrize("output", ["", "-o here"])
def test_exec_on_several_hosts(ssh: Hosts, program: Program, directory: Path, output: str) -> None:
    line = f"{_mpiexec(program, 4)} {LEADLINE} exec {output} {program.path}"
    for _ in range(2):
        ended = ssh.login.shell(line, directory=directory, environ=program.environ)
        assert ended.code == 0, ended.everything
    assert [ranks_of(run) for run in runs_below(directory)] == [whole(4)] * 2


def test_run_on_several_hosts(ssh: Hosts, program: Program, directory: Path) -> None:
    line = f"{LEADLINE} run -o run -- {_mpiexec(program, 4)} {program.path}"
    ended = ssh.login.shell(line, directory=directory, environ=program.environ)
    assert ended.code == 0, ended.everything
    assert ranks_of(directory / "run") == whole(4)


def test_what_lies_in_the_folder_is_code_on_no_host(ssh: Hosts, program: Program, directory: Path) -> None:
    """Ranks on other hosts start in the folder of the command: modules there leave a mark if anything imports them."""
    mark = directory / "mark"
    for name in ("leadline", "ctypes", "json", "re", "subprocess", "sitecustomize", "usercustomize"):
        (directory / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write(__name__ + chr(10))\n")
    script = directory / "bin" / "leadline"  # as pip installs it
    script.parent.mkdir()
    script.write_text("import sys\nfrom leadline.__main__ import run\nrun()\n")
    own = f"{sys.executable} {script}"
    for line in (
        f"{own} run -o run -- {_mpiexec(program, 4)} {program.path}",
        f"{_mpiexec(program, 4)} {own} exec -o by-exec {program.path}",
        f"{own} collect run",
    ):
        ended = ssh.login.shell(line, directory=directory, environ=program.environ)
        assert ended.code == 0, ended.everything
    assert [ranks_of(run) for run in runs_below(directory)] == [whole(4)] * 2
    assert not mark.exists(), mark.read_text()


def test_two_programs_of_one_job_of_pbs(ssh: Hosts, program: Program, directory: Path) -> None:
    """PBS is not here: only its variables are, as its manual names them."""
    nodes = directory / "nodes"
    nodes.write_text("".join(f"{node.name}\n" * 2 for node in ssh.nodes))
    pbs = {
        "PBS_NODEFILE": str(nodes),
        "PBS_JOBID": "345.server",
        "PBS_JOBNAME": "relax",
        "PBS_QUEUE": "workq",
        "PBS_ENVIRONMENT": "PBS_BATCH",
    }
    exec_ = f"{LEADLINE} exec {program.path}"
    line = f"{_mpiexec(program, 3)} {exec_} & {_mpiexec(program, 2)} {exec_}; wait"
    ended = ssh.login.shell(line, directory=directory, environ={**program.environ, **pbs})
    found = runs_below(directory)
    assert sorted(ranks_of(run) for run in found) == [whole(2), whole(3)], ended.everything
    if facts(program.library).mpiexec_passes_all_on:
        assert {job_of(run)["batch"]["id"] for run in found} == {"345.server"}
