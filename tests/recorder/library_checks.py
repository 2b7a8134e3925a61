"""The checks of one MPI library. Each returns a cell of the table in docs/reference/libraries.md, or raises."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import features_table, traffic_table
from .building import Builder
from .comparing import failed_polls, first_difference
from .libraries import Library, has_function, quiet_environment
from .oracle import read_log
from .reading import Recorded, calls_by_rank, failed_polls_of, losses_of, open_processes, report_of
from .running import RUN_TIMEOUT_S, Outcome, run_mpi
from .running import run as run_command

RANKS = 2
HANGS_S = 60.0  # a library that is not through by then is taken to hang
NOT_IN_LIBRARY = "–"
FORTRAN = {"mpif.h": "-DMPIF_H", "use mpi": "-DUSE_MPI", "use mpi_f08": "-DUSE_MPI_F08"}


class LibraryFails(Exception):
    """The program does not run with this library on this machine, recorded or not."""


@dataclass(frozen=True)
class Bench:
    """State that the checks of one library share."""

    library: Library
    builder: Builder
    recorder: Path
    directory: Path

    def record(self, name: str, program: list[str | Path], *, ranks: int = RANKS) -> Path:
        """Runs a program without us and recorded; it prints the same, and no rank loses anything. Returns the run."""
        plain = self.run(name, program, ranks=ranks)
        run = self.directory / name / "run"
        recorded = self._run(name, program, ranks=ranks, recorder=self.recorder, run_directory=run)
        assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
        return run

    def run(self, name: str, program: list[str | Path], *, ranks: int) -> Outcome:
        """Without us. Raises LibraryFails where the program fails."""
        plain = self._run(name, program, ranks=ranks)
        if plain.returncode != 0:
            raise LibraryFails(_last_words(plain))
        return plain

    def _run(self, name: str, program: list[str | Path], *, ranks: int, **more: Path) -> Outcome:
        cwd = self.directory / name
        cwd.mkdir(exist_ok=True)
        try:
            limit_s = RUN_TIMEOUT_S if "recorder" in more else HANGS_S
            return run_mpi(self.library, ranks, program, cwd=cwd, timeout_s=limit_s, **more)  # type: ignore[arg-type]
        except AssertionError as error:
            if "recorder" in more:
                raise
            raise LibraryFails(str(error).splitlines()[0]) from None


def _last_words(outcome: Outcome) -> str:
    lines = [line.strip() for line in (outcome.stderr + outcome.stdout).splitlines() if line.strip(" =")]
    return lines[0] if lines else f"exit code {outcome.returncode}"


def _assert_no_losses(run: Path) -> None:
    for process in open_processes(run).values():
        assert losses_of(process) == []


def _assert_totals(run: Path, expected: Mapping[str, tuple[int, int, int, int]]) -> None:
    found = {
        entry["function"]: (entry["calls"], entry["messages"], entry["bytes"], entry["bytes_received"])
        for entry in report_of(run)["functions"]
        if not entry["local"]
    }
    wrong = {name: (found.get(name), expected.get(name)) for name in {*found, *expected}
             if found.get(name) != expected.get(name)}  # fmt: skip
    assert not wrong, f"recorded, expected: {wrong}"


def counts(bench: Bench) -> str:
    """Every function's calls are what the table of the program says."""
    program = bench.builder.c(bench.library, "traffic.c")
    run = bench.record("traffic", [program, "1", bench.directory])
    for rank, counted in calls_by_rank(run).items():
        assert counted == traffic_table.calls(rank)
    _assert_no_losses(run)
    return "exact"


def order(bench: Bench) -> str:
    """The structure, expanded, is the plain log of the calls that the next tool in the chain wrote."""
    directory = bench.directory / "logged"
    directory.mkdir()
    tool = bench.builder.tool(bench.library, "plainlog.c")
    program: list[str | Path] = [bench.builder.c(bench.library, "traffic.c"), "1", bench.directory]
    try:
        bench.run("logged", program, ranks=RANKS)
    except LibraryFails:  # Intel's of 2018 can't do MPI_Bsend_init
        program = [bench.builder.c(bench.library, "random_program.c"), "5", "mixed", "100"]
    outcome = run_mpi(
        bench.library,
        RANKS,
        program,
        cwd=directory,
        recorder=bench.recorder,
        run_directory=directory / "run",
        preload=[tool],
        environment={"PLAINLOG_DIR": str(directory)},
    )
    assert outcome.returncode == 0, outcome.stderr
    for rank, process in open_processes(directory / "run").items():
        log = directory / f"{rank}.log"
        calls = read_log(log)
        assert first_difference(calls, list(Recorded(process))) == "", f"rank {rank}"
        assert failed_polls_of(process) == failed_polls(calls), f"rank {rank}"
    return "exact"


