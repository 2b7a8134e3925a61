"""The command with real ranks: few of them, few rounds. No time decides anything."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline.bench import measure
from leadline.mpi import Library

QUICK = ("--launches", "1", "--rounds", "3", "--seconds", "0.1")


def _bench(cwd: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "leadline", "bench", *words],
        cwd=cwd,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


def _rows(done: "subprocess.CompletedProcess[str]") -> dict[str, dict[str, Any]]:
    """By algorithm; of the only size."""
    return {row["algorithm"]: row for row in json.loads(done.stdout)["rows"]}


@pytest.mark.full
def test_a_broadcast_with_each_library(each_library: Library, tmp_path: Path) -> None:
    words = ("bcast", "--algorithms", "binomial", "--sizes", "10Ki", "--mpi", each_library.name)
    done = _bench(tmp_path, *words, *QUICK, "--json", "--csv", "samples.csv", "--plot", "plot.svg")
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert [(row["algorithm"], row["bytes"], row["correct"]) for row in document["rows"]] == [
        ("native", 10240, True),
        ("binomial", 10240, True),
    ]
    assert document["machine"]["hosts"] == 1
    assert document["network"]["alpha_us"] > 0
    assert all(row["bound_us"] > 0 for row in document["rows"])
    assert (tmp_path / "samples.csv").stat().st_size > 0
    assert "<svg" in (tmp_path / "plot.svg").read_text()


def test_an_algorithm_that_does_nothing_or_too_much_is_void(a_library: Library, tmp_path: Path) -> None:
    for operation in ("bcast", "reduce", "allreduce"):
        words = (operation, "--algorithms", "nothing,beyond", "--sizes", "800", "--mpi", a_library.name)
        done = _bench(tmp_path, *words, *QUICK, "--json")
        assert done.returncode == 7, done.stdout + done.stderr
        rows = _rows(done)
        assert rows["native"]["correct"] is True
        assert rows["nothing"]["correct"] is False
        assert (rows["nothing"]["median_us"], rows["nothing"]["ratio_to_native"]) == (None, None)
        assert rows["beyond"]["correct"] is False  # its results are right


def test_point_to_point_in_all_ways(a_library: Library) -> None:
    for operation, ways in (("p2p", 5), ("latency", 4)):
        found = measure(
            operation, sizes=None if operation == "latency" else [17], library=a_library, launches=1, rounds=3,
            seconds=0.1,
        )  # fmt: skip
        assert len(found.rows) == ways
        assert all(row["correct"] is True for row in found.rows)


def test_skewed_and_repeated_rounds_on_clocks_that_are_compared(a_library: Library) -> None:
    found = measure(
        "allreduce", algorithms=[], sizes=[0, 8], ranks=3, library=a_library, launches=1, rounds=10, seconds=0.5,
        skew_us=50, repeat=2, measured_clocks=True,
    )  # fmt: skip
    assert all(row["correct"] is True for row in found.rows)
    machine = found.document()["machine"]
    # One clock, compared with itself: what it is off lies within the error that is claimed.
    assert machine["clock_error_us"] > 0
    assert machine["clock_offset_us"] <= machine["clock_error_us"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name the operation to measure"),
        (("sort",), "unknown operation 'sort'"),
        (("p2p", "-n", "3"), "needs exactly 2 ranks"),
        (("bcast", "--sizes", "lots"), "expected a size in bytes"),
        (("allreduce", "--sizes", "9"), "is not a multiple of 8"),
        (("bcast", "--algorithms", "magic"), "no algorithm 'magic'"),
        (("bcast", "--root", "2"), "--root 2: expected 0 to 1"),
        (("bcast", "--plot", "plot.gif"), "FILE.svg, FILE.png, FILE.pdf or FILE.html"),
        (("bcast", "--parquet", "nowhere/samples"), "no such directory: nowhere"),
        (("bcast", "--csv", "."), "cannot write .: it is a directory"),
        (("bcast", "--full"), "--full needs --study"),
        (("--study", "cray"), "unknown study 'cray'"),
        (
            ("bcast", "--study", "intel-mpi", "-n", "4"),
            "sets operations and sizes itself; it does not take operation, --ranks",
        ),
    ],
    ids=str,
)
def test_wrong_usage_is_one_line_and_2(words: tuple[str, ...], said: str, a_library: Library, tmp_path: Path) -> None:
    done = _bench(tmp_path, *words, "--mpi", a_library.name, *QUICK)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_not_better_is_not_measured_again(a_library: Library) -> None:
    some: dict[str, Any] = {"sizes": [800], "library": a_library, "launches": 3, "rounds": 5, "seconds": 0.1}
    found = measure("bcast", algorithms=["nothing"], buffers="written", only_better=True, **some)
    assert len(found.launches) == 1
    assert [(row["algorithm"], row["correct"]) for row in found.rows] == [("native", True), ("nothing", False)]


def test_a_first_look_leaves_out_what_is_wrong_or_slower(a_library: Library) -> None:
    some: dict[str, Any] = {"library": a_library, "launches": 2, "rounds": 5, "seconds": 0.1, "screening": 5}
    assert len(measure("bcast", algorithms=["nothing"], sizes=[800], **some).launches) == 1  # nothing else was left
    found = measure("bcast", algorithms=["nothing", "linear", "chain"], sizes=[800, 65536], **some)
    assert [row["correct"] for row in found.rows if row["algorithm"] == "nothing"] == [False, False]
    # No medians: on a busy machine a round may be late, and all of them.
    assert all(row["samples"] + row["late"] > 0 for row in found.rows if row["algorithm"] != "nothing")
