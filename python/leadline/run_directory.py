"""The directory of a run: always a new one, never over an old one."""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import stat
import time
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

from leadline import __version__, own_files, owners
from leadline.errors import NoSuchRun, UsageError
from leadline.masking import masked_words
from leadline.text.visible import in_shell

DEFAULT_PARENT = "leadline-runs"
SCHEMA = 1
_KINDS: dict[str, type | tuple[type, ...]] = {
    "batch": dict,
    "command": list,
    "directory": str,
    "duration_s": (int, float),
    "end_unix_ns": int,
    "exit_code": int,
    "host": str,
    "lacks": list,
    "launcher": dict,
    "machine": dict,
    "name": str,
    "not_recorded": str,
    "signalled_s": (int, float),
    "signals": list,
    "start": str,
    "state": str,
}
JOB = "job.json"  # written by the first rank of a job (src/recorder/job/job_claim.cpp)
SHARED = "LEADLINE_SHARED_DIRECTORY"  # set: the run may be in a directory that others can write
KEEP_SECRETS = "LEADLINE_KEEP_SECRETS"
MOST_JSON_BYTES = 16 << 20  # of run.json and job.json


def require(path: Path, hint: str = "give the directory that leadline record printed") -> None:
    """Raises NoSuchRun, in the same words for every command, if it is no directory that can be looked at."""
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            return
        message = f"not a directory: {path}"
    except (FileNotFoundError, NotADirectoryError):
        message = f"no such directory: {path}"
    except (OSError, ValueError) as error:
        message = f"cannot read {path}: {getattr(error, 'strerror', None) or error}"
    raise NoSuchRun(message, hint=hint)


def new_directory(given: str | None, program: str, *, shared: bool = False) -> Path:
    """Make the directory of a new run and return its absolute path.

    given: the directory that the user named (-o), which must not exist or be empty; None for
    leadline-runs/<program>-<timestamp>-<n>.   shared: it may be one that others can write.
    Raises UsageError if it cannot be made or written, or if others can write it.
    """
    if given is not None:
        path = Path(given).absolute()
        make(path)
        refuse_if_others_write(path, shared=shared)
        if any(path.iterdir()):
            raise UsageError(f"{given} is not empty", hint="choose a new directory with -o DIR")
    else:
        path = _numbered(
            Path(DEFAULT_PARENT).absolute(), f"{stem(program)}-{time.strftime('%Y%m%d-%H%M%S')}", shared=shared
        )
    if not os.access(path, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write to {path}", hint="choose another directory with -o DIR")
    return path


def refuse_if_others_write(path: Path, *, shared: bool) -> None:
    """Raises UsageError if others can put files into the directory, unless that was asked for."""
    why = "" if shared else who_else_writes(path)
    if why:
        mend = (
            f"chmod go-w {in_shell(str(path))}" if path.stat().st_uid == os.geteuid() else "choose another with -o DIR"
        )
        raise UsageError(
            f"refused {path}: {why}, so others could change what is recorded",
            hint=f"{mend}, or use it as it is with --shared-directory",
        )


def who_else_writes(path: Path) -> str:
    """Who besides the user can put files into the directory; "" if nobody, or if it does not exist."""
    try:
        return owners.link_of_others(path) or owners.who_else_writes(path.stat())
    except OSError:
        return ""


def make(path: Path) -> None:
    """Make the directory, and those above it, so that only the user writes it, whatever the umask."""
    try:
        path.mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot create directory {path}: {error.strerror}", hint="choose another directory with -o DIR"
        ) from error


def why_not_written(directory: Path) -> str:
    """Why files can neither be made in the directory nor it be made itself, in the system's words; "" if they can."""
    for path in (directory, *directory.parents):
        try:
            status = path.stat()
        except FileNotFoundError:
            continue
        except OSError as error:
            return error.strerror or str(error)
        if not stat.S_ISDIR(status.st_mode):
            return os.strerror(errno.ENOTDIR)
        return _why_nothing_is_made_in(path) if os.access(path, os.W_OK | os.X_OK) else os.strerror(errno.EACCES)
    return ""


def _why_nothing_is_made_in(path: Path) -> str:
    """Some file systems, such as /proc, refuse what their permissions allow. The name is this process's own, so that
    ranks are not in each other's way."""
    tried = path / f".leadline-{os.getpid()}"
    try:
        tried.mkdir(mode=0o700)
        tried.rmdir()
    except FileExistsError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _numbered(parent: Path, name: str, *, shared: bool) -> Path:
    make(parent)
    refuse_if_others_write(parent, shared=shared)
    for number in itertools.count(1):
        path = parent / f"{name}-{number}"
        try:
            path.mkdir(mode=0o755)
            return path
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageError(
                f"cannot create directory {path}: {error.strerror}", hint="choose another directory with -o DIR"
            ) from error
    raise AssertionError


def stem(program: str) -> str:
    """A program's name as part of a directory's: at most 40 harmless characters."""
    return re.sub(r"[^A-Za-z0-9._+-]", "_", PurePath(program).name).lstrip(".")[:40] or "run"


def traces(directory: Path) -> list[Path]:
    """The trace files of the run: of processes that came to their end (of a node's ranks, one file), what killed ones
    left, and what says that such memory lies on a node (leadline.nodes)."""
    return sorted(path for kind in (".trace", ".traces", ".live", ".away") for path in directory.glob(f"*{kind}"))


def runs_in(directory: Path) -> list[Path]:
    """The directories with traces of one job each: this one, and those that other jobs made in it (job.json)."""
    others = [path.parent for path in directory.glob(f"*/{JOB}") if own_files.is_directory(path.parent)]
    found = [path for path in others if traces(path)]
    found.sort(key=lambda path: ((path / JOB).stat().st_mtime_ns, path.name))
    return [*([directory] if traces(directory) else []), *found]


def is_unclaimed_run(directory: Path) -> bool:
    """Whether there are traces whose job is unknown."""
    return not (directory / JOB).exists() and bool(traces(directory))


def describe(command: Sequence[str], *, keep_secrets: bool = False, **more: Any) -> dict[str, Any]:
    """The content of run.json: the command, its launcher, time and place. Passwords in the command are masked."""
    return {
        "schema": SCHEMA,
        "leadline": __version__,
        "state": "running",
        "command": list(command) if keep_secrets else masked_words(command),
        "directory": os.getcwd(),
        "host": os.uname().nodename,
        "start": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        **more,
    }


def write_description(directory: Path, description: dict[str, Any]) -> None:
    """Replace run.json in one step, so that a reader never sees half of it."""
    content = json.dumps(description, indent=2) + "\n"
    with own_files.Directory(directory) as opened:
        opened.write("run.json", content.encode())


def read_description(directory: Path) -> dict[str, Any]:
    """run.json, without members of another kind than it is written with; {} if it cannot be read."""
    return well_formed(read_json(directory / "run.json"))


def well_formed(found: dict[str, Any]) -> dict[str, Any]:
    """What is left of run.json or job.json, which anybody may have written: facts of a batch job are texts."""
    kept = {key: value for key, value in found.items() if key not in _KINDS or isinstance(value, _KINDS[key])}
    for key in ("command", "signals"):
        if key in kept:
            kept[key] = [word for word in kept[key] if isinstance(word, str)]
    if "batch" in kept:
        kept["batch"] = {key: str(value) for key, value in kept["batch"].items() if isinstance(value, str | int)}
    return kept


def read_json(path: Path) -> dict[str, Any]:
    """The content of the file; {} if it cannot be read or holds something else."""
    try:
        found = json.loads(own_files.read(path, MOST_JSON_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
