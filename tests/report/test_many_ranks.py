"""Runs of many ranks, made of a recorded run of few: their report has each rank, and does not depend on how the traces
are read again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from recorder import running
from recorder.building import Builder
from recorder.libraries import find

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures import order, traces
from leadline.report import open_report

GROW = Path(__file__).parents[2] / "benchmarks" / "scale" / "grow.py"
FEW, MANY, PER_NODE = 5, 60, 8


@pytest.fixture(scope="module", params=["mpich", "openmpi"])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A chain of a few ranks, and of many."""
    library = find(request.param)
    recorder = running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("the MPI library and the recorder are needed: ./dev setup")
    folder = tmp_path_factory.mktemp("grown")
    program: list[str | Path] = [Builder().c(library, "steps.c"), "30", "chain"]
    running.run_mpi(library, FEW, program, cwd=folder, recorder=recorder, run_directory=folder / "few")
    words = [sys.executable, GROW, folder / "few", str(MANY), folder / "many", "--per-node", str(PER_NODE)]
    subprocess.run(words, check=True)
    return folder / "few", folder / "many"


def facts(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(open_report(path).data))
    return found


def counterpart(rank: int) -> int:
    return 0 if rank == 0 else FEW - 1 if rank == MANY - 1 else 1 + (rank - 1) % (FEW - 2)


def test_each_rank_is_there_with_its_calls_and_messages(runs: tuple[Path, Path]) -> None:
    few, many = map(facts, runs)
    assert (many["complete"], many["ranks_recorded"]) == (True, MANY)
    assert len({rank["host"] for rank in many["ranks_detail"]}) == -(-MANY // PER_NODE)
    recorded = {int(rank["rank"]): rank for rank in few["ranks_detail"]}
    for rank in many["ranks_detail"]:
        like = recorded[counterpart(int(rank["rank"]))]
        for figure in ("calls", "messages", "bytes", "bytes_received"):
            assert rank[figure] == like[figure], (rank["rank"], figure)
    distances = {abs(int(row["source"]) - int(row["target"])) for row in many["matrix"]}
    assert distances == {1}, "a chain: each rank talks to its neighbours"


def test_one_pass_over_the_traces_finds_what_three_find(
    runs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of runs whose traces, decoded, would take too much memory."""
    monkeypatch.setattr(traces, "MOST_DECODED_BYTES", 0)
    found = []
    for many in (MANY, MANY + 1):
        monkeypatch.setattr(order, "MANY_RANKS", many)
        found.append(facts(runs[1]))
    assert Counter(map(str, found[0])) == Counter(map(str, found[1]))
    assert found[0] == found[1]
