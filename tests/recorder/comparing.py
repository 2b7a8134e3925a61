"""Compares the recorded order of calls with the plain log, call by call and field by field; failed polls by the places
and magnitudes of their runs."""

from collections import Counter
from typing import Any

# Left out of the comparison: the log's `?` is a number of bytes nobody asked for.
UNKNOWN = "?"
# The log knows these two only of messages.
MATCHED = {"MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "MPI_Improbe", "MPI_Mrecv", "MPI_Imrecv"}
OF_MESSAGES = ("count", "size", "peer", "tag", "comm")


class Same:
    """One-to-one correspondence of two numberings, found while comparing.

    The trace may give the number of a communicator that was freed to a later one like it; the log never does.
    """

    def __init__(self) -> None:
        self.there: dict[int, int] = {}
        self.back: dict[int, int] = {}

    def agrees(self, here: int, there: int) -> bool:
        return self.there.setdefault(here, there) == there and self.back.setdefault(there, here) == here

    def forget(self, here: int) -> None:
        self.back.pop(self.there.pop(here, -1), None)


def _found_nothing(call: dict[str, Any]) -> bool:
    """The log distinguishes a test that failed from one of null requests only; the trace does not."""
    idle = call["function"].startswith("MPI_Test") and (call.get("null") == 1 or call.get("done") == 0)
    return idle or bool(call.get("nothing"))


def _apart(calls: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[tuple[int, str, int]]]:
    """The events, each by itself, and the runs of failed polls: events before, function of the first, polls."""
    events: list[dict[str, Any]] = []
    runs: list[tuple[int, str, int]] = []
    for call in calls:
        call = dict(call)
        times = call.pop("times", 1)
        if not _found_nothing(call):
            events += [call] * times
        elif runs and runs[-1][0] == len(events):
            runs[-1] = (len(events), runs[-1][1], runs[-1][2] + times)
        else:
            runs.append((len(events), call["function"], times))
    return events, runs


def _known(polls: int) -> int:
    """The polls of a run as far as a trace has them: their number to a power of two."""
    return min(1 << (polls.bit_length() - 1), 1 << 15)


def _is_message(made: Any) -> bool:
    return isinstance(made, str) and any(word in made for word in ("send", "recv"))


CALLS_OF_MESSAGES = {"MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Sendrecv"}


def _difference(logged: dict[str, Any], recorded: dict[str, Any], comms: Same) -> str:
    of_a_collective = "made" in logged and not _is_message(logged["made"])
    if (
        recorded.get("peer") == "none"
        and logged.get("peer") != "none"
        and recorded.get("function") in CALLS_OF_MESSAGES
    ):
        return ""  # the library refused it: it is recorded without its arguments
    for key, value in logged.items():
        if value == UNKNOWN or key == "cancelled" or (of_a_collective and key in OF_MESSAGES):
            continue
        if key == "tag" and logged.get("peer") == "null" and logged.get("function") in MATCHED:
            continue  # the status of a probe of nobody has no tag
        if key == "parts":
            parts = recorded.get("parts", [])
            if len(parts) != len(value):
                return f"requests: log {len(value)}, recorded {len(parts)}"
            for place, (one, other) in enumerate(zip(value, parts, strict=True)):
                found = _difference(one, other, comms)
                if found:
                    return f"request {place}, {found}"
        elif key == "comm" or (key == "made" and isinstance(value, int)):
            if key == "made" and logged["function"] == "MPI_Comm_idup":
                continue  # the trace gives the new communicator its number when it is first used
            if value >= 0 and not comms.agrees(value, recorded.get(key, -1)):
                return f"{key}: log {value}, recorded {recorded.get(key)}; before {comms.there}"
        elif recorded.get(key) != value:
            return f"{key}: log {value}, recorded {recorded.get(key)}"
    return ""


def first_difference(logged: list[dict[str, Any]], recorded: list[dict[str, Any]]) -> str:
    """The first difference between the two, in words; empty if they are the same."""
    comms = Same()
    logged, polls = _apart(logged)
    recorded, recorded_polls = _apart(recorded)
    for place, (one, other) in enumerate(zip(logged, recorded, strict=False)):
        found = _difference(one, other, comms)
        if one["function"] == "MPI_Comm_free":
            comms.forget(one["comm"])
        if found:
            before = [call["function"] for call in logged[max(0, place - 3) : place]]
            return f"call {place} (after {before}): {found}\n  log      {one}\n  recorded {other}"
    if len(logged) != len(recorded):
        return f"log has {len(logged)} calls, recorded {len(recorded)}; the shorter ends as the longer goes on"
    expected = [(place, function, _known(times)) for place, function, times in polls]
    for one, other in zip(expected, recorded_polls, strict=False):
        if one != other:
            return f"failed polls: log {one}, recorded {other}"
    if len(expected) != len(recorded_polls):
        return f"log has {len(expected)} runs of failed polls, recorded {len(recorded_polls)}"
    return ""


def failed_polls(logged: list[dict[str, Any]]) -> dict[str, int]:
    """How many polls failed, by function."""
    polls: Counter[str] = Counter()
    for call in logged:
        if _found_nothing(call):
            polls[call["function"]] += call.get("times", 1)
    return dict(polls)
