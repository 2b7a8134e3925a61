"""A program that makes and frees communicators, datatypes, requests, windows and files for ever: the recorder's memory
does not grow with them."""

from pathlib import Path

import pytest

from .building import Builder
from .libraries import Library
from .reading import report_of
from .running import run_mpi

RANKS = 2
ROUNDS = 3000


@pytest.mark.full
def test_live_memory_does_not_grow_with_what_was_freed(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program: list[str | Path] = [builder.c(one_of_each_family, "soak.c"), str(ROUNDS)]
    said = run_mpi(one_of_each_family, RANKS, program, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    rows = [[float(word) for word in line.split()] for line in said.stdout.splitlines() if len(line.split()) == 5]
    for rank in range(RANKS):
        live_kb = [row[4] for row in rows if row[0] == rank]
        assert len(live_kb) == 10
        assert live_kb[0] > 0
        assert live_kb[-1] <= 1.5 * live_kb[4], live_kb
    report = report_of(tmp_path / "run")
    assert (report["complete"], report["losses"]) == (True, [])
