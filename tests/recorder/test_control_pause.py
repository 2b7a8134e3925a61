"""Paused and resumed recording: recorded calls are exact, and calls that are not recorded are counted."""

import re
from pathlib import Path
from typing import Any

import pytest

from .building import Builder
from .libraries import Library
from .reading import losses_of, open_processes, report_of
from .running import run_mpi

SAID = re.compile(r"rank (\d+): calls (\d+) messages (\d+) sent (\d+) received (-?\d+) aside (\d+)")


def said(lines: list[str]) -> dict[int, tuple[int, ...]]:
    """The program's own account of what each rank's trace must hold."""
    found = {}
    for line in lines:
        match = SAID.fullmatch(line)
        assert match, lines
        rank, *numbers = map(int, match.groups())
        found[rank] = tuple(numbers)
    return found


def recorded_numbers(report: dict[str, Any]) -> dict[int, tuple[int, ...]]:
    aside = {entry["rank"]: entry["calls_not_recorded"] for entry in report["paused"] or []}
    local = dict.fromkeys(range(report["ranks"]), 0)
    for rank, process in open_processes(Path(report["run"])).items():
        local[rank] = sum(call.calls for thread in range(process.threads) for call in process.locals(thread))
    return {
        r["rank"]: (
            r["calls"] - local[r["rank"]],
            r["messages"],
            r["bytes"],
            r["bytes_received"],
            aside.get(r["rank"], 0),
        )
        for r in report["ranks_detail"]
    }


@pytest.mark.parametrize("who", ["all", "first"])
def test_what_is_recorded_around_pauses_is_exact(
    who: str, library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    program: list[str | Path] = [builder.c(library, "paused.c"), who, "3"]
    outcome = run_mpi(library, 2, program, cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    report = report_of(run)
    assert recorded_numbers(report) == said(outcome.lines)
    assert report["losses"] == []
    for process in open_processes(run).values():
        assert losses_of(process) == []
    paused = {entry["rank"]: entry for entry in report["paused"]}
    assert sorted(paused) == ([0, 1] if who == "all" else [0])
    for entry in paused.values():
        assert entry["times"] == len(entry["intervals"]) == 3
        lengths = [interval["to_s"] - interval["from_s"] for interval in entry["intervals"]]
        assert sum(lengths) == pytest.approx(entry["seconds"], abs=1e-7)
        assert 0 < entry["seconds"] < report["duration_s"]


def test_communicators_made_while_paused_are_the_same_on_all_ranks(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    program: list[str | Path] = [builder.c(one_of_each_family, "paused.c"), "first", "1"]
    assert run_mpi(one_of_each_family, 2, program, cwd=tmp_path, recorder=recorder, run_directory=run).returncode == 0
    processes = open_processes(run)
    of = [{c.identity for c in processes[rank].communicators[1:] if c.size == 2} for rank in (0, 1)]
    assert of[0] == of[1]


def test_a_recording_that_starts_paused_begins_with_the_first_resume(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    program: list[str | Path] = [builder.c(one_of_each_family, "paused.c"), "first", "1"]
    outcome = run_mpi(
        one_of_each_family,
        2,
        program,
        cwd=tmp_path,
        recorder=recorder,
        run_directory=run,
        environment={"LEADLINE_START_PAUSED": "1"},
    )
    assert outcome.returncode == 0, outcome.stderr
    report = report_of(run)
    assert (report["losses"], report["complete"]) == ([], True)
    paused = {entry["rank"]: entry for entry in report["paused"]}
    assert paused[0]["intervals"][0]["from_s"] == 0
    assert (paused[0]["times"], paused[1]["times"]) == (1, 1)
    assert paused[1]["intervals"][0]["to_s"] is None  # rank 1 never resumes
    calls = {rank: numbers[0] for rank, numbers in recorded_numbers(report).items()}
    assert calls[1] == 2  # MPI_Init and MPI_Finalize
    total = {rank: numbers[0] + numbers[4] for rank, numbers in recorded_numbers(report).items()}
    assert total == {rank: numbers[0] + numbers[4] for rank, numbers in said(outcome.lines).items()}
