"""The summary: what a person reads first."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
from rich.console import Console

from leadline.findings.finding import Finding
from leadline.report import Report, summary, to_json
from leadline.text.format import percent

from .handmade import Calls, HandmadeSite, a_process

FINDING = Finding("waiting", "notice", "Ranks wait. " * 20, {}, {}, "waits", False, cost_s=2.0, help="Wait less. " * 10)


def lines_of(run: Any, width: int = 80) -> list[str]:
    out = io.StringIO()
    Report(run).print_summary(Console(file=out, width=width), "Tables: leadline report DIR --all")
    return out.getvalue().splitlines()


def test_summary_says_where_the_time_goes_and_how_efficient_it_was(strip_run: Any) -> None:
    lines = lines_of(strip_run)
    report = to_json(strip_run)
    assert lines[0].startswith("6.9 % of the time is MPI")
    bar = next(line for line in lines if line.startswith("Time "))
    assert bar.count("#") + bar.count("=") == 68
    text = "\n".join(lines)
    assert f"computation {100 * (1 - report['mpi_share']):.0f} %  = MPI {100 * report['mpi_share']:.1f} %" in text
    assert "shares exclude MPI_Init and MPI_Finalize (100 ms per rank)" in " ".join(text.split())
    assert "Efficiency  93 % parallel" in text
    assert lines[-1] == "Tables: leadline report DIR --all"


def test_the_parts_of_the_time_are_those_of_the_page(strip_run: Any) -> None:
    report = to_json(strip_run)
    text = "\n".join(lines_of(strip_run))
    shown = [part for part in report["time_parts"] if part["kind"] != "startup"]
    assert [part["kind"] for part in report["time_parts"]] == ["computation", "mpi", "startup"]
    for part in shown:
        assert f"{part['name']} {percent(part['share'])}" in text
    assert sum(part["share"] for part in shown) == pytest.approx(1)
    assert sum(part["time_s"] for part in report["time_parts"]) == pytest.approx(report["time_s"])


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(strip_run: Any, width: int) -> None:
    assert max(map(len, lines_of(strip_run, width))) <= width


def test_long_findings_are_left_out_before_there_are_too_many_lines(
    strip_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [replace(FINDING, text=f"{number}. {FINDING.text}") for number in range(5)]
    monkeypatch.setattr("leadline.report.report.findings_of", lambda content: many)
    lines = lines_of(strip_run)
    assert len(lines) <= summary.MOST_LINES
    text = "\n".join(lines)
    assert "0. Ranks wait." in text  # in the verdict
    assert "4. Ranks wait." not in text
    assert re.search(r"^Efficiency ", text, re.MULTILINE)
    assert "\n\n\n" not in text


def test_help_is_said_once(strip_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    two = [replace(FINDING, text=f"Finding {number}.", help="Wait less.") for number in range(3)]
    monkeypatch.setattr("leadline.report.report.findings_of", lambda content: two)
    text = "\n".join(lines_of(strip_run))
    assert text.count("Wait less.") == 1
    assert [f"Finding {number}." in text for number in range(3)] == [True] * 3


def test_time_in_mpi_file_functions_is_file_io_and_no_transfer(make_run: Any) -> None:
    """Of 10 s on each of four ranks: 2 s in MPI_File_write_all, 1 s in MPI_Allreduce, 0.4 s of which is waiting."""
    path = ["main ocean.cpp:5"]
    sites = [
        HandmadeSite("MPI_File_write_all", "file_io", path, {rank: Calls(4, 2e9) for rank in range(4)}),
        HandmadeSite("MPI_Allreduce", "coll", path, {rank: Calls(1, 1e9) for rank in range(4)}),
    ]
    run = make_run(sites, [a_process(rank, 4) for rank in range(4)], [])
    found = run.profile.wait_finder().find()
    found.found = True
    found.rows = [
        SimpleNamespace(kind="wait_at_n_to_n", site=1, process=rank, ns=4e8, error_ns=0.0, causes=[])
        for rank in range(4)
    ]
    run.profile.wait_finder = lambda: SimpleNamespace(add=lambda process, index: None, find=lambda: found)
    text = " ".join(" ".join(lines_of(run)).split())
    assert "# computation 70 % = waiting 4.0 % - transfer 6.0 % . files 20 %" in text
    assert text.startswith("30 % of the time is MPI, 20 % file I/O in MPI_File_*, 4.0 % waiting for other ranks.")


def test_the_findings_are_a_section_that_can_be_asked_for(strip_run: Any) -> None:
    report = Report(strip_run)
    out = io.StringIO()
    report.print_sections(Console(file=out, width=80), ["findings"], all_sites=True)
    text = " ".join(out.getvalue().split())
    assert text.startswith("Findings")
    for finding in report.findings:
        assert " ".join(finding.text.split()) in text


def test_a_run_without_findings_says_so(strip_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report(strip_run)
    monkeypatch.setattr(report, "findings", [])
    out = io.StringIO()
    report.print_sections(Console(file=out, width=80), ["Findings"])
    assert out.getvalue().strip() == "No findings beyond the verdict."
