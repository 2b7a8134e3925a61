"""Where the ranks' time went, in the parts that a strip shows. Terminal and page draw the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LEAST_OWN_SHOWN = 0.02  # share of overhead from which on it is worth a word

Kind = Literal["computation", "waiting", "transfer", "mpi", "files", "own", "startup"]
LOST: tuple[Kind, ...] = ("waiting", "transfer", "mpi", "files")
"""Parts in which nothing is computed."""


@dataclass(frozen=True)
class TimePart:
    """time_s: of all ranks.   share: of their time between MPI_Init and MPI_Finalize; None for these two calls."""

    kind: Kind
    time_s: float
    share: float | None


def time_parts(
    base_s: float, mpi_s: float, files_s: float, own_s: float, startup_s: float, waiting_s: float | None
) -> tuple[TimePart, ...]:
    """In the order in which they are drawn; those that took no time are left out.

    base_s: what shares refer to.   mpi_s: without files and start-up.   files_s: of libc and MPI_File_*.
    own_s: overhead of Leadline's, between calls.
    waiting_s: for other ranks, None if it is unknown; then MPI's time is one part.
    """
    times: dict[Kind, float] = {"computation": max(base_s - mpi_s - files_s - own_s, 0.0)}
    if waiting_s is None:
        times["mpi"] = mpi_s
    else:
        times["waiting"] = min(waiting_s, mpi_s)
        times["transfer"] = mpi_s - times["waiting"]
    times["files"] = files_s
    times["own"] = own_s
    parts = [TimePart(kind, time_s, time_s / base_s) for kind, time_s in times.items() if base_s > 0 and time_s > 0]
    return (*parts, *([TimePart("startup", startup_s, None)] if startup_s > 0 else []))
