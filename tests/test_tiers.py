"""No test leaves ./dev test unnoticed, and no name in the lists of tests is stale."""

from pathlib import Path

import pytest
import tiers
import workers

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-it-works" / "testing.md"


def test_what_only_the_full_tier_runs_is_named_in_the_documentation(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text()
    names = {nodeid.removeprefix("tests/") for nodeid in request.config.stash[tiers.FULL_TESTS]}
    assert sorted(name for name in names if f"`{name}`" not in page) == []


def test_the_fast_tier_names_tests_that_exist(request: pytest.FixtureRequest) -> None:
    if request.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        pytest.skip("only part of the tests was collected")
    assert request.config.stash[tiers.UNMATCHED] == []


def test_the_workers_lists_name_what_exists() -> None:
    names = [*workers.TOGETHER, *workers.APART, *workers.LONGEST]
    assert [name for name in names if not (tiers.ROOT / name).exists()] == []


def test_a_unit_is_a_file_a_folder_that_stays_together_or_a_program() -> None:
    assert workers.unit("tests/cli/test_usage.py::test_x[a::b]") == "tests/cli/test_usage.py"
    assert workers.unit("tests/jobs/test_nodes.py::test_x") == workers.unit("tests/jobs/test_cases.py::test_y")
    assert workers.unit("tests/test_native.py::test_x[a]") != workers.unit("tests/test_native.py::test_x[b]")
