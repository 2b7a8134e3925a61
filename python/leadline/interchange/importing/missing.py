"""What an imported archive lacks, in words, so that nothing is omitted silently."""

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
    "unknown_records": ("record", "records", "of an unsupported kind omitted"),
    "outside_calls": ("record lies", "records lie", "outside any MPI call: omitted"),
    "nested_calls": ("MPI call is", "MPI calls are", "nested in another MPI call and counted as part of it"),
    "unbalanced": ("region has", "regions have", "no matching enter or leave event"),
    "unknown_comms": ("message or collective uses", "messages and collectives use",
                      "communicators missing from the archive: partner unknown"),
    "no_message": ("call that sends or receives has", "calls that send or receive have",
                   "no message record: treated as a call with MPI_PROC_NULL"),
    "no_collective": ("collective lacks", "collectives lack", "communicator and size"),
    "unknown_requests": ("completion belongs", "completions belong", "to requests that the archive never creates"),
    "open_requests": ("nonblocking call has", "nonblocking calls have",
                      "no completion, or a late one: partner and size unknown"),
    "starts": ("start belongs", "starts belong", "to persistent requests that the archive never creates"),
    "left_over": ("message", "messages", "omitted: a second message in one call"),
    "no_completion": ("completion call has", "completion calls have",
                      "no record of the requests: treated as calls on inactive requests"),
    "no_transfer": ("file call has", "file calls have", "no file or size"),
    "no_start": ("process has", "processes have",
                 "no MPI_Init: run time is from first to last call"),
    "threads": ("location is", "locations are", "beyond the limit of 64 threads per process: omitted"),
    "other_locations": ("location is", "locations are", "not a thread (accelerators, metrics): omitted"),
}  # fmt: skip


def lacks(found: dict[str, Any]) -> tuple[Lack, ...]:
    """found: the reader's answer."""
    all_lacks = [_said(name, amount) for name, amount in found["missing"].items() if amount and name in _SENTENCES]
    calls, pathless = found["calls"], found["missing"]["without_path"]
    if pathless:
        some = "no call has a" if pathless >= calls else f"{pathless:,} of {calls:,} calls have no"
        all_lacks.append(
            Lack(
                "imported-without-paths",
                pathless,
                f"{some} call path in the archive: call sites are distinguished by function only, loops by repetition",
            )
        )
    unreadable = found["unreadable"]
    if unreadable:
        more = f" (and {len(unreadable) - 1} more)" if len(unreadable) > 1 else ""
        all_lacks.append(Lack("archive-damaged", len(unreadable), f"unreadable events: {unreadable[0]}{more}"))
    return tuple(all_lacks)


def _said(name: str, amount: int) -> Lack:
    one, several, rest = _SENTENCES[name]
    code = "imported-" + name.replace("_", "-")
    return Lack(code, amount, f"{amount:,} {one if amount == 1 else several} {rest}")
