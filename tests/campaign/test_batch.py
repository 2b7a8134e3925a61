"""Campaigns whose runs are jobs, under a stand-in for PBS (pbs.py)."""

from __future__ import annotations

import json
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
from leadline.campaign.batch import files, system, waiting
from leadline.campaign.batch.system import SYSTEMS
from leadline.campaign.journal import Journal
from leadline.campaign.reading import read
from leadline.errors import MeasurementFailed, UsageError

from .pbs import Pbs

COMMAND = [sys.executable, "-m", "leadline", "campaign", "c.toml", "-o", "out"]


@pytest.fixture
def pbs(tmp_path: Path) -> Pbs:
    if "mpich" not in {library.name for library in mpi.available()}:
        pytest.skip("the MPI library mpich is not installed")
    return Pbs(tmp_path)


def written(folder: Path, batch: str, *, repeats: int = 2, ranks: str = "[1, 2]", argument: str = "") -> None:
    """A rank notes that it ran, and fails or waits as its argument says."""
    (folder / "app.sh").write_text(
        'echo "$ODD" >> ended\ncase $1 in fail) echo spoiled >&2; exit 3;; wait) sleep 0.3;; esac\necho took 1.5 s\n'
    )
    (folder / "c.toml").write_text(
        f"""
ranks = {ranks}
libraries = ["mpich"]
repeats = {repeats}
record = false
timeout = 30
time = 'took ([0-9.]+) s'
[[program]]
command = ["sh", "app.sh", "{argument}"]
[[setting]]
name = "odd"
environment = {{ ODD = "it's $HOME; `x`" }}
[batch]
system = "pbs"
{batch}
"""
    )


def campaign(pbs: Pbs, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words], cwd=folder, env=pbs.environment(), capture_output=True, text=True, timeout=200, check=False
    )


@pytest.mark.parametrize(("job", "n_jobs"), [("run", 4), ("ranks", 2)])
def test_runs_are_jobs_and_their_output_and_codes_come_back(pbs: Pbs, tmp_path: Path, job: str, n_jobs: int) -> None:
    written(tmp_path, f'job = "{job}"\noptions = "-q short -l select={{ranks}}:ncpus=1"')
    done = campaign(pbs, tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [(cell["ranks"], cell["n"], cell["median"]) for cell in found["cells"]] == [(1, 2, 1.5), (2, 2, 1.5)]
    assert len(pbs.jobs()) == n_jobs
    submits = [" ".join(words) for words in pbs.told("qsub")]
    assert all(f" -q short -l select={ranks}:ncpus=1 " in " ".join(submits) for ranks in (1, 2))
    assert pbs.told("qstat") == []
    assert (tmp_path / "ended").read_text().splitlines() == ["it's $HOME; `x`"] * 6
    assert pbs.running() == []


def test_a_run_that_fails_in_a_job_is_a_row_with_its_reason(pbs: Pbs, tmp_path: Path) -> None:
    written(tmp_path, "", ranks="[1]", repeats=1, argument="fail")
    done = campaign(pbs, tmp_path)
    assert done.returncode == 7, done.stderr
    (row,) = Journal(tmp_path / "out").rows.values()
    assert (row["exit_code"], row["last_lines"]) == (3, ["spoiled"])


def test_a_scheduler_that_takes_no_job_is_a_row_with_its_words(pbs: Pbs, tmp_path: Path) -> None:
    written(tmp_path, 'options = "-q full"', ranks="[1]", repeats=1)
    assert campaign(pbs, tmp_path).returncode == 7
    (row,) = Journal(tmp_path / "out").rows.values()
    assert "qsub took no job: qsub: would exceed queue's per-user limit" in row["last_lines"][0]


KILLS = 200 if tiers.everything() else 8 if tiers.reaches("ci") else 2


@pytest.mark.parametrize("job", ["run", "ranks"])
def test_a_campaign_killed_at_any_moment_goes_on_with_its_jobs(pbs: Pbs, tmp_path: Path, job: str) -> None:
    repeats = 3 + KILLS // 2
    written(tmp_path, f'job = "{job}"', ranks="[1]", repeats=repeats, argument="wait")
    chance = random.Random(KILLS)
    before: list[Any] = []
    for _ in range(KILLS):
        process = subprocess.Popen(
            COMMAND, cwd=tmp_path, env=pbs.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(chance.uniform(0.3, 3.0))
        process.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
        process.wait(60)
        rows = list(Journal(tmp_path / "out").rows.values()) if (tmp_path / "out").exists() else []
        assert rows[: len(before)] == before
        before = rows
    done = campaign(pbs, tmp_path, "--retry-failed")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "out" / "journal.jsonl").read_text().splitlines()]
    keys = [row["repeat"] for row in lines if row.get("ok")]
    assert sorted(keys) == list(range(repeats))
    assert pbs.running() == []


