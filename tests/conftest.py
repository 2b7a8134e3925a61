"""What every test may use: the command, the recorder, and whether they are there."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True, scope="session")
def a_clean_environment(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No setting of the person's own may change what is tested."""
    kept = {"LEADLINE_MPI_HOME", "LEADLINE_TEST_PROGRAMS", "LEADLINE_TEST_LIBRARIES", "LEADLINE_TEST_ALL_PROCESSES"}
    kept.add("LEADLINE_TIER")
    for name in list(os.environ):
        if name.startswith("LEADLINE_") and name not in kept:
            del os.environ[name]
    os.environ.pop("LD_PRELOAD", None)
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("settings"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("full") is not None and os.environ.get("LEADLINE_TIER") != "full":
        pytest.skip("of the full tier: LEADLINE_TIER=full")
