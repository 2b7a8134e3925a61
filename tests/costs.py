"""What each test took. `./dev test` leaves it in build/logs/tests.xml, and `python tests/costs.py [ROWS]` prints the
folders, files and tests that took the most processor time.

A fixture that several tests share counts for the first of them. Processor time is that of the test's own process and of
the processes it waited for, so what a program left running when its launcher ended is missing.
"""

from __future__ import annotations

import resource
import sys
import xml.etree.ElementTree
from collections import defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

PROPERTY = "processor_s"
WRITTEN = Path(__file__).resolve().parents[1] / "build" / "logs" / "tests.xml"
BEGAN = pytest.StashKey[float]()

Cost = tuple[str, float, float]  # of what; seconds of processor time, and seconds that passed


class Costs:
    """Adds the processor time to what pytest's --junitxml writes of a test."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        item.stash[BEGAN] = processor_s()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "teardown" and BEGAN in item.stash:
            report.user_properties.append((PROPERTY, f"{processor_s() - item.stash[BEGAN]:.3f}"))
        return report


def processor_s() -> float:
    """Of this process and of those it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def read(file: Path) -> list[Cost]:
    """A row for each test that ran, by "folder/file::name"."""
    found = []
    for case in xml.etree.ElementTree.parse(file).iter("testcase"):
        given = {each.get("name"): each.get("value") for each in case.iter("property")}
        if (processor := given.get(PROPERTY)) is not None:
            place = case.get("classname", "").replace(".", "/")
            found.append((f"{place}.py::{case.get('name')}", float(processor), float(case.get("time", 0))))
    return found


def summed(costs: Iterable[Cost], parts: int | None) -> list[Cost]:
    """By file, or by the first `parts` parts of a file's path; the dearest first."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for test, *both in costs:
        file = test.partition("::")[0]
        name = "/".join(file.split("/")[:parts])
        sums[name] = [had + more for had, more in zip(sums[name], both, strict=True)]
    return dearest((name, processor, passed) for name, (processor, passed) in sums.items())


def dearest(costs: Iterable[Cost]) -> list[Cost]:
    return sorted(costs, key=lambda cost: -cost[1])


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    costs = read(WRITTEN)
    for title, some in (("folder", summed(costs, 2)), ("file", summed(costs, None)), ("test", dearest(costs))):
        print(f"{'processor s':>12} {'passed s':>9}  {title}")
        for name, processor, passed in some[:rows]:
            print(f"{processor:12.1f} {passed:9.1f}  {name}")


if __name__ == "__main__":
    main()
