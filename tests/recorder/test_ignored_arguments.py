"""Arguments that MPI ignores may be anything: programs run as they would without us, and what counts is exact."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from . import ignored_arguments
from .building import Builder
from .libraries import Library, find
from .reading import Recorded, losses_of, open_processes
from .running import run_mpi

RANKS = 3
PASSES = 2  # with another kind of rubbish each
INT = 4
UNIT = 2 * INT  # bytes to or from one process


def figures(name: str, where: str, rank: int) -> tuple[int, int]:
    """Bytes that a rank contributes to a collective and receives from it.

    name: of the blocking form.   Between groups ranks 0 and 1 face rank 2, and rank 0 is the root; else rank 1 is.
    """
    root = rank == (0 if where == "between groups" else 1)
    idle = where == "between groups" and rank == 1
    leaf = where != "between groups" or rank == 2  # takes part by naming the root
    peers = RANKS if where != "between groups" else 1 if root else 2
    if idle:
        return 0, 0
    if name == "Bcast":
        return (UNIT, 0) if root else (0, UNIT)
    if name == "Reduce":
        return UNIT * leaf, UNIT * root
    if name in ("Gather", "Gatherv"):
        return UNIT * leaf, UNIT * peers * root
    if name in ("Scatter", "Scatterv"):
        return UNIT * peers * root, UNIT * leaf
    if name in ("Allgather", "Allgatherv"):
        return UNIT, UNIT * peers
    assert name in ("Alltoall", "Alltoallv", "Alltoallw"), name
    return UNIT * peers, UNIT * peers


def expected_calls(persistent: bool, left_out: set[str], rank: int) -> Iterator[tuple[str, object]]:
    for where, calls in ignored_arguments.calls_by_situation(persistent).items():
        for meaning in calls:
            name = f"MPI_{meaning.function.name}"
            if f"{name} {where}" in left_out:
                continue
            if where == "fetched":
                yield name, INT if name == "MPI_Fetch_and_op" else UNIT
            else:
                yield name, figures(ignored_arguments.name_of(meaning), where, rank)


def recorded_calls(process: object, names: set[str]) -> Iterator[tuple[str, object]]:
    recorded = Recorded(process)
    for call in recorded.process.calls(0):
        function = recorded.function_at(call.site)
        if function.name not in names:
            continue
        if function.cls in ("rma", "rma_request"):
            yield function.name, call.value
        else:
            (part,) = call.parts
            yield function.name, (part.out_bytes, part.in_bytes)


@pytest.mark.parametrize("name", sorted(ignored_arguments.LOOKED_AT))
def test_rubbish_in_ignored_arguments_changes_nothing(
    name: str, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = find(name)
    if library is None:
        pytest.skip(f"the MPI library {name} is not installed")
    persistent = ignored_arguments.has_persistent(name)
    program = ignored_arguments.build(builder, library, name)
    left_out = ignored_arguments.LOOKED_AT[name]
    command = [program, *sorted(left_out)]
    plain = run_mpi(library, RANKS, command, cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    calls = PASSES * len(list(expected_calls(persistent, left_out, 0)))
    assert [line.split(", check")[0] for line in plain.lines] == [f"rank {r}: {calls} calls" for r in range(RANKS)]
    run = tmp_path / "run"
    outcome = run_mpi(library, RANKS, command, cwd=tmp_path, recorder=recorder, run_directory=run)
    assert (outcome.returncode, outcome.lines) == (0, plain.lines), outcome.stderr
    names = {f"MPI_{meaning.function.name}" for meaning in ignored_arguments.meanings()}
    names -= {f"MPI_{by_hand}" for by_hand in ignored_arguments.BY_HAND}
    for rank, process in open_processes(run).items():
        expected = PASSES * list(expected_calls(persistent, left_out, rank))
        assert list(recorded_calls(process, names)) == expected, f"rank {rank}"
        assert losses_of(process) == []


def test_every_function_with_ignored_arguments_is_called() -> None:
    called = {m.function.name for calls in ignored_arguments.calls_by_situation(True).values() for m in calls}
    assert called | ignored_arguments.BY_HAND == {m.function.name for m in ignored_arguments.meanings()}
    assert not called & ignored_arguments.BY_HAND


FORTRAN_RANKS = 2
# On the root, rank 1, and on rank 0: two integers go to and from each process.
FORTRAN_FIGURES = {
    "MPI_Allgather": ((UNIT, 2 * UNIT), (UNIT, 2 * UNIT)),
    "MPI_Allgatherv": ((UNIT, 2 * UNIT), (UNIT, 2 * UNIT)),
    "MPI_Alltoall": ((2 * UNIT, 2 * UNIT), (2 * UNIT, 2 * UNIT)),
    "MPI_Alltoallv": ((2 * UNIT, 2 * UNIT), (2 * UNIT, 2 * UNIT)),
    "MPI_Alltoallw": ((2 * UNIT, 2 * UNIT), (2 * UNIT, 2 * UNIT)),
    "MPI_Gather": ((UNIT, 2 * UNIT), (UNIT, 0)),
    "MPI_Gatherv": ((UNIT, 2 * UNIT), (UNIT, 0)),
    "MPI_Scatter": ((2 * UNIT, UNIT), (0, UNIT)),
    "MPI_Scatterv": ((2 * UNIT, UNIT), (0, UNIT)),
    "MPI_Iallgather": ((UNIT, 2 * UNIT), (UNIT, 2 * UNIT)),
}


@pytest.mark.parametrize("binding", ["-DMPIF_H", "-DMPI_F08"])
def test_rubbish_from_fortran_changes_nothing(
    binding: str, fortran_library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.fortran(fortran_library, "ignored.F90", binding)
    plain = run_mpi(fortran_library, FORTRAN_RANKS, [program], cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    run = tmp_path / "run"
    outcome = run_mpi(fortran_library, FORTRAN_RANKS, [program], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert (outcome.returncode, outcome.lines) == (0, plain.lines), outcome.stderr
    for rank, process in open_processes(run).items():
        expected = [(name, at[0 if rank == 1 else 1]) for name, at in FORTRAN_FIGURES.items()]
        assert list(recorded_calls(process, set(FORTRAN_FIGURES))) == PASSES * expected, f"rank {rank}"


def test_rubbish_at_those_that_start_no_processes_changes_nothing(
    builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = find("mpich")
    if library is None:
        pytest.skip("the MPI library mpich is not installed")
    program = builder.c(library, "ignored_processes.c")
    plain = run_mpi(library, 2, [program], cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    outcome = run_mpi(library, 2, [program], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    assert (outcome.returncode, outcome.lines) == (0, plain.lines), outcome.stderr
