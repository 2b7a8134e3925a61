"""opatm with several threads in each process: the result is that of one."""

from pathlib import Path

import pytest

from .running import Program, result_of, run_opatm

pytestmark = pytest.mark.ci  # for changes to workloads/

OPTIONS = {"grid": "9x7x5", "tracers": 5, "steps": 2}
# Threads that wait leave their core; each says its number and how many there are.
PASSIVE = {"OMP_WAIT_POLICY": "passive", "OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "thread %n of %N"}


def threads_said(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.startswith("thread ")}


@pytest.mark.parametrize("segments", ["none", "1"])
@pytest.mark.parametrize("by", ["option", "environment"])
def test_the_result_is_that_of_one_thread(
    any_program: Program, tmp_path: Path, segments: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {**OPTIONS, "segments": segments}
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    alone = run_opatm(any_program, 2, options, cwd=tmp_path)
    for name, value in PASSIVE.items():
        monkeypatch.setenv(name, value)
    words = [f"--{name}={value}" for name, value in options.items()]
    if by == "option":
        words.append("--threads=3")
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", "3")
    done = any_program.start(2, words, cwd=tmp_path)
    assert threads_said(done.stdout + done.stderr) == {f"thread {n} of 3" for n in range(3)}
    result = [line for line in done.stdout.splitlines() if line.startswith("opatm: ")]
    assert [line.split("checksum ")[1] for line in result] == [alone.checksum]


def test_there_is_one_thread_unless_more_are_asked_for(
    any_program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    for name, value in PASSIVE.items():
        monkeypatch.setenv(name, value)
    done = any_program.start(1, [f"--{name}={value}" for name, value in OPTIONS.items()], cwd=tmp_path)
    assert result_of(done).checksum
    assert threads_said(done.stderr) <= {"thread 0 of 1"}
