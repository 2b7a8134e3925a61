"""One-sided communication: operations, their bytes either way, targets and sizes, kept apart from messages."""

import io
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console

from leadline.figures.run import open_run
from leadline.report import Report

from .building import Builder
from .libraries import Library, has_large_counts
from .reading import losses_of, open_processes, report_of
from .running import run_mpi

RANKS = 3
DOUBLE = 8

# Of one rank at its right neighbour: operations, elements put, elements got. On nobody, or failed, is none.
AT_RIGHT = {
    "MPI_Put": (3, 10 + 0 + 13, 0),
    "MPI_Get": (1, 0, 3),
    "MPI_Accumulate": (1, 5, 0),
    "MPI_Rput": (1, 2, 0),
    "MPI_Rget": (1, 0, 4),
    "MPI_Raccumulate": (1, 6, 0),
    "MPI_Rget_accumulate": (1, 1, 1),
    "MPI_Get_accumulate": (2, 8, 8 + 8),
    "MPI_Fetch_and_op": (2, 1, 1 + 1),
    "MPI_Compare_and_swap": (1, 1, 1),
}
IN_LARGE_COUNTS = {"MPI_Put": (1, 17, 0), "MPI_Get": (1, 0, 19)}
# At the last rank, which is the first one of the reversed communicator.
AT_LAST = {"MPI_Put": (1, 11, 0)}
SIZES = [10, 3, 5, 0, 2, 4, 6, 1, 8, 8, 1, 1, 1, 11, 13]
SIZES_IN_LARGE_COUNTS = [17, 19]


def recorded(library: Library, builder: Builder, recorder: Path, directory: Path, mode: str) -> Path:
    large = ["-DLARGE_COUNTS"] if has_large_counts(library) else []
    program = builder.c(library, "one_sided.c", *large)
    run = directory / "run"
    outcome = run_mpi(library, RANKS, [program, mode], cwd=directory, recorder=recorder, run_directory=run)
    assert outcome.lines == [f"rank {rank}: done" for rank in range(RANKS)], outcome.stderr
    return run


def figures(entry: dict[str, Any]) -> tuple[int, int, int]:
    return entry["one_sided_operations"], entry["bytes_put"] // DOUBLE, entry["bytes_got"] // DOUBLE


def total(*tables: dict[str, tuple[int, int, int]]) -> dict[str, tuple[int, int, int]]:
    sums: dict[str, tuple[int, int, int]] = {}
    for table in tables:
        for name, (operations, put, got) in table.items():
            before = sums.get(name, (0, 0, 0))
            sums[name] = (before[0] + operations, before[1] + put, before[2] + got)
    return sums


def over_all(table: dict[str, tuple[int, int, int]]) -> tuple[int, int, int]:
    columns = list(zip(*table.values(), strict=True))
    return sum(columns[0]), sum(columns[1]), sum(columns[2])


def test_operations_of_every_kind_are_counted(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    large = has_large_counts(one_of_each_family)
    run = recorded(one_of_each_family, builder, recorder, tmp_path, "all")
    report = report_of(run)
    at_right = total(AT_RIGHT, IN_LARGE_COUNTS) if large else AT_RIGHT
    each = total(at_right, AT_LAST)
    functions = {entry["function"]: entry for entry in report["functions"]}
    for name, (operations, put, got) in each.items():
        assert figures(functions[name]) == (RANKS * operations, RANKS * put, RANKS * got), name
        assert functions[name]["messages"] == 0
    # Each rank, and the whole run.
    own = over_all(each)
    for rank in report["ranks_detail"]:
        assert figures(rank) == own
    totals = report["totals"]
    assert figures(totals) == tuple(RANKS * number for number in own)
    assert (totals["puts"], totals["gets"]) == (RANKS * (each["MPI_Put"][0] + 1), RANKS * (each["MPI_Get"][0] + 1))
    assert totals["accumulates"] == RANKS * 8
    # From the origin to the target, in ranks of MPI_COMM_WORLD; the addresses for the dynamic window are messages.
    right, last = over_all(at_right), over_all(AT_LAST)
    expected: dict[tuple[int, int], tuple[int, int, int]] = {}
    for rank in range(RANKS):
        parts = {((rank + 1) % RANKS): right}
        parts[RANKS - 1] = over_all({"a": parts.get(RANKS - 1, (0, 0, 0)), "b": last})
        expected |= {(rank, target): numbers for target, numbers in parts.items()}
    pairs = {(entry["source"], entry["target"]): figures(entry) for entry in report["matrix"] if figures(entry)[0]}
    assert pairs == expected
    messages = {(entry["source"], entry["target"]): entry["bytes"] for entry in report["matrix"] if entry["messages"]}
    assert messages == {((rank + 1) % RANKS, rank): DOUBLE for rank in range(RANKS)}
    assert totals["messages"] == RANKS
    sizes = Counter([*SIZES, *(SIZES_IN_LARGE_COUNTS if large else [])])
    assert report["one_sided_sizes"] == [
        {"bytes": DOUBLE * size, "operations": RANKS * times} for size, times in sorted(sizes.items())
    ]
    assert report["sizes"] == [{"bytes": DOUBLE, "messages": RANKS}]
    assert any(entry["what"] == "loads and stores in shared-memory windows" for entry in report["not_recorded"])
    assert not report["losses"]
    assert not [loss for process in open_processes(run).values() for loss in losses_of(process)]


def test_a_program_of_gets_says_so(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    run = recorded(one_of_each_family, builder, recorder, tmp_path, "gets")
    report = report_of(run)
    assert "No messages" not in report["verdict"]
    assert "300 one-sided gets (28.8 kB) between 3 ranks; all from" in report["verdict"]
    assert report["verdict"].endswith(", 96 B each.")
    assert not any(entry["what"].startswith("loads and stores") for entry in report["not_recorded"])
    out = io.StringIO()
    Report(open_run(run)).print(Console(file=out, width=80))
    text = out.getvalue()
    assert "Communication matrix" not in text
    assert "Put matrix" not in text
    matrix = text.split("Get matrix")[1].splitlines()
    assert [line.split() for line in matrix[1:5]] == [
        ["by/from", "0", "1", "2"],
        ["0", "·", "9,600", "B", "·"],
        ["1", "·", "·", "9,600", "B"],
        ["2", "9,600", "B", "·", "·"],
    ]
    assert matrix[5] == "3 pairs of ranks; each rank gets from 1 partner"
    row = next(line for line in text.splitlines() if line.endswith("  MPI_Get") and "28.8 kB" in line)
    assert " 300 " in row
