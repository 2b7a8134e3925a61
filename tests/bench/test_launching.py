"""The end of a launch: success, an error, or a time limit; and the results that remain."""

import os
import sys
from pathlib import Path

import pytest

from leadline import mpi
from leadline.bench import Measurement, measure, program
from leadline.bench.asking import Candidate
from leadline.bench.launching import Launch, Plan, Point, prepared, read, result_of
from leadline.errors import MeasurementFailed
from leadline.runs.execute import execute

PLAN = Plan((Point("bcast", 65536, (Candidate("native"), Candidate("chain", 8192))),))


def _program(tmp_path: Path, body: str) -> list[str]:
    """Python in place of the launcher and its program; it is given the plan's path and the results'."""
    script = tmp_path / "program.py"
    script.write_text(f"import os, sys, time\nout = open(sys.argv[2], 'w')\n{body}\n")
    return [sys.executable, str(script)]


def _run(tmp_path: Path, body: str, timeout_s: float | None = None) -> Launch:
    folder = tmp_path / "launch"
    folder.mkdir()
    outcome = execute(prepared(PLAN, _program(tmp_path, body), os.environ, folder, timeout_s=timeout_s))
    return result_of(outcome, PLAN, folder)


def test_the_plan_says_everything() -> None:
    lines = Plan(PLAN.points, rounds=7, skew_us=2.5, measured_clocks=True).text().splitlines()
    assert lines[0] == "leadline-bench 1"
    assert {"rounds 7", "skew_us 2.5", "clocks measured", "network 0"} <= set(lines)
    assert lines[-3:] == ["point bcast 65536", "candidate native 0 0", "candidate chain 8192 0"]


def test_an_error_names_the_point_and_what_was_said(tmp_path: Path) -> None:
    body = "out.write('begin 0 1\\n'); out.flush(); print('out of luck'); sys.exit(3)"
    with pytest.raises(MeasurementFailed) as failure:
        _run(tmp_path, body)
    assert "code 3, while measuring bcast of 65536 bytes with chain:segment=8192: out of luck" in str(failure.value)
    assert failure.value.exit_code == 7


def test_what_does_not_end_is_ended(tmp_path: Path) -> None:
    with pytest.raises(MeasurementFailed, match="timed out after 1 s"):
        _run(tmp_path, "time.sleep(250)", timeout_s=1)


def test_a_signal_that_ended_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(MeasurementFailed, match="was killed by SIGKILL, before the first measurement"):
        _run(tmp_path, "os.kill(os.getpid(), 9)")


def test_results_without_an_end_are_a_failure(tmp_path: Path) -> None:
    with pytest.raises(MeasurementFailed, match="code 0"):
        _run(tmp_path, "out.write('leadline-bench 1\\n')")


def test_a_launcher_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MeasurementFailed, match="No such file"):
        result_of(execute(prepared(PLAN, ["/nowhere/mpiexec"], os.environ, tmp_path)), PLAN, tmp_path)


RESULTS = """leadline-bench 1
library MPICH Version:      5.0.2
job 4 1 4 2 1 120 80
noise 0 5.9 8.5 8025.0 0.62 482.8
message 65536 17268
reduction 4096 243
begin 0 0
unusable 0 1 not applicable to this number of ranks and size
samples 0 0 correct 3 1 1000 1300.9 late 1209.2
end
"""


def test_results_are_read(tmp_path: Path) -> None:
    (tmp_path / "results").write_text(RESULTS)
    found = read(tmp_path / "results")
    assert (found.library, found.ranks, found.cores_on_host, found.oversubscribed) == ("MPICH 5.0.2", 4, 2, True)
    assert (found.clock_error_ns, found.clock_offset_ns) == (120, 80)
    assert found.samples[0, 0].times_ns == [1300.9, None, 1209.2]
    assert found.samples[0, 1].problem == "not applicable to this number of ranks and size"
    assert found.ended


def test_results_that_break_off_anywhere_are_read_so_far(tmp_path: Path) -> None:
    for length in range(len(RESULTS) - 4):
        (tmp_path / "results").write_text(RESULTS[:length])
        assert not read(tmp_path / "results").ended


NOWHERE = Path("nowhere")
LIBRARY = mpi.Library("mpich", mpi.FROM_PYPI["mpich"], "mpich", NOWHERE, NOWHERE, None, NOWHERE, NOWHERE)
MEASURING = """
seed = int(next(line for line in open(sys.argv[1]) if line.startswith("seed")).split()[1])
if seed == 2:
    {what}
print("library MPICH Version: 5\\njob 2 1 2 2 0 1 1\\nsamples 0 0 correct 1 0 1 1000 2000 4000\\nend", file=out)
"""


def _measure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str, *, keep: bool) -> Measurement:
    """Three launches of a program whose second one does `what`."""
    launcher = _program(tmp_path, MEASURING.format(what=what))
    script = tmp_path / "mpiexec"
    script.write_text(f'exec {launcher[0]} {launcher[1]} "$2" "$3"')  # $1: the program that it stands for
    monkeypatch.setattr(program, "executable", lambda _: tmp_path / "leadline-bench")
    return measure(
        "bcast", algorithms=["native"], sizes=[8], library=LIBRARY, launches=3, launcher=["sh", str(script)], keep=keep
    )


def test_launches_before_one_that_fails_are_kept_on_request(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(MeasurementFailed, match="out of luck"):
        _measure(monkeypatch, tmp_path, "sys.exit('out of luck')", keep=False)
    found = _measure(monkeypatch, tmp_path, "sys.exit('out of luck')", keep=True)
    assert (len(found.launches), [row["samples"] for row in found.rows]) == (1, [3])
    assert found.failed.startswith("launch 2 of 3 failed (the benchmark program exited with")
    assert found.failed.endswith(
        "code 1, before the first measurement: out of luck); results of earlier launches are kept"
    )
    assert found.document()["failed"] == found.failed
    found.interruption.end_if_any()  # there was none


def test_launches_before_an_interruption_are_kept_on_request(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    interrupt = "os.kill(os.getppid(), 2); time.sleep(250)"
    with pytest.raises(KeyboardInterrupt):
        _measure(monkeypatch, tmp_path, interrupt, keep=False)
    found = _measure(monkeypatch, tmp_path, interrupt, keep=True)
    assert (len(found.launches), [row["samples"] for row in found.rows]) == (1, [3])
    assert found.failed == "interrupted; launches completed and kept: 1 of 3"
    with pytest.raises(KeyboardInterrupt):
        found.interruption.end_if_any()
