"""No test leaves ./dev test unnoticed, and no name in the lists of tests is stale."""

from pathlib import Path

import full_tier
import pytest
import tiers
import workers

TESTS = Path(__file__).resolve().parent


def skip_unless_all_were_collected(request: pytest.FixtureRequest) -> None:
    chosen = request.config.option.keyword or request.config.option.markexpr
    if chosen or request.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        pytest.skip("only part of the tests was collected")


def test_what_only_the_full_tier_runs_is_named_in_the_documentation(request: pytest.FixtureRequest) -> None:
    skip_unless_all_were_collected(request)
    if tiers.chosen() == "fast":
        pytest.skip("only part of the tests was collected")
    assert full_tier.in_page() == request.config.stash[tiers.FULL_TABLE], "python tests/full_tier.py writes the table"


def test_every_folder_of_tests_is_in_the_documentation() -> None:
    page = full_tier.PAGE.read_text()
    folders = [path.name for path in TESTS.iterdir() if path.is_dir() and any(path.glob("*test_*"))]
    assert sorted(name for name in folders if f"`tests/{name}`" not in page) == []


def test_the_fast_tier_names_tests_that_exist(request: pytest.FixtureRequest) -> None:
    skip_unless_all_were_collected(request)
    assert request.config.stash[tiers.UNMATCHED] == []


def test_the_workers_lists_name_what_exists() -> None:
    names = [*workers.TOGETHER, *workers.APART, *workers.LONGEST]
    assert [name for name in names if not (tiers.ROOT / name).exists()] == []


def test_a_unit_is_a_file_a_folder_that_stays_together_or_a_program() -> None:
    assert workers.unit("tests/cli/test_usage.py::test_x[a::b]") == "tests/cli/test_usage.py"
    assert workers.unit("tests/jobs/test_nodes.py::test_x") == workers.unit("tests/jobs/test_cases.py::test_y")
    assert workers.unit("tests/test_native.py::test_x[a]") != workers.unit("tests/test_native.py::test_x[b]")
