"""Reads what plainlog.c wrote: the plain log of calls the recorder is compared with."""

from pathlib import Path
from typing import Any


def _value(text: str) -> Any:
    return int(text) if text.lstrip("-").isdigit() else text


def _fields(words: list[str]) -> dict[str, Any]:
    pairs = [word.partition("=") for word in words]
    return {key: _value(value) for key, _, value in pairs}


def read_log(path: Path) -> list[dict[str, Any]]:
    """One dictionary per line: `function`, its fields, and `parts`, one for each request of a list."""
    calls = []
    for line in path.read_text().splitlines():
        if line.startswith("calls "):
            continue
        head, *parts = line.split(" | ")
        name, *words = head.split()
        call = {"function": name, **_fields(words)}
        if parts or "requests" in call:
            call["parts"] = [_fields(part.split()) for part in parts]
        calls.append(call)
    return calls


def read_totals(path: Path) -> dict[str, int]:
    """Calls per function, of all functions."""
    lines = [line.split() for line in path.read_text().splitlines() if line.startswith("calls ")]
    return {name: int(number) for _, name, number in lines}
