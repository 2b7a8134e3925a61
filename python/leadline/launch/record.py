"""Records one command: prepares the directory and the environment, runs it, and says how it went."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from leadline import nodes, own_files, run_directory
from leadline.launch import process
from leadline.launch.launcher import Launcher, find_launcher, prepared
from leadline.launch.machine import machine
from leadline.launch.program import program_file, program_word
from leadline.launch.recorder import RUNS, merged_preload, require_library, variables
from leadline.launch.sanitizers import runtime_in_front
from leadline.launch.wrappers import preload_in_front, wrappers_in_front

BEAT_S = 2.0
TIMED_OUT = 124  # the exit code of `timeout 60 mpiexec …` once the time is over


@dataclass(frozen=True)
class RecordedCommand:
    """A run that is over. exit_code is the program's own."""

    directory: Path
    command: tuple[str, ...]
    launcher: Launcher | None
    exit_code: int

    @property
    def runs(self) -> list[Path]:
        """The directories of the jobs that the command started, first come first: most start one."""
        return run_directory.runs_in(self.directory)

    @property
    def has_traces(self) -> bool:
        return bool(self.runs)


def record(
    command: Sequence[str],
    *,
    output: str | None = None,
    settings: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    on_start: Callable[[Path, Launcher | None], None] | None = None,
    while_waiting: Callable[[], None] | None = None,
    on_trouble: Callable[[str], None] | None = None,
) -> RecordedCommand:
    """Run `command` with its ranks recorded into a new directory.

    output: the directory, or None for a new one under leadline-runs. settings: LEADLINE_* variables for the recorder.
    environ: the program's environment, by default ours. on_trouble: is told about failures of ours that do not keep the
    program from running. Raises UsageError, MissingPrerequisite, CannotStart.
    """
    environ = dict(os.environ if environ is None else environ)
    environ.pop(RUNS, None)
    require_library()
    process.resolve(command[0], environ.get("PATH"))
    launcher = find_launcher(command, environ.get("PATH"))
    settings = settings or {}
    program = program_word(command, launcher) or command[0]
    directory = run_directory.new_directory(output, program, shared=_is_set(run_directory.SHARED, settings, environ))
    theirs = preload_in_front(command)
    in_front = runtime_in_front(program_file(command, launcher, environ), environ)
    ours = variables(
        directory,
        False,
        {"LEADLINE_CLOCKS": "hosts", **settings},
        environ.get("LD_PRELOAD") if theirs is None else theirs,
        in_front,
    )
    words, environ = prepared(command, launcher, environ, ours, merged_preload(None, in_front))

    description = run_directory.describe(
        command,
        keep_secrets=_is_set(run_directory.KEEP_SECRETS, settings, environ),
        launcher=_describe_launcher(launcher),
        machine=machine(),
    )
    file = _DescriptionFile(directory, on_trouble)
    file.write(description)
    if on_start is not None:
        on_start(directory, launcher)
    begin = time.monotonic()

    def signalled(number: int) -> None:
        """Written at once: a batch system may kill us soon."""
        description.setdefault("signals", []).append(signal.Signals(number).name)
        description.setdefault("signalled_s", round(time.monotonic() - begin, 6))
        file.write(description)

    try:
        heart = _Heart(directory, while_waiting)
        code = process.run(words, environ, while_waiting=heart.beat, on_signal=signalled)
    except BaseException:
        file.write({**description, "state": "not started"})
        raise
    seconds = time.monotonic() - begin
    over: dict[str, Any] = {"state": "finished", "exit_code": code}
    over |= {"duration_s": round(seconds, 6), "end_unix_ns": time.time_ns()}
    if code == TIMED_OUT and any(PurePath(piece[0]).name == "timeout" for piece in wrappers_in_front(command)):
        over["timed_out"] = True
    file.write({**description, **over})
    with contextlib.suppress(OSError):  # it stays on the node, and the report says so
        nodes.collect(directory)
    return RecordedCommand(directory, tuple(command), launcher, code)


def note_nothing(directory: Path, reason: str) -> None:
    """Keep in run.json why the command left no trace, for those who ask for its report later."""
    with contextlib.suppress(OSError):
        description = run_directory.read_description(directory)
        if description:
            run_directory.write_description(directory, {**description, "not_recorded": reason})


class _DescriptionFile:
    """run.json. On a full disk it may be missing or old: the program runs even so, and its exit code is passed on."""

    def __init__(self, directory: Path, on_trouble: Callable[[str], None] | None) -> None:
        self._directory = directory
        self._on_trouble = on_trouble

    def write(self, description: dict[str, Any]) -> None:
        try:
            run_directory.write_description(self._directory, description)
        except OSError as error:
            if self._on_trouble is not None:
                file = self._directory / "run.json"
                self._on_trouble(f"warning: cannot write {file}: {error.strerror or error}")
            self._on_trouble = None  # once is enough


class _Heart:
    """While the command runs: sets run.json's time, so that who reads it after our own death knows how long the command
    lived, and notes which ranks on this node are gone."""

    def __init__(self, directory: Path, also: Callable[[], None] | None) -> None:
        self._file = directory / "run.json"
        self._also = also
        self._last = time.monotonic()
        self._ends: dict[Path, dict[int, int]] = {}

    def beat(self) -> None:
        if time.monotonic() - self._last > BEAT_S:
            self._last = time.monotonic()
            with contextlib.suppress(OSError):
                with own_files.Directory(self._file.parent) as directory:
                    directory.touch(self._file.name)
                nodes.note_gone(self._file.parent, self._ends)
        if self._also is not None:
            self._also()


def _is_set(variable: str, settings: Mapping[str, str], environ: Mapping[str, str]) -> bool:
    return settings.get(variable, environ.get(variable, "")) not in ("", "0")


def _describe_launcher(launcher: Launcher | None) -> dict[str, str] | None:
    if launcher is None:
        return None
    return {"kind": launcher.kind.name, "path": launcher.path, "version": launcher.version}
