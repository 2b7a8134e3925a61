"""Guidelines: a library is not slower than its own parts, or than for more data."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi
from leadline.bench import measure
from leadline.bench.guidelines import more_ranks, violations
from leadline.bench.output import guidelines_said
from leadline.operations import operations


def row(
    algorithm: str, n_bytes: int, low: float, high: float, ratio: tuple[float, float, float] | None
) -> dict[str, Any]:
    keys = ("median", "low", "high")
    return {
        "operation": "allreduce",
        "algorithm": algorithm,
        "bytes": n_bytes,
        "processes": 4,
        "median_us": (low + high) / 2,
        "low_us": low,
        "high_us": high,
        "ratio_to_native": None if ratio is None else dict(zip(keys, ratio, strict=True)),
    }


ROWS = [
    row("native", 8, 9, 11, (1, 1, 1)),
    row("reduce+bcast", 8, 9, 11, (1.01, 0.9, 1.1)),  # not clear of 1
    row("native", 64, 30, 50, (1, 1, 1)),
    row("native", 512, 19, 21, (1, 1, 1)),
    row("reduce+bcast", 512, 9, 11, (2, 1.5, 2.5)),
    row("ring", 512, 4, 6, (4, 3, 5)),  # an algorithm of ours is no part of the library
]


def test_parts_and_more_data_that_take_less_are_named() -> None:
    same = {"operation": "allreduce", "processes": 4}
    assert violations(ROWS) == [
        {**same, "bytes": 512, "guideline": "parts", "by": "reduce+bcast", "factor": 2, "low": 1.5, "high": 2.5},
        {
            **same,
            "bytes": 64,
            "guideline": "more data",
            "by": "512 bytes",
            "factor": 2,
            "low": 30 / 21,
            "high": 50 / 19,
        },
    ]
    assert guidelines_said(ROWS) == [
        "Guideline broken: allreduce of 512 bytes: reduce+bcast does the same in less time: 2.00× (1.5–2.5)",
        "Guideline broken: allreduce of 64 bytes: 512 bytes take less: 2.00× (1.43–2.63)",
    ]


def test_pieces_that_take_less_are_named() -> None:
    rows = [row("native", 0, 0.1, 0.1, None), row("native", 64, 9, 11, None), row("native", 200, 100, 140, None)]
    (found,) = violations(rows)  # 200 bytes are four times 64 at most, and 0 bytes are a piece of nothing
    assert (found["guideline"], found["by"], found["bytes"]) == ("pieces", "4 × 64 bytes", 200)
    assert (found["factor"], found["low"], found["high"]) == (3, 100 / 44, 140 / 36)
    assert violations([row("native", 64, 9, 11, None), row("native", 200, 43, 140, None)]) == []  # 44 is not less


def test_more_ranks_that_take_less_are_named() -> None:
    more = [{**row("native", n_bytes, 4, high, None), "processes": 5} for n_bytes, high in ((8, 6), (64, 10.5))]
    (found,) = violations([row("native", 8, 9, 11, None), row("native", 64, 10, 12, None)], more)
    assert (found["guideline"], found["by"], found["bytes"]) == ("more ranks", "5 ranks", 8)
    assert (found["factor"], found["low"], found["high"]) == (2, 9 / 6, 11 / 4)


def test_more_ranks_are_compared_only_where_they_say_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2, 3})
    assert more_ranks("bcast", 3, None) == (4, "")
    assert more_ranks("bcast", 4, None) == (0, "not compared with 5 ranks: there are 4 cores")
    assert more_ranks("bcast", 5, None) == (6, "")  # cores are shared in both
    assert more_ranks("bcast", 4, ["srun", "-n", "{ranks}"]) == (5, "")
    assert more_ranks("bcast", 3, ["srun", "-n", "3"]) == (0, "not compared with 4 ranks: --launcher has no {ranks}")
    assert more_ranks("neighbor_alltoall", 3, None) == (0, "not compared with 4 ranks: their grid would be another")


def test_nothing_is_said_of_what_was_not_measured() -> None:
    assert guidelines_said(ROWS[:2]) == ["Guidelines: nothing clearly beats the library's own operation"]
    assert guidelines_said([{**row("native", 8, 1, 1, None), "median_us": None, "low_us": None}]) == []


def bench(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "leadline", "bench", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=280, check=False)


WITH_PARTS = [name for name, operation in operations().items() if operation.parts]


@pytest.mark.parametrize(
    ("name", "ranks", "operation"),
    [*(("mpich", 2, one) for one in WITH_PARTS), *(("openmpi", 3, one) for one in WITH_PARTS)],
)
@pytest.mark.ci("openmpi")
def test_parts_give_what_the_operation_gives(name: str, ranks: int, operation: str, tmp_path: Path) -> None:
    if not any(library.name == name for library in mpi.available()):
        pytest.skip(f"the MPI library {name} is not installed")
    words = (operation, "-n", str(ranks), "--mpi", name, "--root", str(ranks - 1), "--guidelines", "--json")
    quick = ("--launches", "1", "--rounds", "3", "--seconds", "0.1")
    sizes = ("--sizes", "48,20000") if operations()[operation].has_data else ()  # 2500 doubles: not in three parts
    done = bench(*words, *quick, *sizes, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert {row["algorithm"] for row in document["rows"]} == {"native", *operations()[operation].parts}
    for found in document["rows"]:
        shares = found["algorithm"] in {
            "scatter+allgather",
            "reduce_scatter_block+gather",
            "reduce_scatter_block+allgather",
        }  # in equal shares; reduce_scatter and its like take any
        applies = not (shares and found["bytes"] == 20000 and ranks == 3)
        assert found["correct"] is (True if applies else None), found
    assert isinstance(document["violations"], list)


def test_a_rank_more_is_measured_in_turn(tmp_path: Path) -> None:
    found = measure("bcast", algorithms=["parts"], sizes=[8], ranks=1, launches=2, rounds=3, seconds=0.1, more_ranks=2)
    assert found.on_more_ranks is not None
    assert [len(each.launches) for each in (found, found.on_more_ranks)] == [2, 2]
    assert [(row["algorithm"], row["processes"], row["correct"]) for row in found.on_more_ranks.rows] == [
        ("native", 2, True)
    ]
    assert {launch.ranks for launch in found.on_more_ranks.launches} == {2}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("p2p", "--guidelines"), "needs a collective"),
        (("bcast", "--guidelines", "--algorithms", "chain"), "--algorithms"),
    ],
)
def test_what_has_no_guidelines_is_refused(words: tuple[str, ...], why: str, tmp_path: Path) -> None:
    done = bench(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert why in done.stderr
