"""Unusual programs: groups of several sizes, ranks that are killed, more worlds than one, none."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorder import ignored_arguments
from recorder.building import PROGRAMS, Builder
from recorder.libraries import Library, has_large_counts, has_mpi4, quiet_environment
from recorder.reading import calls_by_rank
from recorder.running import run, run_mpi

from .tables import LARGEST, report
from .test_programs import Run, known

ALL = f"2 64 1 {LARGEST}"


def test_each_number_of_processes_takes_its_own_rule(builder: Builder, shim: Path, tmp_path: Path) -> None:
    library = known("openmpi")
    chosen = {2: ("chain", 0, 0), 3: ("knomial", 0, 3), 4: ("split_binary_tree", 512, 0)}
    table = "".join(f"bcast {n} {n} 1 {LARGEST} {name} {segment} {k}\n" for n, (name, segment, k) in chosen.items())
    run = Run(shim, tmp_path, table)
    outcome = run.start(library, 4, [builder.c(library, "shim_ways.c"), "groups"])
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.lines == [f"rank {rank}: 0 wrong" for rank in range(4)]
    for rank in range(4):
        done = {line.processes: (line.algorithm, line.calls) for line in report(run.reports, rank)[0]}
        assert done == {n: (name, 1) for n, (name, _, _) in chosen.items() if rank < n}, f"rank {rank}"


def test_a_killed_rank_ends_the_job_as_without_the_shim_and_is_told(
    builder: Builder, shim: Path, tmp_path: Path
) -> None:
    library = known("openmpi")
    program = [str(builder.c(library, "shim_ways.c")), "killed"]
    plain = run_mpi(library, 3, program, cwd=tmp_path)
    tuned = Run(shim, tmp_path, f"allreduce {ALL} recursive_doubling 0 0\n")
    outcome = tuned.start(library, 3, program)
    assert outcome.returncode == plain.returncode != 0
    # None came to MPI_Finalize: each says who it was, and no more.
    for rank in range(3):
        text = (tuned.reports / f"shim-{rank}").read_text()
        assert text.startswith(f"# leadline shim 1\n# rank {rank} of 3, openmpi\n")
        assert "# end" not in text
    table = tmp_path / "table.toml"
    rule = 'schema = 1\n[[rule]]\noperation = "allreduce"\nprocesses = [2, 4]\nbytes = [1, 1024]\n'
    table.write_text(f'{rule}algorithm = "recursive_doubling"\n')
    words = [sys.executable, "-m", "leadline", "apply", str(table), "--via", "shim", "--json", "--"]
    applied = run(
        [*words, *library.launch(3, oversubscribe=True), *program],
        environment=quiet_environment(library),
        cwd=tmp_path,
    )
    assert applied.returncode == plain.returncode
    told = json.loads(applied.stdout.splitlines()[-1])
    assert [rule["why"] for rule in told["not_applied"]] == [
        "3 of 3 ranks did not reach MPI_Finalize, so their calls are unknown"
    ]


def test_only_datatypes_with_gaps_are_packed_and_2_gib_are_left_to_the_library(
    one_of_each_family: Library, builder: Builder, shim: Path, recorder: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    tuned = Run(shim, tmp_path, f"bcast {ALL} linear 0 0\n")
    seen = tmp_path / "seen"
    seen.mkdir()
    # The recorder is beneath the shim: it sees what that asks of the library.
    outcome = run_mpi(
        library,
        2,
        [builder.c(library, "shim_ways.c"), "types"],
        cwd=tmp_path,
        preload=[shim, recorder],
        environment={
            "LEADLINE_TABLE": str(tuned.table),
            "LEADLINE_SHIM_REPORT": str(tuned.reports),
            "LEADLINE_DIR": str(seen),
        },
    )
    assert (outcome.returncode, outcome.lines) == (0, ["rank 0: 0 wrong", "rank 1: 0 wrong"]), outcome.stderr
    for rank in range(2):
        told = {(line.first, line.algorithm): (line.calls, line.why) for line in report(tuned.reports, rank)[0]}
        assert told == {
            (1024, "linear"): (1, ""),
            (2048, "linear"): (2, ""),
            (1 << 31, "native"): (1, "2 GiB or more"),
        }
    calls = calls_by_rank(seen)
    assert (calls[0]["MPI_Pack"], "MPI_Unpack" in calls[0]) == (1, False)
    assert (calls[1]["MPI_Unpack"], "MPI_Pack" in calls[1]) == (1, False)


@pytest.mark.parametrize(("name", "left"), [("mpich", 2), ("openmpi", 0)])
def test_arguments_that_are_ignored_are_not_looked_at(
    name: str, left: int, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    """left: calls of MPI_Reduce by a process that takes no part."""
    library = known(name)
    command = [ignored_arguments.build(builder, library, name), *sorted(ignored_arguments.LOOKED_AT[name])]
    plain = run_mpi(library, 3, command, cwd=tmp_path)
    tuned = Run(shim, tmp_path, f"bcast {ALL} linear 0 0\nreduce {ALL} linear 0 0\nallreduce {ALL} linear 0 0\n")
    outcome = tuned.start(library, 3, command)
    assert (outcome.returncode, outcome.lines) == (0, plain.lines), outcome.stderr
    assert tuned.tuned(3) == [4, 4, 4]  # MPI_Bcast and MPI_Reduce, twice
    between_groups = "intercommunicator"
    calls = [
        line.calls for line in report(tuned.reports, 1)[0] if (line.operation, line.why) == ("reduce", between_groups)
    ]
    assert sum(calls) == left


def test_error_handlers_stay_as_they_are(builder: Builder, shim: Path, tmp_path: Path) -> None:
    library = known("mpich")
    program = [builder.c(library, "shim_ways.c"), "errors"]
    tuned = Run(shim, tmp_path, f"allreduce {ALL} linear 0 0\n")
    for outcome in (run_mpi(library, 2, program, cwd=tmp_path), tuned.start(library, 2, program)):
        assert (outcome.returncode, outcome.lines) == (0, ["rank 0: 0 wrong", "rank 1: 0 wrong"]), outcome.stderr
    assert tuned.tuned(2) == [1, 1]


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A directory for variables that Open MPI hands to spawned ranks: all of them have 255 characters."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.parametrize("name", ["mpich", "openmpi", "debian-openmpi"])
def test_reports_of_spawned_worlds_stand_beside_one_another(
    name: str, builder: Builder, shim: Path, short_path: Path, tmp_path: Path
) -> None:
    library = known(name)
    tuned = Run(shim, short_path, f"bcast {ALL} linear 0 0\n")
    variables = {"LD_PRELOAD": shim, "LEADLINE_TABLE": tuned.table, "LEADLINE_SHIM_REPORT": tuned.reports}
    options = library.kind.launcher.given({name: str(value) for name, value in variables.items()})
    outcome = run(
        [*library.launch(1, oversubscribe=True), *options, str(builder.c(library, "spawned.c"))],
        environment=quiet_environment(library),
        cwd=tmp_path,
    )
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.lines == ["child 0 answered 20", "child 1 answered 22"]
    written = {path.name: path.read_text().splitlines() for path in tuned.reports.iterdir()}
    assert set(written) == {"shim-0", "shim-0-2", "shim-1"}
    assert {lines[1] for lines in written.values()} == {
        f"# rank 0 of 1, {library.family}",
        f"# rank 0 of 2, {library.family}",
        f"# rank 1 of 2, {library.family}",
    }
    assert {lines[-1] for lines in written.values()} == {"# end"}


def test_sessions_without_init_are_left_alone_and_that_is_told(
    one_of_each_family: Library, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    library = one_of_each_family
    if not has_mpi4(library):
        pytest.skip(f"{library.name} has no sessions")
    tuned = Run(shim, tmp_path, f"allreduce {ALL} recursive_doubling 0 0\n")
    outcome = tuned.start(library, 2, [builder.c(library, "sessions.c")])
    assert (outcome.returncode, outcome.lines) == (0, ["rank 0 of 2: 1", "rank 1 of 2: 1"])
    assert outcome.stderr == "leadline: collectives use the library default: the program did not call MPI_Init\n"
    for rank in range(2):
        lines, comments = report(tuned.reports, rank)
        assert (lines, comments[1].split(",")[0]) == ([], f"rank {rank} of 2")
        assert "problem the program did not call MPI_Init" in comments


def test_what_one_rank_does_in_a_session_before_init_is_not_the_others_business(
    builder: Builder, shim: Path, tmp_path: Path
) -> None:
    library = known("openmpi")  # MPICH 5.0 itself aborts in MPI_Init where only one rank has a session
    tuned = Run(shim, tmp_path, f"bcast {ALL} linear 0 0\n")
    outcome = tuned.start(library, 2, [builder.c(library, "shim_ways.c"), "session"])
    assert (outcome.returncode, outcome.lines) == (0, ["rank 0: 0 wrong", "rank 1: 0 wrong"]), outcome.stderr
    assert tuned.tuned(2) == [1, 1]


def names_seen(command: list[str], preload: Path | None, cwd: Path) -> dict[str, tuple[str, str]]:
    """By name: the file that a weak reference is bound to, and the one that dlsym finds; or "absent"."""
    environment = {} if preload is None else {"LD_PRELOAD": str(preload)}
    outcome = run(command, environment=environment, cwd=cwd)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    return {name: (bound, found) for name, bound, found in (line.split(" ") for line in outcome.lines)}


def test_a_program_sees_the_names_of_its_library_and_no_other(
    one_of_each_family: Library, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    program = [str(builder.c(one_of_each_family, "shim_names.c", "-Wl,--no-as-needed", "-ldl"))]
    plain, preloaded = names_seen(program, None, tmp_path), names_seen(program, shim, tmp_path)
    has_large = has_large_counts(one_of_each_family)
    for name, (bound, found) in plain.items():
        there = not name.endswith("_c") or (has_large and not re.search("Init|Finalize", name))
        assert (bound != "absent") == (found != "absent") == there, name
        ours = there and "Pack" not in name
        assert preloaded[name] == ((shim.name, shim.name) if ours else (bound, found)), name


def test_a_program_without_mpi_sees_no_name(shim: Path, tmp_path: Path) -> None:
    program = tmp_path / "names"
    subprocess.run(["cc", "-w", "-o", str(program), str(PROGRAMS / "shim_names.c"), "-ldl"], check=True)
    assert set(names_seen([str(program)], shim, tmp_path).values()) == {("absent", "absent")}
