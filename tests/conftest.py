"""Fixtures for every test, and the choice of the tests that run: see tiers.py."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
# Some thousand tests start the command, which would compile a hundred files each time where the environment says that
# bytecode is not to be written.
sys.dont_write_bytecode = False
sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "bytecode")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import costs  # noqa: E402
import failed_tests  # noqa: E402
import kept_builds  # noqa: E402
import native_programs  # noqa: E402
import signals  # noqa: E402
import tiers  # noqa: E402
import workers  # noqa: E402

# Open MPI would wait a second in every launch for adapters that a machine of tests does not have.
WITHOUT_ADAPTERS = {"OMPI_MCA_btl": "^ofi,openib", "OMPI_MCA_mtl": "^ofi,psm,psm2"}
# A rank of MPICH that waits would keep its core from the rank it waits for: 7 s for 600 collectives of four ranks on
# two busy cores, 0.3 s if it sleeps between polls.
PATIENT = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "10",
    "MPIR_CVAR_POLLS_BEFORE_YIELD": "10",
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
}
KEPT = {"LEADLINE_MPI_HOME", "LEADLINE_TEST_PROGRAMS", "LEADLINE_TEST_LIBRARIES", "LEADLINE_TIER"}


def pytest_configure(config: pytest.Config) -> None:
    failed_tests.register(config)
    config.pluginmanager.register(costs.Costs())
    tiers.chosen()  # says at once where LEADLINE_TIER is none
    signals.let_children_start_afresh()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers.select(config, items)
    if workers.is_one(config):
        workers.in_order(items)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return True if tiers.is_left_out(collection_path) else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return workers.scheduler(config, log)


def pytest_collection_finish(session: pytest.Session) -> None:
    if not session.config.option.collectonly and not workers.is_one(session.config):
        native_programs.begin(session.items)


def pytest_sessionfinish() -> None:
    native_programs.end()


@pytest.fixture(autouse=True, scope="session")
def a_clean_environment(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No setting of the person's own may change what is tested."""
    for name in list(os.environ):
        if name.startswith("LEADLINE_") and name not in KEPT:
            del os.environ[name]
    # Open MPI's leave to run as root: a test that counts on a shell having it fails where none has.
    for name in ("LD_PRELOAD", "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        os.environ.pop(name, None)
    os.environ.update(WITHOUT_ADAPTERS | PATIENT)
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("settings"))
    kept_builds.forget_unused()
    # Of environments that earlier sessions installed into temporary directories.
    shutil.rmtree(f"{sys.pycache_prefix}{tempfile.gettempdir()}", ignore_errors=True)


@pytest.fixture
def busy_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """MPICH polls without sleeping, as it does by itself: for programs of one rank that poll a million times."""
    for name in PATIENT:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One for all folders: a process can have one Playwright at a time."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright for this Python")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium here: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        found = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield found
        found.close()
