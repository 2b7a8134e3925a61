"""A real Slurm: a controller on the login host, a daemon on each node, and munge on all of them.

It has no accounting, no control groups and no systemd. Nodes claim four processors each, whatever is there, so that
small jobs run beside one another.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import hosts
from .hosts import Ended, Host, Hosts

PROCESSORS = 4
TOOLS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "salloc", "scontrol")
ENDED_STATES = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL", "OUT_OF_MEMORY", "DEADLINE")

CONFIGURATION = """\
ClusterName=leadline
SlurmctldHost=login({login})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=/tmp/munge/socket,cred_expire=3
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=/tmp/slurm/state
SlurmdSpoolDir=/tmp/slurm/spool
SlurmctldPidFile=/tmp/slurm/slurmctld.pid
SlurmdPidFile=/tmp/slurm/slurmd.pid
SlurmctldLogFile={logs}/slurmctld.log
SlurmdLogFile={logs}/slurmd-%h.log
SlurmctldTimeout=120
SlurmdTimeout=120
KillWait=2
OverTimeLimit=0
MinJobAge=86400
JobRequeue=1
{nodes}
PartitionName=short Nodes={first}-{last} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES:8
PartitionName=wide Nodes={first}-{last} MaxTime=INFINITE State=UP OverSubscribe=YES:8
"""


def is_installed() -> bool:
    search = os.pathsep.join([os.environ.get("PATH", ""), hosts.PATH])
    return all(shutil.which(tool, path=search) for tool in TOOLS)


@dataclass
class Slurm:
    """The cluster that runs. `shared` is what all its nodes see."""

    hosts: Hosts

    @property
    def login(self) -> Host:
        return self.hosts.login

    @property
    def shared(self) -> Path:
        return self.hosts.shared

    def run(
        self, script: str, directory: Path, environ: Mapping[str, str] | None = None, timeout: float = 120
    ) -> Ended:
        """A shell's line on the login host: `srun …`, `salloc … mpiexec …`."""
        return self.login.shell(script, directory=directory, environ=environ, timeout=timeout)

    def submit(
        self, script: str, directory: Path, *options: str, environ: Mapping[str, str] | None = None, prefix: str = ""
    ) -> int:
        """A batch job with this script; its number. prefix: what stands before sbatch."""
        file = directory / f"job-{len(list(directory.glob('job-*.sh')))}.sh"
        file.write_text(f"#!/bin/bash\n{script}\n")
        words = f"{prefix} sbatch --output=out-%A.%a.txt {' '.join(options)} {file}"
        ended = self.run(words, directory, environ)
        found = re.search(r"Submitted batch job (\d+)", ended.out)
        assert found, ended.everything
        return int(found[1])

    def state(self, job: int) -> str:
        ended = self.run(f"scontrol -o show job {job}", Path("/"))
        return " ".join(re.findall(r"\bJobState=(\w+)", ended.out)) or f"unknown ({ended.err.strip()})"

    def idle_nodes(self) -> int:
        return self.run("sinfo -h -N -p short -o %T", Path("/")).out.split().count("idle")

    def wait(self, job: int, seconds: float = 120) -> str:
        """The states (of an array several) in which the job ended."""
        hosts.wait_for(
            f"job {job} is over",
            lambda: all(word in ENDED_STATES for word in self.state(job).split()),
            seconds=seconds,
        )
        return self.state(job)

    def batch(
        self, script: str, directory: Path, *options: str, environ: Mapping[str, str] | None = None, prefix: str = ""
    ) -> tuple[int, str]:
        """Submits, waits, and returns the job's number and all that it printed."""
        job = self.submit(script, directory, *options, environ=environ, prefix=prefix)
        state = self.wait(job)
        texts = [file.read_text(errors="replace") for file in sorted(directory.glob(f"out-{job}.*.txt"))]
        return job, "\n".join([state, *texts])


@contextlib.contextmanager
def started(count: int = 3) -> Iterator[Slurm]:
    with hosts.made(count) as several:
        logs = several.shared / "logs"
        folder = several.shared / "slurm"
        for made in (logs, folder):
            made.mkdir()
        first, last = several.nodes[0], several.nodes[-1]
        nodes = "\n".join(
            f"NodeName={node.name} NodeAddr={node.address} CPUs={PROCESSORS} State=UNKNOWN" for node in several.nodes
        )
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                login=several.login.address, logs=logs, nodes=nodes, first=first.name, last=last.name
            ).replace(f"{first.name}-{last.name}", ",".join(node.name for node in several.nodes))
        )
        key = several.shared / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(stat.S_IRUSR)
        try:
            for host in several.all:
                _begin(host, folder, key, logs)
            _daemon(several.login, ["slurmctld", "-c"])
            for node in several.nodes:
                _daemon(node, ["slurmd", "-c"])
            cluster = Slurm(several)
            hosts.wait_for("all nodes are idle", lambda: cluster.idle_nodes() == count)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{_last_words(logs)}") from None
        yield cluster


def _begin(host: Host, folder: Path, key: Path, logs: Path) -> None:
    script = f"""
        set -e
        mkdir -p /tmp/slurm/state /tmp/slurm/spool /tmp/munge /etc/slurm
        chmod 755 /tmp/munge
        mount --bind {folder} /etc/slurm
        munged --force --key-file={key} --socket=/tmp/munge/socket --pid-file=/tmp/munge/pid \
          --log-file=/tmp/munge/log --seed-file=/tmp/munge/seed --num-threads=2
    """
    ended = host.shell(script)
    assert ended.code == 0, ended.everything


def _daemon(host: Host, words: list[str]) -> None:
    ended = host.run(words)
    assert ended.code == 0, ended.everything


def _last_words(logs: Path) -> str:
    return "\n".join(f"{file.name}:\n" + "\n".join(file.read_text().splitlines()[-15:]) for file in logs.glob("*.log"))
