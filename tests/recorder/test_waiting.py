"""Reports on ranks that wait for one that does nothing: while they wait, and after they were ended."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import DamagedTrace, NoSuchRun

from .building import Builder
from .libraries import Library, quiet_environment
from .reading import report_of

LONG_ENOUGH_S = 120  # only against hanging


@contextlib.contextmanager
def running(words: list[str], environment: dict[str, str], directory: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        words,
        cwd=directory,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(LONG_ENOUGH_S)


def until_it_waits(run: Path) -> dict[str, Any]:
    """The report once rank 1 sits in the call that never ends."""
    begin = time.monotonic()
    while time.monotonic() - begin < LONG_ENOUGH_S:
        with contextlib.suppress(DamagedTrace, NoSuchRun):
            report = report_of(run)
            found = {stop["rank"]: stop for stop in report["unfinished"]}
            receives = {f["function"]: f["calls"] for f in report["functions"]}.get("MPI_Recv", 0)
            if receives == 10 and 0 in found and found.get(1, {}).get("in_call") == "MPI_Recv":
                return report
        time.sleep(0.2)
    raise AssertionError("rank 1 never came to its last receive")


@pytest.fixture(params=["run", "exec"])
def how(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_call_and_the_rank_that_others_wait_for_are_named(
    how: str, one_of_each_family: Library, builder: Builder, tmp_path: Path
) -> None:
    library = one_of_each_family
    program = str(builder.c(library, "waiting.c"))
    launcher = [str(word) for word in library.launch(2, oversubscribe=True)]
    leadline = [sys.executable, "-m", "leadline"]
    if how == "run":
        words = [*leadline, "run", "-q", "-o", "run", "--", *launcher, program]
    else:
        words = [*launcher, *leadline, "exec", "-o", "run", program]
    run = tmp_path / "run"
    with running(words, quiet_environment(library), tmp_path) as process:
        before = until_it_waits(run)
        assert {stop["end_known_from"] for stop in before["unfinished"]} == {"running"}
        during = until_that_is_worth_saying(run)
        process.send_signal(signal.SIGTERM)
        process.wait(LONG_ENOUGH_S)
    assert during["conditions"][0]["code"] == "still-running"
    condition = next(condition for condition in during["conditions"] if condition["code"] == "ranks-stopped")
    assert "has been in MPI_Recv (exchange)" in condition["message"]
    assert condition["first_to_stop"] == 0
    after = ended(run)
    stops = {stop["rank"]: stop for stop in after["unfinished"]}
    assert stops[1]["in_call"] == "MPI_Recv"
    assert stops[1]["routine"] == "exchange"
    assert stops[0]["in_call"] is None
    assert {stop["end_known_from"] for stop in stops.values()} <= {"process", "command"}
    longest = max(stop["silent_s"] for stop in during["unfinished"])
    assert max(stop["silent_s"] for stop in stops.values()) >= longest
    assert "sat in MPI_Recv (exchange)" in after["verdict"]
    # Under exec, nobody saw the signal that ended the launcher.
    assert after["conditions"][0]["code"] == ("interrupted" if how == "run" else "incomplete")


def until_that_is_worth_saying(run: Path) -> dict[str, Any]:
    """The report once both ranks have been silent for long."""
    begin = time.monotonic()
    while time.monotonic() - begin < LONG_ENOUGH_S:
        report = report_of(run)
        if any(c["code"] == "ranks-stopped" and c["ranks"] == 2 for c in report["conditions"]):
            return report
        time.sleep(0.2)
    raise AssertionError("the report never said that the ranks wait")


def ended(run: Path) -> dict[str, Any]:
    """The report when it is known of every rank how it ended: the keeper is a process of its own."""
    begin = time.monotonic()
    while time.monotonic() - begin < LONG_ENOUGH_S:
        report = report_of(run)
        if not {"running", "at-least", "unknown"} & {stop["end_known_from"] for stop in report["unfinished"]}:
            return report
        time.sleep(0.1)
    raise AssertionError("nobody noted when the ranks ended")
