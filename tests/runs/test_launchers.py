"""Ranks that hang, under the launchers of the MPI libraries: they do not outlive their launch."""

import time
from pathlib import Path

import pytest

from leadline.mpi import Library, available
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.outcome import Ending

from .processes import is_over

RANK = """
trap '' TERM INT HUP
echo $$ >> "$0"
while [ "$(wc -l < "$0")" -lt 2 ]; do sleep 0.05; done
echo ready
while :; do sleep 1; done
"""


@pytest.mark.parametrize("library", available(), ids=lambda library: library.name)
def test_ranks_that_ignore_signals_are_ended(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.runs.execute.TERMINATION_S", 1.0)
    pids = tmp_path / "pids"
    pids.touch()
    argv = (*library.launch(2, oversubscribe=True), "sh", "-c", RANK, str(pids))
    found = execute(Launch(library.name, argv, library.env(), merged=True, gives_up_on="ready"))
    assert found.ending in (Ending.GIVEN_UP, Ending.FAILED), found.explained
    ranks = [int(pid) for pid in pids.read_text().split()]
    assert len(ranks) == 2, found.output
    while not all(is_over(pid) for pid in ranks):
        time.sleep(0.01)
