"""Which tests run: LEADLINE_TIER=fast, normal (the default) or full, as ./dev test --fast, ./dev test and --all set it.

fast     what is named in FAST: unit tests, properties, one program per binding on one MPICH and one Open MPI
normal   every test but those marked `full`, which docs/how-it-works/testing.md names
full     all of them
"""

from __future__ import annotations

import os
from pathlib import Path

import full_tier
import pytest

ROOT = Path(__file__).resolve().parents[1]

TIERS = ("fast", "normal", "full")
FULL_TABLE = pytest.StashKey[str]()  # full_tier.py makes it for the documentation
UNMATCHED = pytest.StashKey[list[str]]()  # of FAST: named, but no test

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


def everything() -> bool:
    """Whether the exhaustive part runs too: for tests that choose their own parameters."""
    return chosen() == "full"


def is_left_out(path: Path) -> bool:
    """Whether it is a file without a test of the chosen tier: it need not even be imported."""
    if chosen() != "fast" or path.suffix != ".py" or not path.is_relative_to(ROOT):
        return False
    file = path.relative_to(ROOT).as_posix()
    return not any(named(entry, file) or named(file, entry) for entry in FAST)


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the chosen tier's tests in `items`, and those that were asked for by FILE::NAME."""
    full = [item for item in items if only_in_full_tier(item)]
    stay = {without_parameters(item) for item in items if not only_in_full_tier(item)}
    config.stash[FULL_TABLE] = full_tier.table(full, stay)
    config.stash[UNMATCHED] = [entry for entry in FAST if not any(named(entry, item.nodeid) for item in items)]
    asked_for = [str(word) for word in config.invocation_params.args if "::" in str(word)]
    runs = {"fast": in_fast_tier, "normal": in_normal_tier, "full": lambda _: True}[chosen()]
    left_out = [item for item in items if not runs(item) and not any(named(word, item.nodeid) for word in asked_for)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


def only_in_full_tier(item: pytest.Item) -> bool:
    """By @pytest.mark.full, which may say with which parameters.

    full: the test.   full("a", "b"): where a parameter is "a" or "b".   full(x="a", y=4): where x is "a" and y is 4.
    """
    given = dict(item.callspec.params) if hasattr(item, "callspec") else {}

    def fits(mark: pytest.Mark) -> bool:
        if mark.kwargs:
            return all(given.get(name) == value for name, value in mark.kwargs.items())
        return not mark.args or any(value in mark.args for value in given.values())

    return any(fits(mark) for mark in item.iter_markers("full"))


def in_normal_tier(item: pytest.Item) -> bool:
    return not only_in_full_tier(item)


def in_fast_tier(item: pytest.Item) -> bool:
    return in_normal_tier(item) and any(named(entry, item.nodeid) for entry in FAST)


def named(entry: str, nodeid: str) -> bool:
    """Whether the test is what the entry names, or within it."""
    return nodeid == entry or nodeid.startswith((f"{entry}/", f"{entry}::", f"{entry}["))


def without_parameters(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]
