"""Runs samples in processes of their own and tells how they ended: neither a traceback, nor a signal, nor longer than
LIMIT_S, nor more memory than LIMIT_BYTES.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from leadline.errors import LeadlineError

LIMIT_S = 10  # of processor time, so that a busy machine does not decide
LIMIT_BYTES = 1 << 30

# Reads one damaged input, made of the random numbers, in a folder of its own. LeadlineError and OSError are answers.
Sample = Callable[[Path, Random], object]


@dataclass(frozen=True)
class Failure:
    reader: str
    seed: int
    what: str

    def __str__(self) -> str:
        return f"{self.reader} {self.seed}: {self.what}"


def failures(reader: str, sample: Sample, seeds: range) -> list[Failure]:
    """Of those seeds. A process reads as many as it survives."""
    found: list[Failure] = []
    begin = seeds.start
    while begin < seeds.stop:
        with tempfile.TemporaryDirectory() as folder:
            last, ended = _in_a_process(sample, range(begin, seeds.stop), Path(folder))
            for line in (Path(folder) / "failed").read_text().split("\0"):
                if line:
                    seed, _, what = line.partition(" ")
                    found.append(Failure(reader, int(seed), what))
        if ended:
            found.append(Failure(reader, last, ended))
        begin = last + 1
    return found


def _in_a_process(sample: Sample, seeds: range, folder: Path) -> tuple[int, str]:
    """(the last seed that was begun, how the process ended if not well)."""
    ours, theirs = os.pipe()
    (folder / "failed").touch()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(ours)
        _read_all(sample, seeds, folder, theirs)
    os.close(theirs)
    with os.fdopen(ours, "rb") as begun:
        told = begun.read()
    _, status = os.waitpid(child, 0)
    last = int(told.split()[-1]) if told.split() else seeds.start
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return last, f"more than {LIMIT_S} s" if number == signal.SIGXCPU else f"ended by {signal.Signals(number).name}"
    return (seeds.stop - 1 if os.WEXITSTATUS(status) == 0 else last), ""


def _read_all(sample: Sample, seeds: range, folder: Path, told: int) -> None:
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    failed = (folder / "failed").open("a")
    for seed in seeds:
        os.write(told, b"%d\n" % seed)
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + LIMIT_S + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        own = folder / "sample"
        own.mkdir()
        what = _answer(sample, own, Random(seed))
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if most * 1024 > LIMIT_BYTES:
            what = what or f"{most >> 10} MiB of memory"
        if what:
            failed.write(f"{seed} {what}\0")
            failed.flush()
        _remove(own)
        if most * 1024 > LIMIT_BYTES:  # what the next one takes could not be told
            os._exit(1)
    failed.close()
    os._exit(0)


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
