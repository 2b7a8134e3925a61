"""What an imported archive lacks, in words, so that nothing is left out silently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Lack:
    """code: of a report's losses.   amount: how often."""

    code: str
    amount: int
    message: str


# By the core's names: (one, several) begin the sentence, the rest follows the number.
_SENTENCES = {
    "unknown_records": ("record is", "records are", "of a kind that is not imported"),
    "outside_calls": ("record lies", "records lie", "outside of every MPI call: left out"),
    "nested_calls": ("MPI call was", "MPI calls were", "made within another one, and count as part of it"),
    "unbalanced": ("region was", "regions were", "left without having been entered, or never left"),
    "unknown_comms": ("message or collective is", "messages and collectives are",
                      "on communicators that the archive does not describe: without partner"),
    "no_message": ("call that sends or receives has", "calls that send or receive have",
                   "no message in the archive: treated as a call with MPI_PROC_NULL"),
    "no_collective": ("collective has", "collectives have", "neither communicator nor bytes in the archive"),
    "unknown_requests": ("completion is", "completions are", "of requests that no call of the archive made"),
    "open_requests": ("nonblocking call has", "nonblocking calls have",
                      "no completion in the archive, or one that comes late: without partner and bytes"),
    "starts": ("start is", "starts are", "of persistent requests that no call of the archive created"),
    "left_over": ("message is", "messages are", "in a call that has another one: left out"),
    "no_completion": ("call that completes requests has", "calls that complete requests have",
                      "no record of which: treated as calls on requests that had ended"),
    "no_transfer": ("call on a file has", "calls on files have", "no record of the file or its bytes"),
    "no_start": ("process has", "processes have",
                 "no MPI_Init in the archive: the time of the run goes from the first call to the last"),
    "threads": ("location is", "locations are", "of threads beyond the 64 of a process that a trace can have"),
    "other_locations": ("location is", "locations are", "no thread of a process (accelerators, metrics): left out"),
}  # fmt: skip


def lacks(found: dict[str, Any]) -> tuple[Lack, ...]:
    """found: the reader's answer."""
    all_lacks = [_said(name, amount) for name, amount in found["missing"].items() if amount and name in _SENTENCES]
    calls, pathless = found["calls"], found["missing"]["without_path"]
    if pathless:
        some = "no call path is" if pathless >= calls else f"{pathless:,} of {calls:,} calls are in no routine that is"
        all_lacks.append(
            Lack(
                "imported-without-paths",
                pathless,
                f"{some} in the archive: call sites are told apart by function only, and loops by what repeats",
            )
        )
    unreadable = found["unreadable"]
    if unreadable:
        more = f" (and {len(unreadable) - 1} more)" if len(unreadable) > 1 else ""
        all_lacks.append(
            Lack("archive-damaged", len(unreadable), f"events that could not be read: {unreadable[0]}{more}")
        )
    return tuple(all_lacks)


def _said(name: str, amount: int) -> Lack:
    one, several, rest = _SENTENCES[name]
    code = "imported-" + name.replace("_", "-")
    return Lack(code, amount, f"{amount:,} {one if amount == 1 else several} {rest}")
