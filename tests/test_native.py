"""Runs the C++ test programs, which ./dev test has built: one per source in the folders that have tests in C++."""

import subprocess
from pathlib import Path

import native_programs
import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = sorted({path.parent for path in (ROOT / "tests").glob("*/*_test.cpp")})
SOURCES = sorted(path for folder in FOLDERS for path in folder.glob("*.cpp"))
DEBUG = ROOT / "build" / "debug" / "tests"  # with assertions of the standard library: ./dev build --debug


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_native_program_passes(source: Path) -> None:
    done = native_programs.result(source)
    assert done, f"{native_programs.BUILT / source.stem} is not built: ./dev test builds it"
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.full
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_native_program_passes_with_assertions(source: Path, tmp_path: Path) -> None:
    program = DEBUG / source.stem
    if not program.exists():
        pytest.skip("not built: ./dev build --debug")
    done = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, timeout=850, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
