"""Ranks that ended at their start: in MPI_Init, or without any MPI call after it.

If all ranks did, there is no time that shares could refer to: the report says what happened and withholds shares and
durations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from leadline import _core
from leadline.figures.run import Run, Site

_STARTUP = _core.CATEGORIES.index("startup")
_LOCAL = _core.CATEGORIES.index("local")


@dataclass(frozen=True)
class EndedAtStart:
    """Labels of the ranks, in display order.

    in_init: MPI_Init was called and did not return.
    after_init: MPI_Init returned, but no other call did, except local ones, and there were no file calls.
    called: of ranks in after_init that had entered a call, its name.
    aborted: as after_init, but MPI_Abort was called.   all_ranks: nothing else was recorded of the run.
    running: the run goes on, so these are no ends.
    """

    in_init: tuple[str, ...]
    after_init: tuple[str, ...]
    aborted: tuple[str, ...]
    all_ranks: bool
    exit_code: int | None
    running: bool = False
    called: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.in_init or self.after_init or self.aborted)


@dataclass(frozen=True)
class EndedInCall:
    """A rank whose process closed its trace within an MPI call. site: None if it is unknown."""

    rank: str
    function: str
    site: Site | None


def ended_in_call(run: Run) -> list[EndedInCall]:
    """In display order. A process that was killed did not close its trace, and is not among them."""
    found = []
    for index in run.order:
        process = run.processes[index]
        if not process.complete or process.finalized:
            continue
        for _, in_call, function, site, _ in process.ends:
            if in_call:
                place = next((each for each in run.sites if site in each.members), None)
                found.append(EndedInCall(run.label(index), run.profile.functions[function].name, place))
    return found


def ended_at_start(run: Run, *, running: bool = False) -> EndedAtStart:
    in_init: list[str] = []
    after_init: list[str] = []
    aborted: list[str] = []
    called: dict[str, str] = {}
    for index in run.order:
        process = run.processes[index]
        calls = process.category_calls
        others = sum(calls) - calls[_STARTUP] - calls[_LOCAL]
        if process.finalized or not (process.initialized or process.initializing):
            continue
        if others or process.file_calls.calls or process.pauses.count:  # paused: it may have made calls
            continue
        # A crash while the recorder looks at what MPI_Init made comes before the call is recorded, too.
        which = (
            in_init if process.initializing or not calls[_STARTUP] else aborted if calls[_STARTUP] > 1 else after_init
        )
        which.append(run.label(index))
        entered = next((function for _, in_call, function, *_ in process.ends if in_call), None)
        if which is after_init and entered is not None:
            called[run.label(index)] = run.profile.functions[entered].name
    found = len(in_init) + len(after_init) + len(aborted)
    code = run.description.get("exit_code")
    return EndedAtStart(
        tuple(in_init),
        tuple(after_init),
        tuple(aborted),
        all_ranks=0 < found == len(run.processes),
        exit_code=code if isinstance(code, int) else None,
        running=running,
        called=called,
    )
