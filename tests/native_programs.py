"""The C++ test programs. Where the tests have no workers, they run beside the others: each takes one core, and most of
those leave one idle.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
import tiers

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "build" / "dev" / "tests"
TESTS = "test_native.py"

# Random searches and long lists of cases: part of them. The full tier gives no argument, for all.
IN_CI = {
    "damage_test": ["20"],  # one case of twenty
    "fuzz_reader": ["100"],  # changes of each input instead of 300
    "schedules_test": ["64"],  # processes instead of 512
    "properties_test": ["1"],  # seed of each kind instead of 3
    "roundtrip_test": ["1"],  # seed of each kind instead of 3
    "seek_test": ["1"],
}
LESS = {
    **IN_CI,
    "damage_test": ["80"],
    "fuzz_reader": ["25"],
    "schedules_test": ["33"],
}

Done = subprocess.CompletedProcess[str]

_runs: dict[str, Future[Done]] = {}
_pool: list[ThreadPoolExecutor] = []


def _run(program: Path, environment: dict[str, str]) -> Done:
    # With an environment of its own: a test that sets a variable while a program is started would change the one that
    # the kernel is reading, which it refuses ("Bad address").
    arguments = [] if tiers.everything() else (IN_CI if tiers.reaches("ci") else LESS).get(program.name, [])
    with tempfile.TemporaryDirectory() as directory:
        return subprocess.run(
            [program, *arguments],
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=800,
            check=False,
        )


def begin(items: list[pytest.Item]) -> None:
    """Starts those that `items` ask for, one at a time where there are other tests.

    Not with low priority: on a busy machine they would hardly run, and the tests would wait for them at the end.
    """
    sources = [item.callspec.params["source"] for item in items if _asks(item) and isinstance(item, pytest.Function)]
    alone = len(sources) == len(items)
    _pool.append(ThreadPoolExecutor(len(os.sched_getaffinity(0)) if alone else 1))
    environment = _environment()
    for source in sources:
        if (BUILT / source.stem).exists():
            _runs[source.stem] = _pool[0].submit(_run, BUILT / source.stem, environment)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("LEADLINE_")}


def _asks(item: pytest.Item) -> bool:
    return item.path.name == TESTS and item.get_closest_marker("full") is None


def result(source: Path) -> Done | None:
    """What came of it; None where it is not built. Runs it now if begin() has not: in a worker."""
    run = _runs.get(source.stem)
    if run is None:
        return _run(BUILT / source.stem, _environment()) if (BUILT / source.stem).exists() else None
    return run.result()


def end() -> None:
    """No more of them are started."""
    for pool in _pool:
        pool.shutdown(cancel_futures=True)
