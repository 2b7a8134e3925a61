"""Compares the recorded order of calls with the plain log, call by call and field by field."""

from typing import Any

# Left out of the comparison: the log's `?` is a number of bytes nobody asked for.
UNKNOWN = "?"
# The log knows these two only of messages.
OF_MESSAGES = ("count", "size", "peer", "tag")


class Same:
    """One-to-one correspondence of two numberings, found while comparing."""

    def __init__(self) -> None:
        self.there: dict[int, int] = {}
        self.back: dict[int, int] = {}

    def agrees(self, here: int, there: int) -> bool:
        return self.there.setdefault(here, there) == there and self.back.setdefault(there, here) == here


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
    for key, value in logged.items():
        if value == UNKNOWN or (key in OF_MESSAGES and "made" in logged and not _is_message(logged["made"])):
            continue
        if key == "parts":
            found = _difference_of_parts(value, recorded.get(key, []))
            if found:
                return found
        elif key == "comm" or (key == "made" and logged["function"].startswith("MPI_Comm_")):
            if value >= 0 and not comms.agrees(value, recorded.get(key, -1)):
                return f"{key}: log {value} is {comms.there[value]} before, now {recorded.get(key)}"
        elif recorded.get(key) != value:
            return f"{key}: log {value}, recorded {recorded.get(key)}"
    return ""


def _difference_of_parts(logged: list[dict[str, Any]], recorded: list[dict[str, Any]]) -> str:
    if len(logged) != len(recorded):
        return f"requests: log {len(logged)}, recorded {len(recorded)}"
    for place, (one, other) in enumerate(zip(logged, recorded, strict=True)):
        keys = ["made", "age"]
        if _is_message(one["made"]):
            keys += ["peer", "tag"]
            one = {**one, "posted": one["count"] * one["size"]}
            keys.append("posted")
            if isinstance(one.get("bytes"), int):
                keys.append("bytes")
        for key in keys:
            if one[key] != other.get(key):
                return f"request {place}, {key}: log {one[key]}, recorded {other.get(key)}"
    return ""


def first_difference(logged: list[dict[str, Any]], recorded: list[dict[str, Any]]) -> str:
    """Where the two differ, in words; empty if they are the same."""
    comms = Same()
    logged, recorded = _merge_polls(logged), _merge_polls(recorded)
    for place, (one, other) in enumerate(zip(logged, recorded, strict=False)):
        found = _difference(one, other, comms)
        if found:
            before = [call["function"] for call in logged[max(0, place - 3) : place]]
            return f"call {place} (after {before}): {found}\n  log      {one}\n  recorded {other}"
    if len(logged) != len(recorded):
        return f"log has {len(logged)} calls, recorded {len(recorded)}; the shorter ends as the longer goes on"
    return ""
