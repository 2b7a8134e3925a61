"""Writes which tests failed, and how a session ended, into the file that LEADLINE_FAILED_TESTS names: ./dev test --ci.

A line of JSON for each failure as it happens, and a last one with the numbers of tests: without it, the session did
not come to its end.
"""

from __future__ import annotations

import collections
import json
import os
from pathlib import Path

import pytest

VARIABLE = "LEADLINE_FAILED_TESTS"


class FailedTests:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._outcomes: collections.Counter[str] = collections.Counter()

    def _write(self, line: dict[str, object]) -> None:
        with self._file.open("a") as out:
            out.write(json.dumps(line) + "\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self._outcomes[report.outcome] += 1
        if report.failed:
            self._write({"test": report.nodeid, "when": report.when, "text": report.longreprtext})

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._outcomes["not collected"] += 1

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        self._write({"ended": dict(self._outcomes)})


def register(config: pytest.Config) -> None:
    file = os.environ.pop(VARIABLE, "")
    if file:
        config.pluginmanager.register(FailedTests(Path(file)))
