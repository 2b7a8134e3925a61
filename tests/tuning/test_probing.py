"""Asking a library: the processes started for it, what remains of them, and unanswered questions."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leadline.launch.launcher import with_program
from leadline.libraries import mpich
from leadline.tuning import probing
from leadline.tuning.probing import Answer, Answers, Point, ProbeFailed, Subject, time_points

OUTER = """
import os, sys
from leadline.tuning.probing import _run
_run(sys.argv[1:], dict(os.environ), 250)
"""


def test_the_probe_does_not_outlive_the_command(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    script = "import os, sys, time; open(sys.argv[1], 'w').write(f'{os.getpid()}\\n'); time.sleep(250)"
    outer = subprocess.Popen(
        [sys.executable, "-c", OUTER, sys.executable, "-c", script, str(mark)], stderr=subprocess.DEVNULL
    )
    while not (mark.exists() and mark.read_text().endswith("\n")):
        time.sleep(0.05)
    outer.terminate()
    assert outer.wait() == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)


def test_every_program_of_a_job_is_replaced_and_what_is_in_front_of_it_stays() -> None:
    words = ["-n", "1", "/bin/true", "-n", "9", ":", "-n", "2", "env", "A=1", "/bin/false", "x"]
    replaced = ["-n", "1", "probe", "plan", ":", "-n", "2", "env", "A=1", "probe", "plan"]
    assert with_program(words, ["probe", "plan"]) == replaced


def test_points_that_were_not_timed_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    about = Subject(("app",), None, Path("libmpi.so"), mpich.LIBRARY, {})
    timed, other = Point("bcast", 8, 2), Point("bcast", 64, 2)
    found = Answers(size=2, points={timed: Answer(times_us=[1.0])})
    monkeypatch.setattr(probing, "_launch", lambda *_: found)
    assert time_points(about, {}, [timed]) == {timed: [1.0]}
    with pytest.raises(ProbeFailed, match="1 of 2 points"):
        time_points(about, {}, [timed, other])


def test_a_rank_that_sees_no_plan_ends_the_wait_for_the_others() -> None:
    """On a node that has another /tmp: it says so and leaves, and the others wait in MPI_Init."""
    blind = "echo 'leadline-probe: cannot read /x/plan on node7' >&2; exec sleep 3600"
    said, _ = probing._run(["sh", "-c", blind], dict(os.environ), 3000)
    assert said == ["leadline-probe: cannot read /x/plan on node7"]
