"""A prediction as a run: what summary, report, compare and export read, marked as predicted."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leadline import _core
from leadline.errors import DamagedTrace, UsageError
from leadline.figures.run import Run
from leadline.predict.prediction import Change, Prediction, Replays
from leadline.run_directory import describe, write_description

STATE = "predicted"


def write_run(replays: Replays, change: Change, found: Prediction, directory: Path, options: Sequence[str] = ()) -> int:
    """Writes the predicted run into a new directory; returns how many calls it has.

    options: of `leadline predict`, for people.
    Raises UsageError if the directory exists or cannot be made, or if the replay has too many calls to be written.
    """
    tree, settings = replays.to_write(change)
    calls = _core.predicted_calls(tree, settings)
    if calls > _core.MOST_PREDICTED_CALLS:
        raise UsageError(
            f"the predicted run has {calls:,} calls; at most {_core.MOST_PREDICTED_CALLS:,} can be written",
            hint="fewer --steps; without -o, only the times are predicted",
        )
    if directory.exists() or directory.is_symlink():
        raise UsageError(f"{directory} already exists; choose a new directory", hint="-o NEWDIR")
    try:
        directory.mkdir(mode=0o755)  # whatever the umask: others must not be able to add traces
    except OSError as error:
        raise UsageError(f"cannot create {directory}: {error.strerror}", hint="-o NEWDIR") from error
    try:
        written, left_out = _write_traces(replays, change, tree, settings, directory)
        replays.run.keep_symbols(directory)
        write_description(directory, _description(replays.run, found, options, left_out))
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    return written


def _write_traces(
    replays: Replays, change: Change, tree: _core.ReplayTree, settings: _core.ReplaySettings, directory: Path
) -> tuple[int, int]:
    """Calls that were written, and those of which it is not known what they would have recorded."""
    run = replays.run
    clock = int.from_bytes(hashlib.sha256(str(directory.absolute()).encode()).digest()[:7], "big") | 1
    predicted = _core.predicted_run(tree, settings)
    written = left_out = 0
    for rank, (_, index) in enumerate(sorted(run.worlds[0].processes.items())):
        host = change.hosts[rank] if change.hosts else run.processes[index].host
        path = directory / f"rank-{rank:05d}-predicted.trace"
        try:
            process = run.trace(index)
        except _core.TraceError as error:
            raise DamagedTrace(f"cannot read a trace again: {error}") from error
        try:
            calls, lost = predicted.write(run.profile, process, index, rank, str(path), host, clock)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error}", hint="-o NEWDIR") from error
        written, left_out = written + calls, left_out + lost
    return written, left_out


def _description(run: Run, found: Prediction, options: Sequence[str], left_out: int) -> dict[str, Any]:
    same = {key: run.description[key] for key in ("launcher", "machine") if key in run.description}
    description = describe(run.description.get("command") or [], state=STATE, **same)
    iteration = found.predicted.iteration or (None, None, None)
    description["predicted"] = {
        "from": str(run.path.absolute()),
        "options": list(options),
        "seconds": found.predicted.seconds,
        "low": found.predicted.low,
        "high": found.predicted.high,
        "iteration": dict(zip(("seconds", "low", "high"), iteration, strict=True)),
        "base_seconds": found.base.seconds,
        "error_of_base": found.error_of_base,
        "notes": [*found.notes, *found.assumptions],
    }
    lacks = [
        ("predicted-polls", "Failed polls, and what ranks did in other threads, are not predicted."),
        ("predicted-files", "What is said of each file, and of local functions, is as recorded, not as predicted."),
    ]
    description["lacks"] = [{"code": code, "amount": 1, "message": message} for code, message in lacks]
    if left_out:
        description["lacks"].append(
            {
                "code": "predicted-calls",
                "amount": left_out,
                "message": f"{left_out:,} changed calls are omitted: what they would have recorded is unknown.",
            }
        )
    return description
