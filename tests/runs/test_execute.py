"""The end of one launch, whatever it is, and that nothing of it is left. No test waits for a time to decide it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import MeasurementFailed
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.outcome import Ending, Outcome, seconds, signal_named

from .processes import is_over


def sh(script: str, *words: str, **more: object) -> Outcome:
    return execute(Launch("a test", ("sh", "-c", script, *words), **more))  # type: ignore[arg-type]


def test_success() -> None:
    found = sh("echo out; echo err >&2; pwd")
    assert (found.ok, found.ending, found.exit_code, found.signal, found.reason) == (True, Ending.DONE, 0, None, "")
    assert found.output == f"out\n{os.getcwd()}\n"
    assert found.errors == "err\n"
    assert found.wall_s > 0
    assert found.begin_unix_ns > 0
    assert found.required() is found
    assert found.lines() == ["out", os.getcwd(), "err"]


def test_folder_environment_and_streams(tmp_path: Path) -> None:
    found = sh('echo "$A"; pwd; echo "$HOME" >&2; cat', cwd=tmp_path, env={"A": "b"}, merged=True)
    assert found.output.splitlines() == ["b", str(tmp_path), ""]
    assert found.errors == ""


def test_a_failure_is_a_row_with_its_reason_and_the_last_lines_of_standard_error() -> None:
    found = sh("echo out; for i in 1 2 3 4 5 6; do echo line $i >&2; done; exit 3")
    assert (found.ok, found.ending, found.exit_code, found.signal) == (False, Ending.FAILED, 3, None)
    row = found.row()
    assert (row["ending"], row["reason"], row["exit_code"], row["signal"]) == ("failed", "exit code 3", 3, None)
    assert row["last_lines"] == ["line 3", "line 4", "line 5", "line 6"]
    with pytest.raises(MeasurementFailed, match=r"a test: exit code 3: line 3 \| line 4"):
        found.required()


def test_what_only_standard_output_says_is_the_last_that_was_said() -> None:
    assert sh("echo oh; exit 1").explained == "exit code 1: oh"
    assert sh("exit 1").explained == "exit code 1: (no output)"


def test_a_signal_that_killed_it_is_named() -> None:
    found = sh("kill -SEGV $$")
    assert (found.ending, found.exit_code, found.signal) == (Ending.KILLED, None, "SIGSEGV")
    assert found.reason == "killed by SIGSEGV"


def test_a_signal_that_a_launcher_tells_by_its_exit_code_is_named() -> None:
    found = sh("exit 139")
    assert (found.ending, found.exit_code, found.signal) == (Ending.FAILED, 139, "SIGSEGV")
    assert found.reason == "exit code 139 (SIGSEGV)"
    assert [signal_named(code) for code in (1, 128, 255, 137, -11, -35)] == [
        None, None, None, "SIGKILL", "SIGSEGV", "signal 35",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "cwd", "said"),
    [("/nowhere/mpiexec", None, "No such file or directory"), ("sh", Path("/nowhere"), "No such file or directory")],
)
def test_what_cannot_be_started_is_a_result(word: str, cwd: Path | None, said: str) -> None:
    found = execute(Launch("x", (word, "-c", "true"), cwd=cwd))
    assert (found.ending, found.exit_code) == (Ending.NOT_STARTED, None)
    assert found.reason == found.explained == f"{word}: {said}"


def test_a_limit_ends_it() -> None:
    found = sh("echo begun; exec sleep 250", limit_s=0.2)
    assert (found.ending, found.exit_code, found.limit_s) == (Ending.TIMED_OUT, None, 0.2)
    assert found.reason == "timed out after 0.2 s"
    assert found.wall_s >= 0.2
    assert [seconds(limit) for limit in (0.25, 1.0, 9.96, 63.4, 1800)] == ["0.25 s", "1 s", "10 s", "63 s", "1800 s"]


HANGING = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as do programs that mean to save their state first
ends, begins = os.pipe()
for group in (False, True):
    if os.fork() == 0:
        if group:
            os.setpgid(0, 0)                   # as launchers do with ranks
        os.fork()                              # a rank, and a process that it started
        os.write(begins, f"{os.getpid()} ".encode())
        time.sleep(250)
pids = ""
while pids.count(" ") < 4:
    pids += os.read(ends, 100).decode()
print(pids, "ready", flush=True)
time.sleep(250)
"""


