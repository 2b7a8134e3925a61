"""A command opens each trace, and each file that traces share, once, and reads no byte of them twice, whatever it makes
of them: as the kernel sees it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from recorder import running
from recorder.building import Builder
from recorder.libraries import find, quiet_environment

from .conftest import STEPS, Opened

STRACE = shutil.which("strace")
OPENED = re.compile(r'openat\(\w+(?:<[^>]*>)?, "([^"]+\.(?:trace|structure))", O_RDONLY')
READ = re.compile(r"pread64\(\d+<([^>]+\.(?:trace|structure))>.* = (\d+)$", re.MULTILINE)
EXPORTS = ("goal",)


@pytest.mark.parametrize(
    "words",
    [
        ["report"],
        ["report", "--all"],
        ["report", "--json"],
        ["report", "--json", "--html=report.html"],
        ["report", "--table=waits"],
        ["timeline"],
        *(["export", name, f"--output={name}"] for name in EXPORTS),
    ],
    ids=" ".join,
)
def test_each_trace_is_opened_once_and_read_once(words: list[str], whole: Opened, tmp_path: Path) -> None:
    once_each(traced([*words, str(whole.directory)], tmp_path), whole.directory)


def test_two_runs_that_are_compared_are_read_once(whole: Opened, without_steps: Opened, tmp_path: Path) -> None:
    directories = [whole.directory, without_steps.directory]
    once_each(traced(["compare", *map(str, directories)], tmp_path), *directories)


def test_a_run_that_was_just_recorded_is_read_once(tmp_path: Path) -> None:
    library = find("mpich") or find("debian-mpich") or find("openmpi")
    if library is None or running.find_recorder() is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    program = Builder().c(library, "tables.c")
    words = ["run", "-o", "run", "--", *library.launch(2), str(program), str(STEPS), str(tmp_path)]
    once_each(traced(words, tmp_path, quiet_environment(library)), tmp_path / "run")


def test_traces_whose_bytes_are_kept_are_decoded_as_often_as_needed(whole: Opened, tmp_path: Path) -> None:
    """As of runs that would take too much memory if their traces stayed decoded."""
    program = (
        "import json, sys; from leadline.figures import traces; traces.MOST_DECODED_BYTES = 0\n"
        "from leadline.report import open_report; print(json.dumps(open_report(sys.argv[1]).data))"
    )
    seen, told = traced_program(["-c", program, str(whole.directory)], tmp_path)
    once_each(seen, whole.directory)
    assert json.loads(told) == json.loads(json.dumps(whole.report))


def once_each(seen: str, *directories: Path) -> None:
    """The files of these runs."""
    folders = [directory.resolve() for directory in directories]
    traces = {str(file) for folder in folders for file in folder.glob("*.trace")}
    shared = {str(file) for folder in folders for file in folder.glob("*.structure")}
    opened = Counter(os.path.realpath(file) for file in OPENED.findall(seen))
    assert opened == dict.fromkeys(opened, 1)
    assert traces <= opened.keys() <= traces | shared
    read: Counter[str] = Counter()
    for file, n_bytes in READ.findall(seen):
        read[file] += int(n_bytes)
    assert [file for file in opened if not 0 < read[file] <= os.path.getsize(file)] == []


def traced(words: list[str], directory: Path, environment: dict[str, str] | None = None) -> str:
    return traced_program(["-m", "leadline", *words], directory, environment)[0]


def traced_program(words: list[str], directory: Path, environment: dict[str, str] | None = None) -> tuple[str, str]:
    """The calls of a Python program that open and read files, and what it writes."""
    if STRACE is None:
        pytest.skip("strace is not installed: ./dev setup")
    if subprocess.run([STRACE, "-o", "/dev/null", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("strace may not trace here")
    calls = directory / "calls"
    command = [STRACE, "-ff", "-y", "-s", "4096", "-e", "trace=openat,pread64", "-o", calls, sys.executable, *words]
    done = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, check=False, env={**os.environ, **(environment or {})}
    )
    assert done.returncode == 0, done.stderr
    # A file for each thread, so that no line is cut in two by another thread's.
    lines = [file.read_text(errors="replace") for file in directory.glob("calls.*")]
    return "".join(lines), done.stdout
