"""How a launch ended. A failure is a result like any other: a row with its reason."""

from __future__ import annotations

import enum
import signal
from dataclasses import dataclass
from typing import Any

from leadline.errors import MeasurementFailed
from leadline.runs.launch import Launch

LAST_LINES = 4


class Ending(enum.Enum):
    DONE = "done"  # exit code 0
    ENOUGH = "ended early"  # it had done what it was started for
    FAILED = "failed"  # another exit code
    KILLED = "killed"  # by a signal
    TIMED_OUT = "timed out"  # it did not end within its own limit
    GIVEN_UP = "given up"  # it printed what it gives up on, and did not end then
    NOT_STARTED = "not started"  # the system refused
    CUT_SHORT = "cut short"  # the time limit for all launches was reached: no fault of its own
    INTERRUPTED = "interrupted"  # this process was asked to end


@dataclass(frozen=True)
class Outcome:
    """The end of a launch, and what it left.

    exit_code: None if it did not end by itself.   error: the system's word if it could not be started.
    signal: the name of the one that killed it. The system tells it, or a launcher does, by an exit code of 128 + its
    number.
    limit_s: the limit that held, if any.
    wall_s: from its start until its launcher ended.   cpu_s, peak_kb: of the processes on this host that its launcher
    waited for: processor time, and the largest resident set of one of them.
    output, errors: what it printed; everything is in `output` if the launch asked for that.
    """

    launch: Launch
    ending: Ending
    exit_code: int | None = None
    signal: str | None = None
    error: str = ""
    limit_s: float | None = None
    begin_unix_ns: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_kb: int = 0
    output: str = ""
    errors: str = ""

    @property
    def ok(self) -> bool:
        return self.ending in (Ending.DONE, Ending.ENOUGH)

    @property
    def reason(self) -> str:
        """Why it failed, in a few words; "" if it did not."""
        match self.ending:
            case Ending.DONE | Ending.ENOUGH:
                return ""
            case Ending.FAILED:
                return f"exit code {self.exit_code}" + (f" ({self.signal})" if self.signal else "")
            case Ending.KILLED:
                return f"killed by {self.signal}"
            case Ending.TIMED_OUT:
                return f"timed out after {seconds(self.limit_s or 0)}"
            case Ending.GIVEN_UP:
                return f"stopped after the output {self.launch.gives_up_on.strip()!r}"
            case Ending.NOT_STARTED:
                return f"{self.launch.argv[0]}: {self.error}"
            case Ending.CUT_SHORT:
                return "the time limit for all launches was reached"
            case Ending.INTERRUPTED:
                return "interrupted"

    @property
    def explained(self) -> str:
        """The reason, and the last that the program said."""
        if self.ok or self.ending is Ending.NOT_STARTED:
            return self.reason
        return f"{self.reason}: {' | '.join(self.last_lines()) or '(no output)'}"

    def lines(self) -> list[str]:
        """All that it printed, without blank lines and margins; standard error last."""
        return [line.strip() for line in f"{self.output}\n{self.errors}".splitlines() if line.strip()]

    def last_lines(self, most: int = LAST_LINES) -> list[str]:
        """Of standard error; of standard output if there are none."""
        said = [line.strip() for line in (self.errors.strip() or self.output.strip()).splitlines() if line.strip()]
        return said[-most:]

    def required(self) -> Outcome:
        """Itself, if it succeeded; otherwise raises MeasurementFailed. For launches that nothing can continue
        without."""
        if not self.ok:
            raise MeasurementFailed(f"{self.launch.label}: {self.explained}")
        return self

    def row(self) -> dict[str, Any]:
        """Everything worth keeping of it, as plain data."""
        return {
            "label": self.launch.label,
            "ending": self.ending.value,
            "reason": self.reason,
            "exit_code": self.exit_code,
            "signal": self.signal,
            "begin_unix_ns": self.begin_unix_ns,
            "wall_s": self.wall_s,
            "cpu_s": self.cpu_s,
            "peak_kb": self.peak_kb,
            "last_lines": [] if self.ok else self.last_lines(),
        }


def signal_named(exit_code: int) -> str | None:
    """The signal that an exit code stands for: -9 as Python has it, 137 as launchers and shells do."""
    number = -exit_code if exit_code < 0 else exit_code - 128
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}" if exit_code < 0 else None


def seconds(limit_s: float) -> str:
    return f"{limit_s:.0f} s" if limit_s >= 10 else f"{limit_s:.2g} s"
