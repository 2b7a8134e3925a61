"""Traces that change while a report reads them: what is missing then is said."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.errors import LeadlineError
from leadline.mpi import find as find_library

PROGRAM = Path(__file__).resolve().parent / "programs" / "random_calls.c"

# The command, whose traces are damaged once they have been read for the first time.
DAMAGES = """
import pathlib, sys
import leadline.figures.traces as traces
from leadline.__main__ import run

read_all = traces.Traces.read_all
def and_damage(self, files):
    yield from read_all(self, files)
    for file in files if state == "damaged" else ():
        with open(file, "r+b") as trace:
            trace.seek(4096)
            trace.write(bytes(pathlib.Path(file).stat().st_size - 4096))
traces.Traces.read_all = and_damage
traces.MOST_DECODED_BYTES = 0
_, state, directory = sys.argv
sys.argv[1:] = ["report", directory]
run()
"""


@pytest.fixture(scope="module", params=["mpich", "openmpi"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of calls that hardly repeat: payloads are long, so they stay in the files."""
    try:
        library = find_library(request.param)
    except LeadlineError:
        pytest.skip(f"{request.param} from PyPI is not installed")
    folder = tmp_path_factory.mktemp("changing")
    program = folder / "random_calls"
    subprocess.run([library.mpicc, "-O2", str(PROGRAM), "-o", str(program)], check=True, env=library.env())
    command = [*library.launch(2, oversubscribe=True), str(program), "400"]
    record = [sys.executable, "-m", "leadline", "record", "-o", str(folder / "run"), "--", *command]
    subprocess.run(record, check=True, timeout=300, env={**library.env(), **library.environ}, capture_output=True)
    return folder / "run"


def test_a_trace_that_is_overwritten_during_a_report_is_said_to_be_damaged(recorded: Path) -> None:
    said = "traces changed or were damaged while they were read"
    for state, code in ("whole", 0), ("damaged", 1):  # the second one last: it does what it says
        words = [sys.executable, "-c", DAMAGES, state, str(recorded)]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        assert ended.returncode == code, ended.stdout + ended.stderr
        assert (said in ended.stderr) == (state == "damaged"), ended.stderr
        assert "Traceback" not in ended.stderr
