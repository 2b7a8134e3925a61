"""A fault of Open MPI itself, which ends one job in some dozens on several hosts, with Leadline or without it.

In MPI_Init, a rank may receive a message by TCP for MPI_COMM_WORLD before that communicator is ready there, and crash.
Open MPI 4.1.4 did so in 3 of 50 plain jobs of four ranks on three hosts, Open MPI 5.0 more rarely. Such a launch says
nothing about Leadline. Tests launch again then, in a fresh directory, with a warning in pytest's summary. They do so
for nothing else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

LAUNCHES = 4
SIGNAL = "*** Process received signal ***"
# Frames of the stack that Open MPI prints: the message is matched while the library starts.
FRAMES = ("mca_pml_ob1_recv_frag_callback_match", "ompi_mpi_init")


class LibraryCrashed(UserWarning):
    """Open MPI crashed in MPI_Init by its own fault, and the launch was repeated."""


def crashed_in_init(said: str) -> bool:
    """Whether a job's output shows the fault: the signal's notice, and both of its frames after it."""
    _, notice, stack = said.partition(SIGNAL)
    return bool(notice) and all(frame in stack for frame in FRAMES)


def launched(attempt: Callable[[int], Result], said: Callable[[], str], *, what: str) -> Result:
    """attempt(number), again while it fails and what it `said` shows the fault: at most LAUNCHES times in all.

    An attempt fails by raising, whatever it raises; the last failure is passed on.
    """
    for number in range(LAUNCHES):
        try:
            return attempt(number)
        except Exception as failure:
            if number + 1 == LAUNCHES or not crashed_in_init(f"{said()}\n{failure}"):
                raise
            again = f"{number + 1} of at most {LAUNCHES - 1} times"
            warnings.warn(
                LibraryCrashed(f"{what}: Open MPI crashed in MPI_Init; launched again, {again}"), stacklevel=2
            )
    raise AssertionError("not reached")
