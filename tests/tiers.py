"""Which tests run: LEADLINE_TIER=fast, normal (the default) or full, as ./dev test --fast, ./dev test and --all set it.

fast     what is named in FAST: unit tests, properties, one program per binding on one MPICH and one Open MPI
normal   every test but those marked `full`, which docs/testing.md names
full     all of them
"""

from __future__ import annotations

import os

import pytest

TIERS = ("fast", "normal", "full")
FULL_TESTS = pytest.StashKey[set[str]]()  # functions marked `full`, as FILE::NAME
UNMATCHED = pytest.StashKey[list[str]]()  # of FAST: named, but no test

# Folders, files, tests, or tests with parameters.
FAST = ("tests/test_tiers.py",)


def chosen() -> str:
    """Raises pytest.UsageError where LEADLINE_TIER is no tier."""
    tier = os.environ.get("LEADLINE_TIER") or "normal"
    if tier not in TIERS:
        raise pytest.UsageError(f"LEADLINE_TIER={tier}: it may be {', '.join(TIERS)}")
    return tier


def everything() -> bool:
    """Whether the exhaustive part runs too: for tests that choose their own parameters."""
    return chosen() == "full"


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the chosen tier's tests in `items`, and those that were asked for by FILE::NAME."""
    config.stash[FULL_TESTS] = {without_parameters(item) for item in items if item.get_closest_marker("full")}
    config.stash[UNMATCHED] = [entry for entry in FAST if not any(named(entry, item.nodeid) for item in items)]
    asked_for = [str(word) for word in config.invocation_params.args if "::" in str(word)]
    runs = {"fast": in_fast_tier, "normal": in_normal_tier, "full": lambda _: True}[chosen()]
    left_out = [item for item in items if not runs(item) and not any(named(word, item.nodeid) for word in asked_for)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


def in_normal_tier(item: pytest.Item) -> bool:
    return item.get_closest_marker("full") is None


def in_fast_tier(item: pytest.Item) -> bool:
    return in_normal_tier(item) and any(named(entry, item.nodeid) for entry in FAST)


def named(entry: str, nodeid: str) -> bool:
    """Whether the test is what the entry names, or within it."""
    return nodeid == entry or nodeid.startswith((f"{entry}/", f"{entry}::", f"{entry}["))


def without_parameters(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]
