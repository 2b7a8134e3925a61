"""A run of tests/programs/tables.c on three ranks, one without a step, and one that lost a rank: each opened once."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.building import Builder
from recorder.libraries import find

import leadline
from leadline.figures.run import open_run
from leadline.report import to_json

RANKS, STEPS = 3, 7


@dataclass(frozen=True)
class Opened:
    """A run as tables, and as the report."""

    directory: Path
    recording: Any
    report: dict[str, Any]


def opened(directory: Path) -> Opened:
    return Opened(directory, leadline.open(directory), to_json(open_run(directory)))


def record(directory: Path, steps: int) -> Path:
    library = find("mpich") or find("debian-mpich") or find("openmpi")
    recorder = running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    program = [Builder().c(library, "tables.c"), str(steps), directory]
    done = running.run_mpi(library, RANKS, program, cwd=directory, recorder=recorder, run_directory=directory / "run")
    assert done.returncode == 0, done.stderr
    return directory / "run"


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return opened(record(tmp_path_factory.mktemp("tables"), STEPS))


@pytest.fixture(scope="session")
def without_steps(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return opened(record(tmp_path_factory.mktemp("tables"), 0))


@pytest.fixture(scope="session")
def without_rank_1(whole: Opened, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    directory = tmp_path_factory.mktemp("tables") / "run"
    shutil.copytree(whole.directory, directory)
    (trace,) = directory.glob("rank-00001-*.trace")
    trace.unlink()
    return opened(directory)


@pytest.fixture(params=["whole", "without_steps", "without_rank_1"])
def any_run(request: pytest.FixtureRequest) -> Opened:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Opened)
    return found
