"""Runs the C++ test programs, which ./dev test has built: one per source in these folders (as in CMakeLists.txt)."""

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("trace", "recording", "host", "report", "collectives")
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / "tests" / folder).glob("*.cpp"))
BUILT = ROOT / "build" / "dev" / "tests"
DEBUG = ROOT / "build" / "debug" / "tests"  # with assertions of the standard library: ./dev build --debug


Done = subprocess.CompletedProcess[str]


def run(program: Path, directory: Path) -> Done:
    return subprocess.run([program], cwd=directory, capture_output=True, text=True, timeout=280, check=False)


@pytest.fixture(scope="module")
def runs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Path, Future[Done]]]:
    """Those of the programs that are asked for and built, each of which has one thread: as many at once as cores."""
    here = [item for item in request.session.items if item.path == request.path and isinstance(item, pytest.Function)]
    sources = [item.callspec.params["source"] for item in here if "runs" in item.fixturenames]
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    built = [source for source in sources if (BUILT / source.stem).exists()]
    yield {source: pool.submit(run, BUILT / source.stem, tmp_path_factory.mktemp(source.stem)) for source in built}
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_native_program_passes(source: Path, runs: dict[Path, Future[Done]]) -> None:
    assert source in runs, f"{BUILT / source.stem} is not built: ./dev test builds it"
    done = runs[source].result()
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.full
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_native_program_passes_with_assertions(source: Path, tmp_path: Path) -> None:
    program = DEBUG / source.stem
    if not program.exists():
        pytest.skip("not built: ./dev build --debug")
    done = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, timeout=850, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
