"""No test leaves ./dev test unnoticed, and none of the fast tier's names is stale."""

from pathlib import Path

import pytest
import tiers

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-it-works" / "testing.md"


def test_what_only_the_full_tier_runs_is_named_in_the_documentation(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text()
    names = {nodeid.removeprefix("tests/") for nodeid in request.config.stash[tiers.FULL_TESTS]}
    assert sorted(name for name in names if f"`{name}`" not in page) == []


def test_the_fast_tier_names_tests_that_exist(request: pytest.FixtureRequest) -> None:
    if request.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        pytest.skip("only part of the tests was collected")
    assert request.config.stash[tiers.UNMATCHED] == []
