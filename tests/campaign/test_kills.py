"""leadline campaign killed at random moments, itself or what it started: it resumes, and nothing is lost or doubled."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import tiers

from leadline import mpi
from leadline.campaign import leftovers
from leadline.campaign.journal import TOKEN, Journal
from leadline.runs.marked import marked


def installed(*names: str) -> None:
    if missing := set(names) - {library.name for library in mpi.available()}:
        pytest.skip(f"these MPI libraries are not installed: {', '.join(sorted(missing))}")


KILLS = 200 if tiers.everything() else 12 if tiers.reaches("ci") else 4


def test_a_campaign_killed_at_any_moment_resumes_without_losing_or_doubling(tmp_path: Path) -> None:
    """Each run that ends writes a line of its own: those in the journal are among them, and none is twice there."""
    installed("mpich")
    (tmp_path / "app.sh").write_text("sleep 0.05\necho $LEADLINE_CAMPAIGN >> ended\n")
    (tmp_path / "k.toml").write_text(
        f"""
ranks = [1]
libraries = ["mpich"]
repeats = {KILLS + 4}
record = false
[[program]]
command = ["sh", "app.sh"]
[[input]]
name = "a"
arguments = ["1"]
[[input]]
name = "b"
arguments = ["2"]
"""
    )
    command = [sys.executable, "-m", "leadline", "campaign", "k.toml", "-o", "out"]
    chance = random.Random(KILLS)
    before: list[Any] = []
    for _ in range(KILLS):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.2, 1.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        rows = list(Journal(tmp_path / "out").rows.values()) if (tmp_path / "out").exists() else []
        assert rows[: len(before)] == before
        before = rows
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    rows = list(Journal(tmp_path / "out").rows.values())
    assert rows[: len(before)] == before
    keys = [(row["cell"], row["repeat"]) for row in rows]
    assert len(keys) == len(set(keys)) == 2 * (KILLS + 4)
    lines = (tmp_path / "out" / "journal.jsonl").read_text().splitlines()
    assert sum("time_s" in json.loads(line) for line in lines) == len(keys)
    ended = (tmp_path / "ended").read_text().splitlines()
    assert len(keys) <= len(ended)
    token = (tmp_path / "out" / TOKEN).read_text().strip()
    assert set(ended) == {token}
    assert leftovers.end(token) == 0


def test_what_a_killed_campaign_left_running_is_ended(tmp_path: Path) -> None:
    token = "0123456789abcdef"
    process = subprocess.Popen(["sleep", "600"], env={**os.environ, leftovers.VARIABLE: token})
    other = subprocess.Popen(["sleep", "600"], env={**os.environ, leftovers.VARIABLE: token + "0"})
    try:
        assert leftovers.end(token) == 1
        assert process.wait(10) == -signal.SIGKILL
        assert other.poll() is None
    finally:
        for each in (process, other):
            each.kill()
            each.wait()


RANDOM_KILLS = 200 if tiers.everything() else 16 if tiers.reaches("ci") else 6
BOTH = ("mpich", "openmpi")
PROGRAM = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  usleep(200000);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


def test_whatever_is_killed_is_a_failed_run_or_resumed(tmp_path: Path) -> None:
    """Launchers, their daemons, ranks, the recorder and the campaign: each kill takes one of them by chance."""
    installed(*BOTH)
    (tmp_path / "app.c").write_text(PROGRAM)
    (tmp_path / "k.toml").write_text(
        f"""
ranks = [2]
libraries = ["mpich", "openmpi"]
repeats = {2 + RANDOM_KILLS // 4}
record = "alternate"
timeout = 60
[[program]]
command = ["./app"]
build = ["{{mpicc}}", "app.c", "-o", "app"]
"""
    )
    command = [sys.executable, "-m", "leadline", "campaign", "k.toml", "-o", "out"]
    chance = random.Random(RANDOM_KILLS)
    kills, before = 0, []
    while kills < RANDOM_KILLS:
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and kills < RANDOM_KILLS:
            time.sleep(chance.uniform(0.1, 0.6))
            token = token_in(tmp_path / "out")
            others = marked(leftovers.VARIABLE, token) if token else []
            own = chance.random() < 0.3 or not others
            kills += kill(process.pid if own else chance.choice(others))
        process.kill()
        process.wait()
        while marked(leftovers.VARIABLE, token_in(tmp_path / "out")):  # the guard ends them; no resuming is needed
            time.sleep(0.01)
        before = grown(before, tmp_path / "out")
        if process.returncode == 0 and kills < RANDOM_KILLS:
            break  # it was faster than the kills
    retried = [*command, "--retry-failed"]
    done = subprocess.run(retried, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    rows = list(Journal(tmp_path / "out").rows.values())
    assert len(rows) == 4 * (2 + RANDOM_KILLS // 4)
    assert all(row["ok"] for row in rows)
    for row in before:  # what succeeded before was not run again
        assert not row["ok"] or row in rows
    lines = [json_row for json_row in rows_of(tmp_path / "out") if json_row["ok"]]
    keys = [(row["cell"], row["repeat"], row["recorded"]) for row in lines]
    assert len(keys) == len(set(keys)) == len(rows)
    assert not marked(leftovers.VARIABLE, token_in(tmp_path / "out"))


def token_in(directory: Path) -> str:
    file = directory / TOKEN
    return file.read_text().strip() if file.exists() else ""


def kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def grown(before: list[Any], directory: Path) -> list[Any]:
    """All rows so far. None of those before was lost."""
    rows = list(Journal(directory).rows.values()) if directory.exists() else []
    assert rows[: len(before)] == before
    return rows


def rows_of(directory: Path) -> list[Any]:
    """A row for each line, also of runs that have several."""
    found = [json.loads(line) for line in (directory / "journal.jsonl").read_text().splitlines()]
    return [row for row in found if "cell" in row]
