"""docs/first-report.md, done as it says: its commands run, and what it shows that no time decides is what comes out."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "first-report.md").read_text()


def commands() -> list[str]:
    """Those about the page's program, in order."""
    lines = [line.strip() for line in PAGE.splitlines() if line.startswith("    leadline ")]
    return [line for line in lines if "mpiexec" not in line]


def block_after(heading: str, first_line_has: str) -> list[str]:
    """The lines of the sample whose first line has these words."""
    lines = PAGE[PAGE.index(heading) :].splitlines()
    begins = next(i for i, line in enumerate(lines) if line.startswith("    ") and first_line_has in line)
    ends = next(i for i, line in enumerate(lines) if i > begins and line and not line.startswith("    "))
    return [line.removeprefix("    ") for line in lines[begins:ends]]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """By command, what it prints."""
    folder = tmp_path_factory.mktemp("first_report")
    found = {}
    for command in commands():
        words = [sys.executable, "-m", "leadline", *shlex.split(command)[1:]]
        done = subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, "COLUMNS": "80"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        found[command] = done.stdout + done.stderr
    assert (folder / "soundings" / "report.html").stat().st_size > 100_000
    return found


def test_the_page_has_the_commands_of_its_steps(outputs: dict[str, str]) -> None:
    assert [command.split()[1] for command in outputs] == [
        "workload",
        "report",
        "timeline",
        "report",
        "workload",
        "compare",
    ]


def test_the_summary_has_the_counts_that_the_page_shows(outputs: dict[str, str]) -> None:
    sample = " ".join(block_after("## 2.", "% of the time is MPI"))
    summary = " ".join(outputs["leadline report soundings"].split())
    for exact in ("opatm --grid 96x48x24 --steps 12 · 2 ranks", "157,914 MPI calls", "39,780 messages (203 MB)"):
        assert exact in sample
        assert exact in summary
    for part in ("Main loop", " in run, 12 ×", "Efficiency", "load balance"):
        assert part in sample
        assert part in summary


def test_the_comparison_has_the_time_and_then_the_messages(outputs: dict[str, str]) -> None:
    sample = " ".join(block_after("## 5.", ": iteration "))
    compared = " ".join(outputs["leadline compare soundings packed"].split())
    # "8.8 % more time: iteration 252 ms → …", or "Iteration 272 ms → …" where the two hardly differ
    time, messages = "iteration ", "3,315 → 207 messages per iteration, summed over ranks, 5,100 B → 81.7 kB each"
    for text in (sample, compared):
        assert 0 <= text.lower().index(time) < text.index(messages)


def test_both_forms_have_the_same_checksum(outputs: dict[str, str]) -> None:
    sums = {text.split("checksum ")[1].split()[0] for text in outputs.values() if "checksum " in text}
    assert len(sums) == 1
