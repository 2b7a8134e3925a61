"""No input of any command leads to a traceback, a signal, a hang or memory without bound."""

from __future__ import annotations

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from .limits import failures
from .readers import READERS, Reader

EACH = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)


@EACH
def test_damaged_input_is_refused_or_read(reader: Reader) -> None:
    assert [*map(str, failures(reader.name, range(reader.normal)))] == []


@pytest.mark.full
@EACH
def test_more_damaged_input_is_refused_or_read(reader: Reader) -> None:
    assert [*map(str, failures(reader.name, range(reader.normal, reader.full)))] == []
