"""Compares the recorded order of calls with the plain log, call by call and field by field."""

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


def _merge_polls(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Failed polls in a row that look the same are one entry with `times`."""
    merged: list[dict[str, Any]] = []
    for call in calls:
        call = {"times": 1, **call}
        last = merged[-1] if merged else None
        if call.get("nothing") and last and {**last, "times": 0} == {**call, "times": 0}:
            last["times"] += call["times"]
        else:
            merged.append(call)
    return merged


def _is_message(made: Any) -> bool:
    return isinstance(made, str) and any(word in made for word in ("send", "recv"))


def _difference(logged: dict[str, Any], recorded: dict[str, Any], comms: Same) -> str:
    of_a_collective = "made" in logged and not _is_message(logged["made"])
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
    """Where the two differ, in words; empty if they are the same."""
    comms = Same()
    logged, recorded = _merge_polls(logged), _merge_polls(recorded)
    for place, (one, other) in enumerate(zip(logged, recorded, strict=False)):
        found = _difference(one, other, comms)
        if one["function"] == "MPI_Comm_free":
            comms.forget(one["comm"])
        if found:
            before = [call["function"] for call in logged[max(0, place - 3) : place]]
            return f"call {place} (after {before}): {found}\n  log      {one}\n  recorded {other}"
    if len(logged) != len(recorded):
        return f"log has {len(logged)} calls, recorded {len(recorded)}; the shorter ends as the longer goes on"
    return ""