def test_the_scheduler_is_asked_once_in_a_while_however_many_campaigns_ask(tmp_path: Path) -> None:
    stamp = tmp_path / "cache" / "asked"
    assert [system.may_ask(stamp) for _ in range(5)] == [True, False, False, False, False]
    stamp.write_text(str(time.time() - system.QUERY_S - 1))
    assert system.may_ask(stamp)
    assert not system.may_ask(stamp)


def an_order(folder: Path) -> waiting.Order:
    return waiting.Order("pbs", str(folder), "g", "n", True, 60.0, str(folder / "stamp"), task={"limit_s": 1})


def test_a_job_that_the_scheduler_no_longer_has_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was ended by force in the middle of the run: it says nothing, and only the scheduler knows."""
    job = tmp_path / "g.1"
    job.mkdir()
    (job / files.ID).write_text("7.pbs")
    (job / f"n{files.TAKEN}").write_text("{}")
    monkeypatch.setattr(system, "QUERY_S", 0.1)
    monkeypatch.setattr(waiting, "SETTLING_S", 0.1)
    asked: list[str] = []
    monkeypatch.setattr(system.System, "is_over", lambda _, number: asked.append(number) or True)
    with pytest.raises(MeasurementFailed, match=r"7\.pbs ended in the middle"):
        waiting.waited(an_order(tmp_path))
    assert asked == ["7.pbs"]


def test_a_run_that_ended_while_nobody_waited_is_not_repeated(tmp_path: Path) -> None:
    (tmp_path / "g.1").mkdir()
    files.write(tmp_path / "g.1" / f"n{files.DONE}", {})
    waiting.waited(an_order(tmp_path))
    assert waiting.result(tmp_path, "g", "n") == tmp_path / "g.1" / f"n{files.DONE}"


QSTAT = """Job id            Name             User              Time Use S Queue
----------------  ---------------- ----------------  -------- - -----
1234.server       leadline         someone           00:00:00 {} workq
"""


@pytest.mark.parametrize(
    ("name", "code", "out", "err", "over"),
    [
        ("pbs", 0, QSTAT.format("R"), "", False),
        ("pbs", 0, QSTAT.format("Q"), "", False),
        ("pbs", 0, QSTAT.format("E"), "", False),
        ("pbs", 0, QSTAT.format("C"), "", True),
        ("pbs", 0, QSTAT.format("F"), "", True),
        ("pbs", 153, "", "qstat: Unknown Job Id 1234.server", True),
        ("pbs", 35, "", "qstat: 1234.server Job has finished, use -x or -H to obtain historical job information", True),
        ("pbs", 255, "", "Connection refused\nqstat: cannot connect to server (errno=15010)", False),
        ("slurm", 0, "RUNNING\n", "", False),
        ("slurm", 0, "COMPLETED\n", "", True),
        ("slurm", 0, "", "", True),
        ("slurm", 1, "", "slurm_load_jobs error: Invalid job id specified", True),
        ("slurm", 1, "", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)", False),
    ],
)
def test_what_the_scheduler_answers(
    monkeypatch: pytest.MonkeyPatch, name: str, code: int, out: str, err: str, *, over: bool
) -> None:
    """Also that it does not answer, which says nothing about the job."""
    monkeypatch.setattr(system, "_done", lambda words: subprocess.CompletedProcess(words, code, out, err))
    assert SYSTEMS[name].is_over("1234.server") == over


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('system = "lsf"', "one of pbs, slurm"),
        ('job = "run"', "no system"),
        ('system = "pbs"\njob = "node"', '"run" or "ranks"'),
        ('system = "pbs"\noptions = ["{hosts}"]', "options"),
        ('system = "pbs"\nqueue = "x"', "unknown key"),
    ],
)
def test_a_wrong_table_is_refused(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "t.toml").write_text(f'ranks = [1]\n[[program]]\ncommand = ["true"]\n[batch]\n{line}\n')
    with pytest.raises(UsageError, match=said):
        read(tmp_path / "t.toml")
