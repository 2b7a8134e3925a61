"""Runs samples in processes of their own and tells how they ended: neither a traceback, nor a signal, nor longer than
LIMIT_S, nor more memory than LIMIT_BYTES.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from leadline.errors import LeadlineError
from leadline.findings import FAILS

LIMIT_S = 10  # of processor time, so that a busy machine does not decide
WAITS_S = 300  # for what waits without computing
LIMIT_BYTES = 1 << 30
TOO_LARGE = 3

# Reads one damaged input, made of the random numbers, in a folder of its own. LeadlineError and OSError are answers.
Sample = Callable[[Path, Random], object]


@dataclass(frozen=True)
class Failure:
    reader: str
    seed: int
    what: str

    def __str__(self) -> str:
        return f"{self.reader} {self.seed}: {self.what}"


def failures(reader: str, seeds: range) -> list[Failure]:
    """Of those seeds. A process reads as many as it survives."""
    found: list[Failure] = []
    begin = seeds.start
    while begin < seeds.stop:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            last, ended = _in_a_process(reader, range(begin, seeds.stop), folder)
            for line in (folder / "failed").read_text().split("\0"):
                if line:
                    seed, _, what = line.partition(" ")
                    found.append(Failure(reader, int(seed), what))
        if ended:
            found.append(Failure(reader, last, ended))
        begin = last + 1
    return found


def _in_a_process(reader: str, seeds: range, folder: Path) -> tuple[int, str]:
    """(the last seed that was begun, how the process ended if not well)."""
    (folder / "failed").touch()
    words = [sys.executable, "-m", "fuzz", reader, str(seeds.start), str(seeds.stop), str(folder)]
    path = os.pathsep.join([str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")])
    environ = {**os.environ, "PYTHONPATH": path}
    environ.pop(FAILS, None)  # figures of damaged traces need not add up
    done = subprocess.run(words, env=environ, capture_output=True, check=False)
    begun = folder / "begun"
    assert begun.exists(), done.stderr.decode(errors="replace")
    last = int(begun.read_text())
    if done.returncode == 0:
        return seeds.stop - 1, ""
    if done.returncode > 0:
        return last, "" if done.returncode == TOO_LARGE else f"exit code {done.returncode}"
    name = signal.Signals(-done.returncode).name
    return last, f"does not end ({name})" if name in ("SIGXCPU", "SIGALRM") else f"ended by {name}"


def read_all(sample: Sample, seeds: range, folder: Path) -> int:
    """In a process of its own: failures go into folder/failed, and folder/begun names the seed that is read."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    (folder / "begun").write_text(str(seeds.start))
    first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for seed in seeds:
        (folder / "begun").write_text(str(seed))
        used = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + LIMIT_S + 1, hard_limit()))
        signal.alarm(WAITS_S)
        own = folder / "sample"
        own.mkdir()
        what = _answer(sample, own, Random(seed))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first) * 1024
        grown = max(grown, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)  # of the largest one
        if grown > LIMIT_BYTES:
            what = what or f"{grown >> 20} MiB of memory"
        if what:
            with (folder / "failed").open("a") as out:
                out.write(f"{seed} {what}\0")
        _remove(own)
        if grown > LIMIT_BYTES:  # what the next one takes could not be told
            return TOO_LARGE
    return 0


def hard_limit() -> int:
    return resource.getrlimit(resource.RLIMIT_CPU)[1]


def _answer(sample: Sample, folder: Path, random: Random) -> str:
    try:
        sample(folder, random)
    except (LeadlineError, OSError):
        return ""
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return (
            f"{type(error).__name__}: {str(error)[:200]} at {Path(where.filename).name}:{where.lineno} ({where.line})"
        )
    return ""


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        with contextlib.suppress(OSError):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    folder.rmdir()
