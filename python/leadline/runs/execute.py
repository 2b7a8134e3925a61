"""Runs one launch to its end. However it ends, none of its processes are left."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import replace
from typing import IO

from leadline.runs.guard import guarded
from leadline.runs.interruption import Interruption, interruption
from leadline.runs.launch import Launch
from leadline.runs.outcome import Ending, Outcome, signal_named
from leadline.runs.session import kill_group, kill_session

TERMINATION_S = 5.0  # for a launcher to end its ranks, before all are killed
GRACE_S = 1.0  # for a launch that gives up
LOOK_S = 0.1  # how often its output is looked at for that
LOOKED_AT_BYTES = 1 << 16
MOST_OUTPUT_BYTES = 64 << 20  # of each stream, its end: what is measured is printed last


def execute(launch: Launch) -> Outcome:
    """Run it.

    Raises KeyboardInterrupt or SystemExit, once the launch is ended, if a signal asked this process to end.
    """
    with interruption() as asked:
        outcome = outcome_of(launch, asked)
    if outcome.ending is Ending.INTERRUPTED:
        asked.end_if_any()
    return outcome


def outcome_of(launch: Launch, asked: Interruption, total_s: float | None = None) -> Outcome:
    """As execute(), but an interruption is an outcome. total_s: what is left of the time for all launches."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        if asked.signal:
            return Outcome(launch, Ending.INTERRUPTED, begin_unix_ns=time.time_ns())
        with guarded() as guard:
            begin_unix_ns, begin = time.time_ns(), time.perf_counter()
            try:
                process = subprocess.Popen(
                    launch.argv,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output if launch.merged else errors,
                    env=guard.environment(launch.env),
                    cwd=launch.cwd,
                    start_new_session=True,
                )
            except OSError as error:
                said = error.strerror or str(error)
                return Outcome(launch, Ending.NOT_STARTED, error=said, begin_unix_ns=begin_unix_ns)
            guard.started(process.pid)
            with _Watch(process) as watch:
                outcome = _waited(launch, watch, asked, begin, total_s, output)
        return replace(outcome, begin_unix_ns=begin_unix_ns, output=_text(output), errors=_text(errors))


def _waited(
    launch: Launch, watch: _Watch, asked: Interruption, begin: float, total_s: float | None, output: IO[bytes]
) -> Outcome:
    limits = [limit for limit in (launch.limit_s, total_s) if limit is not None]
    limit_s = min(limits, default=None)
    ending: Ending | None = None
    with asked.waking(watch.wake):
        ending = _until(launch, watch, asked, begin, None if limit_s is None else begin + limit_s, output)
        if ending is Ending.TIMED_OUT and limit_s != launch.limit_s:
            ending = Ending.CUT_SHORT
        if ending is not None:
            _end(watch, asked)
    code, cpu_s, peak_kb = watch.reap()
    outcome = Outcome(
        launch, Ending.DONE, limit_s=limit_s, wall_s=watch.ended - begin, cpu_s=cpu_s, peak_kb=peak_kb, exit_code=code
    )
    if ending is not None:
        return replace(outcome, ending=ending, exit_code=None)
    if code < 0:
        return replace(outcome, ending=Ending.KILLED, exit_code=None, signal=signal_named(code))
    return outcome if code == 0 else replace(outcome, ending=Ending.FAILED, signal=signal_named(code))


def _until(
    launch: Launch, watch: _Watch, asked: Interruption, begin: float, end: float | None, output: IO[bytes]
) -> Ending | None:
    """Why it has to be ended; None if it ended by itself."""
    given_up = False
    while True:
        if asked.signal:  # looked at before each wait: it may have come before there was anything to wake
            return Ending.INTERRUPTED
        looks = launch.gives_up_on or launch.enough is not None
        if watch.wait(_sooner(end, time.perf_counter() + LOOK_S) if looks else end):
            return None
        if launch.enough is not None and launch.enough(time.perf_counter() - begin):
            return Ending.ENOUGH
        if end is not None and time.perf_counter() >= end:
            return Ending.GIVEN_UP if given_up else Ending.TIMED_OUT
        if launch.gives_up_on and not given_up:
            given_up = launch.gives_up_on.encode() in os.pread(output.fileno(), LOOKED_AT_BYTES, 0)
            end = _sooner(end, time.perf_counter() + GRACE_S) if given_up else end


def _sooner(one: float | None, other: float) -> float:
    return other if one is None else min(one, other)


def _end(watch: _Watch, asked: Interruption) -> None:
    """The launcher first, which ends its ranks; then whatever is left of them. A second signal to us: at once."""
    os.kill(watch.process.pid, signal.SIGTERM)  # not terminate(), which would take the number of one that is over
    patience = time.perf_counter() + TERMINATION_S
    while asked.times < 2 and time.perf_counter() < patience and not watch.wait(patience):
        pass
    kill_session(watch.process.pid)
    while not watch.wait(None):
        pass


def _text(stream: IO[bytes]) -> str:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - MOST_OUTPUT_BYTES))
    return stream.read().decode(errors="replace")


class _Watch:
    """Waits for a process to end without taking its number from it, so that its group can be ended safely.

    A thread sits in waitid() and notes the time at once: a wait with a time limit, as `subprocess` has it, looks only
    every 50 ms, which would make launches with a limit slower than those without.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.ended = 0.0
        self._over = False
        self._failed = False
        self._woken, self.wake = os.pipe()
        self._poll = select.poll()
        self._poll.register(self._woken, select.POLLIN)
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def _watch(self) -> None:
        found = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        self.ended = time.perf_counter()
        self._failed = found is None or found.si_status != 0
        self._over = True
        os.write(self.wake, b"e")

    def wait(self, until: float | None) -> bool:
        """Whether it is over. Returns at its end, at that time (of perf_counter), or when something wakes it."""
        if not self._over:
            left_ms = None if until is None else max(0, int(1e3 * (until - time.perf_counter())) + 1)
            if self._poll.poll(left_ms):
                os.read(self._woken, 64)
        return self._over

    def reap(self) -> tuple[int, float, int]:
        """Exit code as `subprocess` has it, processor time in seconds, and the largest resident set in kB."""
        # What it left in the background would disturb the next launch. A launcher that was killed also leaves ranks.
        (kill_session if self._failed else kill_group)(self.process.pid)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return self.process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss

    def __exit__(self, *_: object) -> None:
        if self.process.returncode is None:  # an error of ours
            kill_session(self.process.pid)
            self._thread.join()
            self.reap()
        self._thread.join()
        os.close(self._woken)
        os.close(self.wake)
