"""What the recorder sees when loaded after the shim: the messages of the schedules, for every algorithm."""

from pathlib import Path
from typing import Any

import pytest
from recorder.building import Builder
from recorder.libraries import Library, find
from recorder.reading import Recorded, core, open_processes
from recorder.running import run_mpi

from .tables import OPERATIONS, algorithms

FIRST = 1000  # elements, as in shim_messages.c
INT_BYTES = 4


def table() -> str:
    return "".join(
        algorithm.rule((FIRST + i) * INT_BYTES, (FIRST + i) * INT_BYTES)
        for operation in OPERATIONS
        for i, algorithm in enumerate(algorithms(operation))
    )


def expected(processes: int, rank: int, root: int) -> list[tuple[Any, ...]]:
    """The messages of the schedules, in the order of the program's calls."""
    events: list[tuple[Any, ...]] = []
    made = 0
    for operation in OPERATIONS:
        size = 1 if operation == "bcast" else INT_BYTES
        for i, algorithm in enumerate(algorithms(operation)):
            count = (FIRST + i) * INT_BYTES // size
            at = 0 if operation == "allreduce" else root
            segment, radix = algorithm.settings
            steps = core().collective_steps(operation, algorithm.name, processes, rank, at, count, size, segment, radix)
            if steps is None:
                continue
            numbers = {}
            last = {peer: place for place, (kind, peer, *_) in enumerate(steps) if kind == "send"}
            for place, (kind, peer, elements, request) in enumerate(steps):
                if kind in ("send", "receive"):
                    made += 1
                    numbers[request] = made
                    function = "MPI_Isend" if kind == "send" else "MPI_Irecv"
                    # A message says whether its sender has more for its receiver.
                    tag = "any" if kind == "receive" else 0 if last[peer] == place else 1
                    events.append((function, peer - rank, elements, size, tag))
                elif kind == "wait":
                    events.append(("MPI_Wait", made - numbers[request] + 1))
                elif kind == "native":
                    events.append(("native", operation, elements * size))
    return events


def recorded(process: Any) -> list[tuple[Any, ...]]:
    events: list[tuple[Any, ...]] = []
    calls = list(Recorded(process))
    # The communicator of the shim's own is what its messages go through.
    own = next(call["comm"] for call in calls if call["function"] == "MPI_Isend")
    for call in calls:
        function = call["function"]
        if function in ("MPI_Isend", "MPI_Irecv"):
            assert call["comm"] == own
            events.append((function, call["peer"], call["count"], call["size"], call["tag"]))
        elif function == "MPI_Wait":
            events.append((function, call["age"]))
        elif function in ("MPI_Bcast", "MPI_Reduce") and call["comm"] == own:
            events.append(("native", "bcast", max(call["gives"], call["gets"])))
    return events


@pytest.mark.parametrize(("name", "processes", "root"), [("mpich", 3, 1), ("openmpi", 5, 3), ("openmpi", 8, 0)])
def test_recorded_messages_are_those_of_the_schedules(
    name: str, processes: int, root: int, builder: Builder, shim: Path, recorder: Path, tmp_path: Path
) -> None:
    library = find(name) or find(f"debian-{name}")
    if library is None:
        pytest.skip(f"no MPI library of the family {name} is installed")
    (tmp_path / "table").write_text(table())
    numbers = [str(len(algorithms(operation))) for operation in OPERATIONS]
    run = tmp_path / "run"
    run.mkdir()
    outcome = run_mpi(
        library,
        processes,
        [builder.c(library, "shim_messages.c"), *numbers, str(root)],
        cwd=tmp_path,
        preload=[shim, recorder],
        environment={"LEADLINE_TABLE": str(tmp_path / "table"), "LEADLINE_DIR": str(run)},
    )
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert outcome.lines == [f"rank {rank}: 0 wrong" for rank in range(processes)]
    for rank, process in open_processes(run).items():
        assert recorded(process) == expected(processes, rank, root), f"rank {rank}"


def test_the_program_s_own_collectives_are_recorded_above_the_shim(
    one_of_each_family: Library, builder: Builder, shim: Path, recorder: Path, tmp_path: Path
) -> None:
    (tmp_path / "table").write_text(table())
    numbers = [len(algorithms(operation)) for operation in OPERATIONS]
    run, reports = tmp_path / "run", tmp_path / "reports"
    run.mkdir()
    reports.mkdir()
    outcome = run_mpi(
        one_of_each_family,
        2,
        [builder.c(one_of_each_family, "shim_messages.c"), *map(str, numbers), "0"],
        cwd=tmp_path,
        preload=[recorder, shim],
        environment={
            "LEADLINE_TABLE": str(tmp_path / "table"),
            "LEADLINE_DIR": str(run),
            "LEADLINE_SHIM_REPORT": str(reports),
        },
    )
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    for process in open_processes(run).values():
        counted = [call["function"] for call in Recorded(process)]
        assert [counted.count(f"MPI_{name}") for name in ("Bcast", "Reduce", "Allreduce")] == numbers
        assert not {"MPI_Isend", "MPI_Irecv", "MPI_Wait", "MPI_Comm_split"} & set(counted)
    from .tables import report, tuned_calls

    for rank in range(2):
        assert tuned_calls(report(reports, rank)[0]) >= sum(numbers) // 2
