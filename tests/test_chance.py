"""./dev test --ci: what fails by chance is reported and does not refuse the work; every fault does."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from dev import chance  # noqa: E402

CONFTEST = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests")!r})
import failed_tests

def pytest_configure(config):
    failed_tests.register(config)
"""
# Fails in the first sessions, as many as it says, and passes from then on.
FAILS = """
import pathlib

def test_{name}():
    log = pathlib.Path({log!r})
    times = len(log.read_text()) if log.exists() else 0
    log.write_text("x" * (times + 1))
    assert times >= {failures}, "session %d of {name}" % times
"""


def ended(
    folder: Path, capfd: pytest.CaptureFixture[str], more: str = "", options: Sequence[str] = (), **failures: int
) -> tuple[int, list[str]]:
    (folder / "conftest.py").write_text(CONFTEST)
    tests = [
        FAILS.format(name=name, failures=times, log=str(folder / f"{name}.log")) for name, times in failures.items()
    ]
    (folder / "test_it.py").write_text("\n".join(tests) + more)
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--rootdir={folder}"]
    here = os.getcwd()
    os.chdir(folder)
    try:
        code = chance.run(words, options, dict(os.environ), folder / "logs")
    finally:
        os.chdir(here)
    return code, capfd.readouterr().out.splitlines()


def test_one_that_fails_once_is_reported_and_refuses_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, lines = ended(tmp_path, capfd, once=1, never=0)
    assert code == 0
    (loud,) = [number for number, line in enumerate(lines) if " failed by chance, mend it " in line]
    assert lines[loud + 1] == "test_it.py::test_once"
    assert any("session 0 of once" in line for line in lines[loud:])
    assert "1 failed, 1 passed" in lines[-1]


@pytest.mark.ci
def test_failures_in_workers_are_repeated_without_them(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, lines = ended(tmp_path, capfd, options=("-n", "2"), once=1, never=0)
    assert code == 0
    assert [line for line in lines if line.startswith("test_it.py::")] == ["test_it.py::test_once"]
    assert "1 failed, 1 passed" in lines[-1]


@pytest.mark.ci(times=3)
@pytest.mark.ci(times=2)
@pytest.mark.parametrize("times", [2, 3, 99])
def test_one_that_fails_again_refuses(tmp_path: Path, capfd: pytest.CaptureFixture[str], times: int) -> None:
    code, lines = ended(tmp_path, capfd, again=times, once=1)
    assert code == 1
    assert [" failed by chance" in line for line in lines if "!!! failed" in line] == [False, True]
    assert "2 failed" in lines[-1]


def test_more_than_three_refuse_and_are_not_run_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, lines = ended(tmp_path, capfd, a=1, b=1, c=1, d=1)
    assert code == 1
    assert "4 failed" in lines[-1]
    assert (tmp_path / "a.log").read_text() == "x"


def test_a_session_that_breaks_off_refuses(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, _ = ended(tmp_path, capfd, "\ndef test_z():\n    import os\n    os._exit(1)\n", once=1)
    assert code == 1


def test_one_that_is_skipped_the_next_time_has_not_passed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    skipping = """
import pytest

def test_skips():
    if pathlib.Path("seen").exists():
        pytest.skip("no longer possible")
    pathlib.Path("seen").touch()
    assert False
"""
    code, _ = ended(tmp_path, capfd, skipping, never=0)
    assert code == 1
