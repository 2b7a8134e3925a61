"""The directory of a run: always a new one, never over an old one."""

from __future__ import annotations

import itertools
import json
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

from leadline import __version__
from leadline.errors import UsageError

DEFAULT_PARENT = "leadline-runs"
SCHEMA = 1
JOB = "job.json"  # written by the first rank of a job (src/recorder/job/job_claim.cpp)


def new_directory(given: str | None, program: str) -> Path:
    """Make the directory of a new run and return its absolute path.

    given: the directory that the user named (-o), which must not exist or be empty; None for
    leadline-runs/<program>-<timestamp>-<n>. Raises UsageError if it cannot be made or written.
    """
    if given is not None:
        path = Path(given).absolute()
        make(path)
        if any(path.iterdir()):
            raise UsageError(f"{given} is not empty", hint="a run never overwrites an old one; name a new directory")
    else:
        path = _numbered(Path(DEFAULT_PARENT).absolute(), f"{stem(program)}-{time.strftime('%Y%m%d-%H%M%S')}")
    if not os.access(path, os.W_OK | os.X_OK):
        raise UsageError(f"{path} is not writable", hint="name another directory with -o DIR")
    return path


def make(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make the directory {path}: {error.strerror}", hint="name another directory with -o DIR"
        ) from error


def _numbered(parent: Path, name: str) -> Path:
    make(parent)
    for number in itertools.count(1):
        path = parent / f"{name}-{number}"
        try:
            path.mkdir()
            return path
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageError(
                f"cannot make the directory {path}: {error.strerror}", hint="name another directory with -o DIR"
            ) from error
    raise AssertionError


def stem(program: str) -> str:
    """A program's name as part of a directory's: at most 40 harmless characters."""
    return re.sub(r"[^A-Za-z0-9._+-]", "_", PurePath(program).name).lstrip(".")[:40] or "run"


def traces(directory: Path) -> list[Path]:
    """The trace files of the run: of processes that came to their end, what killed ones left, and what says that such
    memory lies on a node (leadline.nodes)."""
    return sorted([*directory.glob("*.trace"), *directory.glob("*.live"), *directory.glob("*.away")])


def runs_in(directory: Path) -> list[Path]:
    """The directories with traces of one job each: this one, and those that other jobs made in it (job.json)."""
    others = [path.parent for path in directory.glob(f"*/{JOB}")]
    found = [path for path in others if traces(path)]
    found.sort(key=lambda path: ((path / JOB).stat().st_mtime_ns, path.name))
    return [*([directory] if traces(directory) else []), *found]


def is_unclaimed_run(directory: Path) -> bool:
    """Whether there are traces whose job is unknown."""
    return not (directory / JOB).exists() and bool(traces(directory))


def describe(command: Sequence[str], **more: Any) -> dict[str, Any]:
    """The content of run.json: the command, its launcher, time and place."""
    return {
        "schema": SCHEMA,
        "leadline": __version__,
        "state": "running",
        "command": list(command),
        "directory": os.getcwd(),
        "host": os.uname().nodename,
        "start": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        **more,
    }


def write_description(directory: Path, description: dict[str, Any]) -> None:
    """Replace run.json in one step, so that a reader never sees half of it."""
    path = _temporary(directory, description)
    os.replace(path, directory / "run.json")


def read_description(directory: Path) -> dict[str, Any]:
    """run.json; {} if it cannot be read."""
    return read_json(directory / "run.json")


def read_json(path: Path) -> dict[str, Any]:
    """The content of the file; {} if it cannot be read or holds something else."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _temporary(directory: Path, description: dict[str, Any]) -> Path:
    for number in itertools.count(1):
        path = directory / f".run-{os.uname().nodename}-{os.getpid()}-{number}.json"
        try:
            with path.open("x") as out:
                json.dump(description, out, indent=2)
                out.write("\n")
        except FileExistsError:  # of a process with our number, in another container or long ago
            continue
        path.chmod(0o644)
        return path
    raise AssertionError
