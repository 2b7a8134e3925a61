"""Ranks that arrive late: what is injected. No rank is there before its time; nothing else is asserted of times."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline.bench import measure
from leadline.bench.asking import Candidate
from leadline.bench.launching import Plan, Point
from leadline.cli.arrivals import late_ranks
from leadline.errors import UsageError
from leadline.mpi import Library

QUICK: dict[str, Any] = {"launches": 1, "rounds": 3, "seconds": 0.1}


def test_the_plan_has_patterns_before_the_candidates() -> None:
    plan = Plan((Point("bcast", 8, (Candidate("native"),), ((0, 12.5), (3, 0))),), start="barrier")
    lines = plan.text().splitlines()
    assert "start barrier" in lines
    assert lines[-4:] == ["point bcast 8", "arrival 0.000 12.500", "arrival 3.000 0.000", "candidate native 0 0"]


def test_late_ranks_are_read() -> None:
    assert late_ranks("1:500,3:20.5", 4) == [0, 500, 0, 20.5]


@pytest.mark.parametrize("text", ["4:1", "-1:1", "1", "1:x", "x:1", "1:-1", "1:nan", "", "1:1e9"])
def test_what_is_no_late_rank_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected a rank from 0 to 3"):
        late_ranks(text, 4)


@pytest.mark.parametrize("start", ["announced", "barrier"])
def test_a_late_rank_never_comes_before_its_time(start: str, a_library: Library) -> None:
    patterns = {8: [[0, 3000], [500, 4000]], 64: [[2000, 0]]}
    found = measure(
        "allreduce",
        algorithms=["ring"],
        sizes=[8, 64, 512],
        ranks=2,
        library=a_library,
        arrivals=patterns,
        start=start,
        **QUICK,
    )
    assert [row["correct"] for row in found.rows] == [True] * 6
    assert found.settings["start"] == start
    small, large = found.document()["arrivals"]
    assert [each["bytes"] for each in (small, large)] == [8, 64]
    assert [each["late_us"] for each in (small, large)] == [[[0, 3000], [500, 4000]], [[2000, 0]]]
    assert small["began_us"][1] >= 3000
    assert large["began_us"][0] >= 2000


@pytest.mark.parametrize("arrivals", [[[0, 1, 2]], [[0, -1]], {8: [[0]]}])
def test_patterns_of_other_ranks_are_refused(arrivals: Any, a_library: Library) -> None:
    with pytest.raises(UsageError, match="expected 2"):
        measure("bcast", sizes=[8], library=a_library, arrivals=arrivals, **QUICK)


def test_a_pattern_and_random_delays_are_refused(a_library: Library) -> None:
    with pytest.raises(UsageError, match="not both"):
        measure("bcast", sizes=[8], library=a_library, arrivals=[[0, 1]], skew_us=5, **QUICK)


def bench(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "leadline", "bench", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=280, check=False)


def test_the_command_takes_late_ranks(a_library: Library, tmp_path: Path) -> None:
    words = ("bcast", "--algorithms", "linear", "--sizes", "64", "--mpi", a_library.name, "--late", "1:2500")
    done = bench(*words, "--start", "barrier", "--launches", "1", "--rounds", "3", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["arrivals"]
    assert found["late_us"] == [[0, 2500]]
    assert found["began_us"][1] >= 2500


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bcast", "--late", "2:5"), "--late 2:5: expected a rank from 0 to 1"),
        (("bcast", "--late", "1:5", "--arrival", "run"), "not both"),
        (("bcast", "--late", "1:5", "--skew", "3"), "not both"),
        (("p2p", "--late", "1:5"), "need a collective"),
        (("bcast", "--arrival", "nowhere"), "nowhere"),
    ],
)
def test_wrong_usage_is_said(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = bench(*words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