def test_what_has_done_enough_is_ended_and_has_succeeded() -> None:
    times: list[float] = []

    def enough(elapsed_s: float) -> bool:
        times.append(elapsed_s)
        return len(times) == 2

    outcome = sh("echo begun; sleep 100", enough=enough)
    assert (outcome.ending, outcome.ok, outcome.reason) == (Ending.ENOUGH, True, "")
    assert outcome.output == "begun\n"
    assert times[0] < times[1] <= outcome.wall_s


def test_what_ends_before_it_has_done_enough_is_done() -> None:
    assert sh("true", enough=lambda _: False).ending is Ending.DONE
    assert sh("sleep 0.2; exit 3", enough=lambda _: False).ending is Ending.FAILED


def test_whatever_hangs_is_ended_with_all_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A launcher and ranks that ignore SIGTERM, in process groups of their own."""
    monkeypatch.setattr("leadline.runs.execute.TERMINATION_S", 0.1)
    monkeypatch.setattr("leadline.runs.execute.GRACE_S", 0.1)
    found = execute(Launch("x", (sys.executable, "-c", HANGING), gives_up_on="ready"))
    assert found.ending is Ending.GIVEN_UP
    assert found.reason == "stopped after the output 'ready'"
    *pids, _ = found.output.split()
    assert len(pids) == 4
    while not all(is_over(int(pid)) for pid in pids):  # SIGKILL takes its time
        time.sleep(0.01)


def test_what_ends_by_itself_after_it_gave_up_was_not_ended() -> None:
    assert sh("echo lost; exit 4", gives_up_on="lost").exit_code == 4


def test_what_a_launch_leaves_in_the_background_is_ended(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    found = sh('sleep 250 & echo $! > "$0"', str(pid))
    assert found.ok
    while not is_over(int(pid.read_text())):  # SIGKILL takes its time
        time.sleep(0.01)


def test_processor_time_and_memory_are_those_of_all_processes() -> None:
    work = "import time; x = b'x' * (64 << 20)\nwhile time.process_time() < 0.3: pass"
    found = execute(Launch("x", ("sh", "-c", '"$0" -c "$1"; true', sys.executable, work)))
    assert found.ok
    assert found.cpu_s >= 0.3
    assert found.peak_kb >= 64 << 10


OUTER = """
import sys
from leadline.runs import execute
from leadline.runs.launch import Launch
execute.TERMINATION_S = 1e6
try:
    execute.execute(Launch("inner", tuple(sys.argv[1:])))
except KeyboardInterrupt:
    sys.exit("Ctrl-C")
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("stubborn", [False, True])
def test_a_launch_does_not_outlive_us(number: signal.Signals, stubborn: bool, tmp_path: Path) -> None:
    """stubborn: it goes on after SIGTERM; a second signal to us means at once."""
    trap = "trap 'echo said >> \"$0\"' TERM; " if stubborn else ""
    log = tmp_path / "log"
    script = trap + 'echo $$ > "$0"; while :; do sleep 0.05; done'
    outer = subprocess.Popen(
        [sys.executable, "-c", OUTER, "sh", "-c", script, str(log)], stderr=subprocess.PIPE, text=True
    )
    for lines in (1, 2) if stubborn else (1,):
        while not (log.exists() and log.read_text().count("\n") == lines):
            time.sleep(0.02)
        outer.send_signal(number)
    _, errors = outer.communicate()
    assert outer.returncode == (1 if number == signal.SIGINT else 128 + number)
    assert errors == ("Ctrl-C\n" if number == signal.SIGINT else "")
    assert is_over(int(log.read_text().split()[0]))


def test_a_signal_that_comes_as_soon_as_it_is_started_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*words: Any, **more: Any) -> subprocess.Popen[bytes]:
        process = real(*words, **more)
        os.kill(os.getpid(), signal.SIGINT)
        return process

    real = subprocess.Popen
    monkeypatch.setattr("leadline.runs.execute.subprocess.Popen", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sh("exec sleep 250")


def test_what_ends_just_as_it_is_to_be_ended_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_late(_: object, watch: Any, *__: object) -> Ending:
        while not watch.wait(None):
            pass
        return Ending.TIMED_OUT

    monkeypatch.setattr("leadline.runs.execute._until", too_late)
    assert sh("echo a", limit_s=1).ending is Ending.TIMED_OUT


def test_signals_are_ours_again_afterwards() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    sh("true")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


def test_nothing_is_left_open() -> None:
    sh("true")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        sh("exit 1")
        execute(Launch("x", ("/nowhere",)))
    assert len(os.listdir("/proc/self/fd")) == before
