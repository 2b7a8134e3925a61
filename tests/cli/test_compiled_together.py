"""Sources of one library can be compiled as one, as `./dev demo` and `pip install` do to take half the time.

Which ones meet in a unit changes whenever a file is added, so all of a library are put into one: names in files' own
namespaces must differ.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = re.compile(r"CMakeFiles/(leadline_\w+|_core)\.dir/Unity/")


@pytest.mark.ci
def test_all_sources_of_a_library_compile_as_one(tmp_path: Path) -> None:
    cmake, ninja = shutil.which("cmake"), shutil.which("ninja")
    if cmake is None or ninja is None:
        pytest.skip("cmake and ninja are not installed")
    configure = [cmake, "-S", ROOT, "-B", tmp_path, "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}"]
    configure += ["-DLEADLINE_ONCE=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0"]
    for command in (configure, [cmake, "--build", tmp_path, "--target", "leadline_generated"]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    units = [unit for unit in json.loads((tmp_path / "compile_commands.json").read_text()) if OURS.search(unit["file"])]
    assert len(units) > 10
    for unit in units:
        command = [*shlex.split(unit["command"]), "-fsyntax-only"]
        done = subprocess.run(command, cwd=unit["directory"], capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, f"{unit['file']}:\n{done.stderr[-4000:]}"
