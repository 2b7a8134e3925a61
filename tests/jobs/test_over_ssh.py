"""Jobs over ssh on several hosts, without a batch system; and in one of PBS, by a stand-in that sets what PBS sets."""

import sys
from pathlib import Path

import pytest
from mpi_facts import facts

from .conftest import LEADLINE, Program, in_pbs, job_of, mpiexec_over_ssh, ranks_of, runs_below, whole
from .hosts import Hosts

pytestmark = pytest.mark.full


@pytest.mark.parametrize("output", ["", "-o here"])
def test_exec_on_several_hosts(ssh: Hosts, program: Program, directory: Path, output: str) -> None:
    line = f"{mpiexec_over_ssh(program, 4)} {LEADLINE} exec {output} {program.path}"
    for _ in range(2):
        ended = ssh.login.shell(line, directory=directory, environ=program.environ)
        assert ended.code == 0, ended.everything
    assert [ranks_of(run) for run in runs_below(directory)] == [whole(4)] * 2


def test_run_on_several_hosts(ssh: Hosts, program: Program, directory: Path) -> None:
    line = f"{LEADLINE} run -o run -- {mpiexec_over_ssh(program, 4)} {program.path}"
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
        f"{own} run -o run -- {mpiexec_over_ssh(program, 4)} {program.path}",
        f"{mpiexec_over_ssh(program, 4)} {own} exec -o by-exec {program.path}",
        f"{own} collect run",
    ):
        ended = ssh.login.shell(line, directory=directory, environ=program.environ)
        assert ended.code == 0, ended.everything
    assert [ranks_of(run) for run in runs_below(directory)] == [whole(4)] * 2
    assert not mark.exists(), mark.read_text()


def test_two_programs_of_one_job_of_pbs(ssh: Hosts, program: Program, directory: Path) -> None:
    """PBS is not here: only its variables are, as its manual names them."""
    exec_ = f"{LEADLINE} exec {program.path}"
    line = f"{mpiexec_over_ssh(program, 3)} {exec_} & {mpiexec_over_ssh(program, 2)} {exec_}; wait"
    ended = ssh.login.shell(line, directory=directory, environ={**program.environ, **in_pbs(ssh, directory)})
    found = runs_below(directory)
    assert sorted(ranks_of(run) for run in found) == [whole(2), whole(3)], ended.everything
    if facts(program.library).mpiexec_passes_all_on:
        assert {job_of(run)["batch"]["id"] for run in found} == {"345.server"}
