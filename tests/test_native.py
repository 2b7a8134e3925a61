"""Runs the C++ test programs, which ./dev test has built: one per source in these folders (as in CMakeLists.txt)."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("trace", "analysis", "report", "collectives")
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / "tests" / folder).glob("*.cpp"))
BUILT = ROOT / "build" / "dev" / "tests"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_native_program_passes(source: Path, tmp_path: Path) -> None:
    program = BUILT / source.stem
    assert program.exists(), f"{program} is not built: ./dev test builds it"
    done = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
