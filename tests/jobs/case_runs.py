"""Runs a case of cases.py on the cluster, and finds which ranks it started and which of them were recorded."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import hosts
from .cases import Case
from .conftest import LEADLINE, Program, ranks_of, runs_below
from .slurm import Slurm

TABLE = """\
schema = 1
[[rule]]
operation = "allreduce"
processes = [2, 64]
bytes = [1, 1024]
algorithm = "recursive_doubling"
"""
PATIENCE_S = 20
STARTED = re.compile(r"^rank (\d+) of (\d+) on (\S+): (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Try:
    """A case with a library on some nodes. plain: without Leadline."""

    case: Case
    program: Program
    nodes: int
    directory: Path
    plain: bool = False

    @property
    def ranks(self) -> int:
        return self.nodes + 1

    @property
    def worlds(self) -> list[int]:
        return sorted([*self.case.worlds(self.ranks), *self.case.spawned])

    @property
    def local(self) -> str:
        """A directory of the same name on each node."""
        return f"/tmp/{self.directory.name}"

    def words(self, text: str) -> str:
        """A line of the case with what its names stand for."""
        directory = self.directory
        leadline = {
            "run": f"{LEADLINE} run -o {directory}/run --",
            "run_again": f"{LEADLINE} run -o {directory}/run-2 --",
            "run_task": f"{LEADLINE} run -o {directory}/run-$SLURM_ARRAY_TASK_ID --",
            "run_local": f"{LEADLINE} run -o {self.local} --",
            "exec": f"{LEADLINE} exec",
            "exec_here": f"{LEADLINE} exec -o here",
            "exec_local": f"{LEADLINE} exec -o {self.local}",
            "apply": f"{LEADLINE} apply {directory}/table.toml --report {directory}/applied.json --",
        }
        names: dict[str, Any] = {
            **(dict.fromkeys(leadline, "") if self.plain else leadline),
            "srun": self.program.srun,
            "mpiexec": self.program.mpiexec,
            "app": self.program.path,
            "nodes": self.nodes,
            # Slurm gives the parts of a heterogeneous job nodes of their own: two in all, or three.
            "others": max(self.nodes - 1, 1),
            "ranks": self.ranks,
            "more": self.ranks + 2,
            # Hydra starts proxies on its nodes only if it has one on each; Open MPI needs free places.
            "room": self.ranks + (2 if self.program.library.family == "openmpi" else 0),
            "directory": directory,
            "kept": " ".join(f"{name}={value}" for name, value in self.program.environ.items()),
        }
        return text.format(**names)


def start(cluster: Slurm, one: Try) -> int:
    """The number of the batch job; 0 for what runs in the foreground, and is over then."""
    one.directory.mkdir()
    (one.directory / "table.toml").write_text(TABLE)
    inner = one.directory / "inner.sh"
    inner.write_text(f"#!/bin/bash\n{one.words(one.case.inner)}\n")
    line, environ = one.words(one.case.line), one.program.environ
    if one.plain:  # it may hang
        line = f"timeout -k 2 {PATIENCE_S} bash -c {shlex.quote(line)}"
    wide = "-s -N{nodes} -n{ranks} "
    options = one.words(one.case.options if ":" in one.case.options else wide + one.case.options)
    if one.case.place == "sbatch":
        return cluster.submit(line, one.directory, options, environ=environ)
    if one.case.place == "salloc":
        line = f"salloc {options} bash -c {shlex.quote(line)}"
    try:
        text = cluster.run(line, one.directory, environ, timeout=60).everything
    except AssertionError as error:
        text = str(error)
    (one.directory / "out-said.txt").write_text(text)
    return 0


def befall(cluster: Slurm, one: Try, job: int) -> None:
    """The action on the job while it runs."""
    if one.case.ending == "cancel":
        hosts.wait_for("all ranks sleep", lambda: len(started(one)) == one.ranks)
        cluster.run(f"scancel {job}", one.directory)
    if one.case.ending == "requeue":
        hosts.wait_for("the first attempt runs", (one.directory / "seen").exists)
        cluster.run(f"scontrol requeue {job}", one.directory)


def finish(cluster: Slurm, one: Try, job: int) -> bool:
    """Whether the job ended by itself, and as it should."""
    if job == 0:
        return True
    try:
        state = cluster.wait(job, seconds=400 if one.case.waits else 60)
    except AssertionError:
        cluster.run(f"scancel {job}", one.directory)
        cluster.wait(job)
        return False
    (one.directory / "out-state.txt").write_text(f"{state}\n")
    return {"cancel": "CANCELLED", "limit": "TIMEOUT"}.get(one.case.ending, "") in state


def said(one: Try) -> str:
    return "\n".join(file.read_text(errors="replace") for file in sorted(one.directory.glob("out-*.txt")))


def started(one: Try) -> list[tuple[int, int, str]]:
    """(rank, size of the world, host) of the ranks that came back from MPI_Init; each must have met all others."""
    found = STARTED.findall(said(one))
    assert all(size == total for _, size, _, total in found)
    return sorted((int(rank), int(size), host) for rank, size, host, _ in found)


def problem_of_job(one: Try) -> str:
    """The problem with the job itself; "" if all its ranks ran where they should."""
    ranks = started(one)
    expected = [(rank, size) for size in one.worlds for rank in range(size)]
    if one.case.ending == "requeue":  # the output of the first attempt may be lost with its ranks
        expected = expected[: len(expected) // 2]
        return "" if len(ranks) >= len(expected) else f"started {ranks}\n{said(one)}"
    if sorted((rank, size) for rank, size, _ in ranks) != sorted(expected):
        return f"started {ranks}\n{said(one)}"
    if not one.case.one_host and len({host for _, _, host in ranks}) != one.nodes:
        return f"not on {one.nodes} nodes: {ranks}"
    return ""


def recorded(cluster: Slurm, one: Try) -> list[list[tuple[int, int]]]:
    """(rank, size of its world) of all processes in each run."""
    if not one.case.local:
        return [ranks_of(run) for run in runs_below(one.directory)]
    found = []
    for node in cluster.hosts.all:
        kept = one.directory / f"of-{node.name}"
        kept.mkdir()
        node.shell(f"cp {one.local}/*.trace {kept}/")
        found += ranks_of(kept) if list(kept.iterdir()) else []
    return [sorted(found)]


def problem_of_record(cluster: Slurm, one: Try) -> str:
    """Missing or merged ranks; "" if every rank that was started was recorded, in a run of its job."""
    if one.case.apply:
        return _problem_of_apply(one)
    found = sorted(recorded(cluster, one))
    jobs = [[size] for size in one.case.worlds(one.ranks)]
    if one.case.spawned:
        jobs[-1] += one.case.spawned
    if set(one.case.worlds(one.ranks)) == {1} and len(jobs) > 1:
        jobs = [[1] * len(jobs)]  # of one srun, so in one run
    expected = sorted(sorted((rank, size) for size in job for rank in range(size)) for job in jobs)
    return "" if found == expected else f"recorded {found}, not {expected}\n{said(one)}"


def _problem_of_apply(one: Try) -> str:
    file = one.directory / "applied.json"
    nothing: dict[str, Any] = {"applied": [], "not_applied": ["nothing was reported"]}
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else nothing
    proofs = [rule["proof"] for rule in found["applied"]]
    if one.case.apply == "native":
        return "" if not proofs and found["not_applied"] else f"{found}"
    if proofs == ["counted by the shim"] and not found["not_applied"] and found["processes"] == one.ranks:
        return ""
    return f"{found}\n{said(one)}"
