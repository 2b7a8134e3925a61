"""Recorded runs of two ranks, each once for a file of tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from leadline.figures.run import Run


def _recorded(factory: pytest.TempPathFactory, program: str) -> Run:
    pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
    from .predicted_runs import record

    return record(factory.mktemp("run"), program)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return _recorded(tmp_path_factory, "predicted.c")


@pytest.fixture(scope="module")
def fields(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return _recorded(tmp_path_factory, "fields.c")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return _recorded(tmp_path_factory, "rows.c")
