"""What was reported of other tools, and of Leadline itself: each situation with the value that is right."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Command
from rich.console import Console

from leadline.figures.run import open_run
from leadline.interchange import Selection, exporter
from leadline.report import Report

from .building import Builder
from .libraries import Library
from .reading import report_of
from .running import Outcome, run_mpi

Recorded = Callable[..., tuple[Outcome, Path]]


@pytest.fixture
def recorded(one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path) -> Recorded:
    def run(ranks: int, *words: str, source: str = "reported.c") -> tuple[Outcome, Path]:
        program = [builder.c(one_of_each_family, source, "-g"), *words]
        directory = tmp_path / "run"
        return (
            run_mpi(one_of_each_family, ranks, program, cwd=tmp_path, recorder=recorder, run_directory=directory),
            directory,
        )

    return run


def printed(run: Path, *, summary: bool = False) -> str:
    out = io.StringIO()
    console = Console(file=out, width=1000)
    report = Report(open_run(run))
    if summary:
        report.print_summary(console)
    else:
        report.print(console)
    return " ".join(out.getvalue().split())


def findings(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["id"]: finding for finding in report["findings"]}


def test_an_exit_without_mpi_finalize_is_not_said_to_go_to_it(recorded: Recorded) -> None:
    _, run = recorded(1, "exits")  # with more, the launcher may kill the others before they end
    report = report_of(run)
    assert report["totals"]["messages"] == 1
    assert {loss["code"] for loss in report["losses"]} == {"not-finalized"}
    text = printed(run)
    assert "from MPI_Init to its end" in text
    assert "MPI_Init to MPI_Finalize" not in text
    assert "between MPI_Init and MPI_Finalize is MPI" not in text


def test_an_error_within_mpi_finalize_is_named_once(recorded: Recorded, one_of_each_family: Library) -> None:
    if one_of_each_family.family != "mpich":
        pytest.skip("Open MPI takes no notice of messages that nobody received")
    outcome, run = recorded(2, "lost", source="counted.c")
    assert outcome.returncode != 0
    report = report_of(run)
    ended = findings(report)["ended-by-error"]
    assert (ended["evidence"]["function"], ended["in_verdict"]) == ("MPI_Finalize", True)
    assert " in MPI_Finalize" in report["verdict_sentences"][0]
    assert "incomplete" not in findings(report)
    text = printed(run)
    assert "MPI_Finalize was not reached" not in text
    assert "MPI_Finalize did not return" in text


def test_an_error_in_a_second_session_is_in_the_verdict(recorded: Recorded, one_of_each_family: Library) -> None:
    outcome, run = recorded(1, "sessions")
    if "no sessions" in outcome.stdout:
        pytest.skip(f"{one_of_each_family.name} has no sessions")
    assert outcome.returncode != 0
    report = report_of(run)
    assert findings(report)["ended-by-error"]["evidence"]["function"] == "MPI_Send"
    assert " in MPI_Send in sessions at programs/reported.c:" in report["verdict_sentences"][0]
    calls = {entry["function"]: entry["calls"] for entry in report["functions"]}
    assert calls["MPI_Session_init"] == 2
    assert report["totals"]["messages"] == 0
    assert not report["complete"]


def test_exports_leave_out_nothing_of_receives_from_nobody(recorded: Recorded, tmp_path: Path) -> None:
    outcome, run = recorded(2, "nobody")
    assert outcome.returncode == 0, outcome.stderr
    report = report_of(run)
    assert (report["totals"]["messages"], report["totals"]["message_bytes"]) == (4, 4 * 80)
    assert [rank["bytes_received"] for rank in report["ranks_detail"]] == [0, 4 * 80]
    found = open_run(run)
    for name in ("simgrid", "goal"):
        written = exporter(name)(Selection(found, tuple(found.order)), tmp_path / name)
        assert written.amounts["message"] == 4
        assert [note for note in written.notes if "omitted" in note] == [], name


def test_temporary_files_of_two_ranks_are_two_files(recorded: Recorded) -> None:
    outcome, run = recorded(2, "nameless")
    assert outcome.returncode == 0, outcome.stderr
    files = [file for file in report_of(run)["io"]["files"] if file["file"].endswith("(deleted)")]
    assert [(file["bytes_written"], file["ranks"]) for file in files] == [(6, 1), (6, 1)]


def test_refused_calls_are_in_the_summary(recorded: Recorded) -> None:
    _, run = recorded(2, "refused", source="counted.c")
    refused = findings(report_of(run))["refused-calls"]
    assert refused["evidence"]["calls"] == 8
    assert refused["text"] in printed(run, summary=True)


def test_messages_that_nobody_received_are_in_the_summary(recorded: Recorded, one_of_each_family: Library) -> None:
    if one_of_each_family.family == "mpich":
        pytest.skip("MPICH ends the program in MPI_Finalize")
    _, run = recorded(2, "lost", source="counted.c")
    lost = findings(report_of(run))["undelivered"]
    assert lost["evidence"]["never_received"] == 2
    assert lost["text"] in printed(run, summary=True)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def test_a_program_that_only_asks_is_not_said_to_have_reached_mpi_init(
    one_of_each_family: Library, builder: Builder, command: Command
) -> None:
    program = builder.c(one_of_each_family, "reported.c", "-g")
    ended = command("record", "--", program, "asks")
    assert ended.code == 3, ended.everything
    said = " ".join(ended.err.split())
    assert "no rank reached MPI_Init, so nothing was recorded" in said
    assert "MPI_Get_version" in said


@pytest.mark.parametrize("line", ["unset LD_PRELOAD; exec", "env -u LD_PRELOAD"])
def test_a_script_that_keeps_the_recorder_out_is_told_the_remedy(
    line: str, one_of_each_family: Library, builder: Builder, command: Command
) -> None:
    program = builder.c(one_of_each_family, "reported.c", "-g")
    script = command.directory / "wrapper"
    script.write_text(f"#!/bin/sh\n{line} {program}\n")
    script.chmod(0o755)
    ended = command("record", "--", "./wrapper")
    assert ended.code == 3, ended.everything
    said = " ".join(ended.err.split())
    assert f"wrapper starts its programs with {line.partition(';')[0]}, which" in said
    assert "leadline exec" in said  # in the script


def test_the_remedy_works(one_of_each_family: Library, builder: Builder, command: Command) -> None:
    program = builder.c(one_of_each_family, "reported.c", "-g")
    script = command.directory / "wrapper"
    script.write_text(f"#!/bin/sh\nunset LD_PRELOAD\nexec {sys.executable} -m leadline exec {program}\n")
    script.chmod(0o755)
    ended = command("record", "-o", "run", "--", "./wrapper", environ=dict(one_of_each_family.environ))
    assert ended.code == 0, ended.everything
    assert len([*(command.directory / "run").rglob("rank-*.trace")]) == 1
