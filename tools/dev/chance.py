"""./dev test --ci: runs pytest, and tells tests that failed by chance from faults.

If at most MOST tests failed, each runs AGAIN times more, alone. One that passes every time failed by chance: it is
reported loudly with the text of its failure, and does not refuse the work. Any other failure does, and so does a
session that did not come to its end. docs/decisions/0006-test-tiers.md has the reasons.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST = 3
AGAIN = 3
VARIABLE = "LEADLINE_FAILED_TESTS"  # tests/failed_tests.py writes the file
WIDTH = 120
TESTS_FAILED = 1  # pytest's exit code


@dataclass(frozen=True)
class Session:
    """A run of pytest. failures: texts by test.   ended: how many tests of each outcome; None if it broke off."""

    code: int
    closing: str
    failures: dict[str, str]
    ended: dict[str, int] | None

    @property
    def passed_only(self) -> bool:
        return self.code == 0 and self.ended is not None and set(self.ended) == {"passed"}


def run(pytest: Sequence[str | Path], arguments: Sequence[str], environ: Mapping[str, str], logs: Path) -> int:
    """pytest's exit code, or 0 if all its failures were by chance. Ends with the closing line of the whole run."""
    first = _session([*pytest, *arguments], environ, logs / "failed-tests.jsonl")
    if first.code != TESTS_FAILED or first.ended is None or not 1 <= len(first.failures) <= MOST:
        return first.code
    by_chance = [test for test in first.failures if _passes_again(pytest, test, environ, logs)]
    for test, text in first.failures.items():
        title = " failed by chance, mend it " if test in by_chance else " failed again "
        what = f"It passed {AGAIN} times since, alone. Its first failure:" if test in by_chance else "It is a fault."
        print(f"{title:!^{WIDTH}}\n{test}\n{what}")
        print(f"{text}\n{'':!^{WIDTH}}" if test in by_chance else f"{'':!^{WIDTH}}")
    print(first.closing, flush=True)
    return 0 if len(by_chance) == len(first.failures) else first.code


def _passes_again(pytest: Sequence[str | Path], test: str, environ: Mapping[str, str], logs: Path) -> bool:
    for number in range(1, AGAIN + 1):
        print(f"dev: {test} failed; run alone, {number} of {AGAIN}:", flush=True)
        if not _session([*pytest, test], environ, logs / "failed-again.jsonl").passed_only:
            return False
    return True


def _session(words: Sequence[str | Path], environ: Mapping[str, str], report: Path) -> Session:
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    code, closing = _passed_on(words, {**environ, VARIABLE: str(report)})
    lines = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
    failures: dict[str, str] = {}
    for line in lines:
        if "test" in line:
            failures.setdefault(line["test"], line["text"])
    return Session(code, closing, failures, lines[-1].get("ended") if lines else None)


def _passed_on(words: Sequence[str | Path], environ: Mapping[str, str]) -> tuple[int, str]:
    """Runs it; its output is passed on as it comes. Returns its exit code and the last line."""
    process = subprocess.Popen([os.fspath(word) for word in words], stdout=subprocess.PIPE, env=environ)
    assert process.stdout is not None
    tail = b""
    while piece := process.stdout.read1(65536):  # type: ignore[attr-defined]
        sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        tail = (tail + piece)[-10_000:]
    return process.wait(), tail.decode(errors="replace").rstrip("\n").rpartition("\n")[2]
