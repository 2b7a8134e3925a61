"""A command opens each trace once and reads no byte of it twice, whatever it makes of it: as the kernel sees it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from .conftest import Opened

STRACE = shutil.which("strace")
OPENED = re.compile(r'openat\(\w+(?:<[^>]*>)?, "([^"]+\.trace)"')
READ = re.compile(r"pread64\(\d+<([^>]+\.trace)>.* = (\d+)$", re.MULTILINE)


@pytest.mark.parametrize(
    "words",
    [
        ["report"],
        ["report", "--all"],
        ["report", "--json"],
        ["report", "--json", "--html=report.html"],
        ["report", "--table=waits"],
        ["timeline"],
    ],
    ids=" ".join,
)
def test_each_trace_is_opened_once_and_read_once(words: list[str], whole: Opened, tmp_path: Path) -> None:
    seen = traced([*words, str(whole.directory)], tmp_path)
    files = {str(file): file.stat().st_size for file in whole.directory.glob("*.trace")}
    assert Counter(OPENED.findall(seen)) == dict.fromkeys(files, 1)
    read: Counter[str] = Counter()
    for file, n_bytes in READ.findall(seen):
        read[file] += int(n_bytes)
    assert {file: read[file] <= size and read[file] > 0 for file, size in files.items()} == dict.fromkeys(files, True)


def traced(words: list[str], directory: Path) -> str:
    """The command's calls that open and read files."""
    if STRACE is None:
        pytest.skip("strace is not installed: ./dev setup")
    if subprocess.run([STRACE, "-o", "/dev/null", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("strace may not trace here")
    calls = directory / "calls"
    command = [STRACE, "-f", "-y", "-s", "4096", "-e", "trace=openat,pread64", "-o", calls]
    command += [sys.executable, "-m", "leadline", *words]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return calls.read_text(errors="replace")