def features(bench: Bench) -> str:
    """Received bytes, one-sided, between groups, neighbours, in place, derived types, cancelled, persistent."""
    program = bench.builder.c(bench.library, "features.c")
    if "rank 0: done" not in bench.run("features", [program], ranks=RANKS).lines:
        raise LibraryFails("ends early, with code 0")
    run = bench.record("features", [program])
    _assert_totals(run, features_table.FEATURES)
    _assert_no_losses(run)
    return "exact"


def fortran(bench: Bench) -> str:
    """Every function's calls, in the bindings that the library has for gfortran."""
    if bench.library.mpifort is None:
        return NOT_IN_LIBRARY
    found = []
    for binding, flag in FORTRAN.items():
        try:
            program = bench.builder.fortran(bench.library, "traffic.F90", flag)
        except AssertionError as error:
            if "module" in str(error) and binding != "mpif.h":  # no module file, or another compiler's
                continue
            raise
        run = bench.record(binding.replace(" ", "-"), [program, "1", bench.directory])
        for rank, counted in calls_by_rank(run).items():
            assert counted == traffic_table.calls(rank), binding
        found.append(binding)
    return "exact" if len(found) == len(FORTRAN) else f"exact: {', '.join(found)}"


def large_counts(bench: Bench) -> str:
    """Counts beyond 2^31 of the functions that end in _c."""
    if not has_function(bench.library, "MPI_Send_c"):
        return NOT_IN_LIBRARY
    run = bench.record("large", [bench.builder.c(bench.library, "large.c")])
    _assert_totals(run, features_table.LARGE)
    for process in open_processes(run).values():
        names = [function.name for function in process.functions]
        sent = {names[process.sites(0)[t.key.site].function]: t.key.count for t in process.tallies(0)}
        assert sent["MPI_Send"] == sent["MPI_Sendrecv"] == sent["MPI_Bcast"] == features_table.MANY
    return "exact"


def sessions(bench: Bench) -> str:
    """A program that never calls MPI_Init: its ranks, its calls and their bytes."""
    if not has_function(bench.library, "MPI_Session_init"):
        return NOT_IN_LIBRARY
    run = bench.record("sessions", [bench.builder.c(bench.library, "sessions.c")])
    _assert_totals(run, features_table.SESSIONS)
    report = report_of(run)
    assert (report["ranks"], report["complete"], report["losses"]) == (RANKS, True, [])
    return "exact"


def partitioned(bench: Bench) -> str:
    """Partitioned messages, persistent collectives and MPI_Isendrecv."""
    if not (has_function(bench.library, "MPI_Psend_init") and has_function(bench.library, "MPI_Isendrecv")):
        return NOT_IN_LIBRARY
    from .test_mpi4 import EXCHANGES, ONCE, PARTITIONED, PERSISTENT_COLLECTIVES

    run = bench.record("mpi4", [bench.builder.c(bench.library, "mpi4.c"), "1"])
    expected = {**ONCE}
    for section in (PERSISTENT_COLLECTIVES, PARTITIONED, EXCHANGES):
        for name, calls in section.items():
            expected[name] = expected.get(name, 0) + calls
    named = {f"MPI_{name}": calls for name, calls in expected.items()}
    assert calls_by_rank(run) == dict.fromkeys(range(RANKS), named)
    _assert_no_losses(run)
    return "exact"


def spawned(bench: Bench) -> str:
    """A program that starts two more of itself: all three are recorded, the children as a world of their own."""
    program = bench.builder.c(bench.library, "spawned.c")
    plain = bench.run("spawned", [program], ranks=1)
    # Recorded by the command: its launcher's option is what reaches the children.
    run = bench.directory / "spawned" / "run"
    words = [sys.executable, "-m", "leadline", "record", "-q", "-o", str(run), "--"]
    recorded = run_command(
        [*words, *bench.library.launch(1, oversubscribe=True), str(program)],
        environment=quiet_environment(bench.library),
        cwd=run.parent,
    )
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    report = report_of(run)
    calls = {entry["function"]: entry["calls"] for entry in report["functions"]}
    assert (report["worlds"], report["ranks_recorded"]) == (2, 3)
    assert (calls["MPI_Comm_spawn"], calls["MPI_Send"], calls["MPI_Recv"]) == (1, 4, 4)
    return "exact"


def connected(bench: Bench) -> str:
    """MPI_Comm_accept and MPI_Comm_connect."""
    run = bench.record("connected", [bench.builder.c(bench.library, "connected.c")])
    calls = {entry["function"]: entry["calls"] for entry in report_of(run)["functions"]}
    assert (calls["MPI_Comm_accept"], calls["MPI_Comm_connect"], calls["MPI_Sendrecv"]) == (1, 1, 2)
    return "exact"


CHECKS: dict[str, Callable[[Bench], str]] = {
    "counts": counts,
    "order": order,
    "bytes, one-sided, groups": features,
    "Fortran": fortran,
    "large counts": large_counts,
    "sessions": sessions,
    "partitioned": partitioned,
    "spawn": spawned,
    "connect": connected,
}
