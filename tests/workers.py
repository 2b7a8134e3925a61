"""How the workers of `./dev test` (pytest-xdist) share the tests: what one worker runs together, and in which order.

A unit is a file, or a folder whose tests use one expensive fixture. Its tests run in one worker, one after the other.
The longest units begin first, so that no worker is still busy with one when the others have nothing left to do.
"""

from __future__ import annotations

from typing import Any

import pytest

# One cluster, started once.
TOGETHER = ("tests/jobs",)
# Each test is a program of its own and shares nothing.
APART = ("tests/test_native.py",)
# The units that take longest, longest first; in a fresh checkout that is what compiles.
LONGEST = (
    "tests/recorder/test_hostile_sanitized.py",
    "tests/cli/test_workload.py",
    "tests/workloads/test_figures_agree.py",
    "tests/improve/test_improve_command.py",
    "tests/bench/test_bench.py",
    "tests/cli/test_terminal.py",
    "tests/test_native.py",
    "tests/cli/test_first_report.py",
    "tests/workloads/test_patterns.py",
    "tests/cli/test_installation.py",
    "tests/studies/test_opatm.py",
    "tests/campaign/test_on_machines.py",
    "tests/fieldio/test_fieldio.py",
    "tests/recorder/test_iterations.py",
    "tests/campaign/test_batch.py",
    "tests/campaign/test_kills.py",
    "tests/campaign/test_command.py",
    "tests/bench/test_calibrate.py",
    "tests/improve/test_search.py",
    "tests/jobs",
    "tests/recorder/test_same_traffic.py",
    "tests/page/test_page.py",
    "tests/fuzz/test_readers.py",
    "tests/fieldio/test_fieldio_py.py",
    "tests/trace/test_sanitizers.py",
    "tests/recorder/test_main_loop.py",
    "tests/recorder/test_plain_log.py",
    "tests/recorder/test_endings.py",
    "tests/recorder/test_libraries.py",
    "tests/report/test_routine_names.py",
    "tests/recorder/test_control_budgets.py",
    "tests/workloads/test_pop.py",
    "tests/workloads/test_pop_traffic.py",
    "tests/workloads/test_opatm_netcdf.py",
    "tests/workloads/test_gtc.py",
    "tests/workloads/test_wrf.py",
    "tests/workloads/test_s3d.py",
    "tests/workloads/test_vh1.py",
    "tests/workloads/test_opatm_advection.py",
    "tests/cli/test_record.py",
    "tests/interchange/test_import_damaged.py",
    "tests/report/test_symbols.py",
    "tests/tuning/test_silent_failures.py",
    "tests/segments/test_segments.py",
    "tests/recorder/test_files.py",
    "tests/recorder/test_hostile_ranks.py",
    "tests/cli/test_mistakes.py",
    "tests/recorder/test_drivers.py",
)


def unit(nodeid: str) -> str:
    for folder in TOGETHER:
        if nodeid.startswith(f"{folder}/"):
            return folder
    file = nodeid.partition("::")[0]
    return nodeid if file in APART else file


def is_one(config: pytest.Config) -> bool:
    """Whether this process is a worker."""
    return hasattr(config, "workerinput")


def in_order(items: list[pytest.Item]) -> None:
    """Puts the longest units first, and leaves each unit's tests in their order."""
    places = {name: place for place, name in enumerate(LONGEST)}

    def place(item: pytest.Item) -> int:
        name = unit(item.nodeid)
        return places.get(name, places.get(name.partition("::")[0], len(places)))

    items.sort(key=place)


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Hands whole units to the workers, in the order of the collected tests."""
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

    config.option.loadscopereorder = False
    return Units(config, log)
