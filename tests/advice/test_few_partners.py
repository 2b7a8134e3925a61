"""All-to-alls with data for few ranks, or on few ranks, and files that are opened again and again: found in what was
recorded, whatever it took, and made otherwise in the replay."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.libraries import find

from leadline import _core
from leadline.advice.kinds import keep_open, larger_io, smaller_communicator, sparse_exchange
from leadline.figures.content import Content
from leadline.figures.run import Run, open_run
from leadline.predict import Replays

from .suite import programs
from .suite.cases import CASES

STEPS = 20
BY_NAME = {case.name: case for case in CASES}


def recorded(name: str, ranks: int, directory: Path, steps: int = STEPS) -> Run:
    """Open MPI's ranks share cores without harm."""
    library, recorder = find("openmpi"), running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("Open MPI and the recorder are needed: ./dev setup")
    words = [str(programs.build(library, BY_NAME[name].program)), name, "0", str(steps)]
    programs.run(library, ranks, words, directory, recorder)
    return open_run(directory / "run")


def test_data_for_neighbours_is_a_sparse_exchange(tmp_path: Path) -> None:
    run = recorded("few_partners", 4, tmp_path)
    content = Content(run)
    (entry,) = (each for each in content.patterns if each.name == "sparse_alltoall")
    assert (entry.evidence["partners"], entry.evidence["most_partners"], entry.evidence["of_ranks"]) == (1.5, 2, 4)
    (candidate,) = sparse_exchange.candidates(content)
    assert candidate.sites[0].function == "MPI_Alltoallv"
    made = _core.ReplayTree(Replays(run).recorded).exchange_few([], list(candidate.change.members))
    calls, _, before, after = made
    assert (calls, before, after) == (4 * STEPS, 0, 4 * STEPS)
    assert smaller_communicator.candidates(content) == []


def test_ranks_without_data_are_left_out(tmp_path: Path) -> None:
    run = recorded("idle_in_exchange", 3, tmp_path)
    content = Content(run)
    (candidate,) = smaller_communicator.candidates(content)
    made = _core.ReplayTree(Replays(run).recorded).leave_out_idle([], list(candidate.change.members))
    assert made[:2] == (3 * STEPS, 2 * STEPS)
    assert sparse_exchange.candidates(content) == []  # three ranks are few anyway


def test_parts_for_all_ranks_are_neither(tmp_path: Path) -> None:
    content = Content(recorded("healthy_redistribution", 4, tmp_path))
    assert sparse_exchange.candidates(content) == []
    assert smaller_communicator.candidates(content) == []


def test_a_file_that_is_opened_in_each_step_is_kept_open(tmp_path: Path) -> None:
    content = Content(recorded("reopened_input", 2, tmp_path))
    (candidate,) = keep_open.candidates(content)
    assert {site.function for site in candidate.sites} == {"open", "close"}
    assert 0.004 < candidate.change.factor < 0.1  # one of 200 openings, and another call of open for the whole run


def test_small_transfers_that_open_a_file_each_are_one_proposal(tmp_path: Path) -> None:
    content = Content(recorded("opened_each_step", 2, tmp_path, 120))
    assert keep_open.candidates(content) == []
    (candidate,) = larger_io.candidates(content)
    assert {site.function for site in candidate.sites} == {"open", "write", "close"}
