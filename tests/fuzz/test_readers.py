"""No input of any command leads to a traceback, a signal, a hang or memory without bound."""

from __future__ import annotations

import pytest
import tiers

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from .limits import failures
from .native_readers import missing
from .readers import READERS, Reader

# What earlier campaigns found, read in every run.
FOUND = {"report": (109, 264), "network": (763, 1029), "unwind tables": (698, 1593), "netcdf": (58, 172, 236, 264)}
EACH = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)


def need(reader: Reader) -> None:
    if what := missing(reader.needs):
        pytest.skip(what)


@EACH
def test_damaged_input_is_refused_or_read(reader: Reader) -> None:
    need(reader)
    samples = reader.normal if tiers.reaches("ci") else reader.normal // 3
    assert [*map(str, failures(reader.name, range(samples)))] == []


@pytest.mark.parametrize(("name", "seed"), [(name, seed) for name, seeds in FOUND.items() for seed in seeds])
def test_what_was_found_stays_mended(name: str, seed: int) -> None:
    need(next(reader for reader in READERS if reader.name == name))
    assert [*map(str, failures(name, range(seed, seed + 1)))] == []


@pytest.mark.full
@EACH
def test_more_damaged_input_is_refused_or_read(reader: Reader) -> None:
    need(reader)
    assert [*map(str, failures(reader.name, range(reader.normal, reader.full)))] == []
