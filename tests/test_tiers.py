"""No test leaves ./dev test unnoticed, and no name in the lists of tests is stale."""

from pathlib import Path

import pytest
import testing_page
import tiers
import workers

from leadline import mpi

TESTS = Path(__file__).resolve().parent
FAMILIES = ("mpich", "openmpi")
# What is tested there does not depend on the library; CI tries both.
ON_ONE_LIBRARY = ("bench", "workloads")


def skip_unless_all_were_collected(request: pytest.FixtureRequest) -> None:
    chosen = request.config.option.keyword or request.config.option.markexpr
    if chosen or request.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        pytest.skip("only part of the tests was collected")


def collected(request: pytest.FixtureRequest) -> dict[pytest.Item, str]:
    """The tier of every test."""
    skip_unless_all_were_collected(request)
    if tiers.chosen() == "fast":
        pytest.skip("only part of the tests was collected")
    return request.config.stash[tiers.COLLECTED]


def test_what_only_the_larger_tiers_run_is_named_in_the_documentation(request: pytest.FixtureRequest) -> None:
    collected(request)
    table = request.config.stash[tiers.TIER_TABLE]
    assert testing_page.in_page(testing_page.MARKS) == table, "python tests/testing_page.py writes the table"


def test_every_folder_of_tests_is_in_the_documentation() -> None:
    folders = [path.name for path in TESTS.iterdir() if path.is_dir() and any(path.glob("*test_*"))]
    assert sorted(set(folders) - set(testing_page.folders())) == []
    assert [name for name in testing_page.folders() if not (TESTS / name).exists()] == []
    table = testing_page.folder_table()
    assert testing_page.in_page(testing_page.FOLDERS) == table, "python tests/testing_page.py writes the table"


def test_the_chosen_tier_runs_its_tests_and_those_of_the_tiers_before_it(request: pytest.FixtureRequest) -> None:
    runs = [item for item, tier in collected(request).items() if tiers.reaches(tier)]
    assert sorted(item.nodeid for item in runs) == sorted(item.nodeid for item in request.session.items)


@pytest.mark.parametrize("chosen", tiers.TIERS)
def test_a_tier_includes_those_before_it(chosen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_TIER", chosen)
    place = tiers.TIERS.index(chosen)
    assert [tiers.reaches(tier) for tier in tiers.TIERS] == [number <= place for number in range(len(tiers.TIERS))]


def test_no_folder_and_no_library_is_left_to_the_larger_tiers(request: pytest.FixtureRequest) -> None:
    """The normal tier has a test of each folder, with either family in each that runs programs, and of each library."""
    normal: set[str] = set()
    larger: dict[str, str] = {}
    for item, tier in collected(request).items():
        folder = item.nodeid.split("/")[1].partition("::")[0]
        libraries = libraries_of(item)
        families = [name for name in libraries if name in FAMILIES and folder not in ON_ONE_LIBRARY]
        subjects = [folder, *libraries, *(f"{folder} with {name}" for name in families)]
        if tier in ("fast", "normal"):
            normal.update(subjects)
        else:
            larger.update(dict.fromkeys(subjects, item.nodeid))
    assert {subject: test for subject, test in larger.items() if subject not in normal} == {}


def libraries_of(item: pytest.Item) -> list[str]:
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return [value for value in given if isinstance(value, str) and value in mpi.NAMES]


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
