"""A real Slurm on three nodes (tests/jobs), of which parts are killed: kills.py.

Seeds take turns: a job for each run and one for all, submitted by the campaign (`[batch]`), and srun as the launcher,
which makes a job for each run.
"""

from __future__ import annotations

import contextlib
import importlib
import random
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from leadline import mpi

hosts: Any = importlib.import_module("jobs.hosts")  # of the tests
slurm: Any = importlib.import_module("jobs.slurm")
mpi_facts: Any = importlib.import_module("mpi_facts")

LIBRARY = "mpich"
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, sum = 0, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  usleep(1500000);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks took 1.25 s\\n", sum);
  MPI_Finalize();
  return 0;
}
"""
BATCH = '[batch]\nsystem = "slurm"\njob = "{job}"\noptions = ["-N2", "-n2"]\ntime = 600\n'
WAYS = (BATCH.format(job="run"), BATCH.format(job="ranks"), "")
GONE_S = 60.0  # for jobs that were cancelled to leave the queue
# Of a launch, on the host that started it; of a campaign's own that was killed.
MARKS = "LEADLINE_LAUNCH=|LEADLINE_CAMPAIGN="


def why_not() -> str:
    if not slurm.is_installed():
        return "needs Slurm: apt-get install slurm-wlm munge"
    return "" if hosts.are_possible() else "needs root and namespaces"


class Place:
    between_s = (0.5, 6.0)

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self._library = mpi.find(LIBRARY)
        self._environ = {**self._library.environ, **self._library.kind.unbound}
        self.folder: Path = cluster.shared / "campaigns"
        (self.folder / "app").mkdir(parents=True)
        (self.folder / "app" / "app.c").write_text(PROGRAM)
        self._environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        login = [cluster.login]
        nodes = list(cluster.hosts.nodes)
        self.kills: Mapping[str, Callable[[random.Random], bool]] = {
            "campaign": lambda chance: self._killed(chance, login, "-f '[l]eadline campaign'"),
            "what waits for a job": lambda chance: self._killed(
                chance, login, "-f 'campaign[.]batch.waiting'", "-x srun"
            ),
            "job cancelled": lambda _: self._cancelled(),
            "job's step": lambda chance: self._killed(chance, nodes, "-f 'slurmstepd[:]'"),
            "job's process": lambda chance: self._killed(
                chance, nodes, "-f 'campaign[.]batch.worker'", "-f '[l]eadline run'", "-x srun"
            ),
            "rank": lambda chance: self._killed(chance, nodes, "-x app"),
            "node daemon": lambda chance: self._daemon(chance.choice(nodes)),
        }

    def _killed(self, chance: random.Random, among: list[Any], *which: str) -> bool:
        """which: options of pgrep, of which one is taken; a letter in brackets keeps it from finding the shell that
        asks."""
        places = [(host, options) for host in among for options in which]
        chance.shuffle(places)
        return any(host.shell(f"kill -9 $(pgrep {options} | shuf -n 1)").code == 0 for host, options in places)

    def _cancelled(self) -> bool:
        script = 'job=$(squeue -h -o %A | shuf -n 1); [ -n "$job" ] && scancel $job'
        return bool(self._cluster.login.shell(script).code == 0)

    def _daemon(self, node: Any) -> bool:
        if node.shell("kill -9 $(pgrep -x slurmd)").code != 0:
            return False
        time.sleep(1)
        return bool(node.run(["slurmd"]).code == 0)

    def written(self, name: str, seed: int, repeats: int) -> str:
        way = WAYS[seed % len(WAYS)]
        srun = f"srun --mpi={mpi_facts.facts(self._library).srun_mpi} --kill-on-bad-exit=1"
        (self.folder / f"{name}.toml").write_text(
            f"""
ranks = [2]
libraries = ["{LIBRARY}"]
repeats = {repeats}
record = true
timeout = 60
time = 'took ([0-9.]+) s'
launcher = "{srun}{"" if way else " -N2"} -n {{ranks}}"
[[program]]
name = "app"
command = ["./app"]
directory = "app"
build = ["{{mpicc}}", "-g", "app.c", "-o", "app"]
{way}
"""
        )
        return f"{name}.toml"

    def start(self, words: list[str]) -> Any:
        return self._cluster.login.start(words, directory=self.folder, environ=self._environ)

    def run(self, words: list[str], limit_s: float) -> Any:
        return self._cluster.login.run(words, directory=self.folder, environ=self._environ, timeout=limit_s)

    def left(self) -> str:
        """Jobs and processes, once those that are ending had the time for it."""
        limit = time.monotonic() + GONE_S
        while (found := self._left()) and time.monotonic() < limit:
            time.sleep(1)
        return found

    def _left(self) -> str:
        jobs = self._cluster.login.shell("squeue -h -o '%A %j %T'").out
        script = f"grep -lsE '{MARKS}' /proc/[0-9]*/environ; pgrep -ax app"
        processes = [host.shell(script).out for host in self._cluster.hosts.all]
        return " ".join(" ".join([jobs, *processes]).split())


@contextlib.contextmanager
def made() -> Iterator[Place]:
    with slurm.started(3) as cluster:
        yield Place(cluster)
