"""Patterns of file I/O in words."""

from __future__ import annotations

from typing import Any

from leadline.text import format as fmt
from leadline.wording.files import in_words

WORTH_SAYING = 0.001  # of the time


def file_sentence(found: dict[str, Any]) -> str:
    return {
        "read_all_by_all": _read_by_all,
        "write_by_one": _by_one,
        "read_by_one": _by_one,
        "small_io": _small,
        "file_per_rank": _one_per_rank,
        "reopened_files": _reopened,
    }[found["pattern"]](found)


def _would_take(found: dict[str, Any], then: str) -> str:
    """What the calls would take after the change, if that is known."""
    share = found["remaining_share"]
    return f"; {then} would take about {fmt.percent(share)}" if share is not None else ""


def _read_by_all(found: dict[str, Any]) -> str:
    each = "each of them" if found["files"] > 1 else "it"
    return (
        f"{fmt.percent(found['share'])}: {fmt.plural(found['readers'], 'rank')} each read all of "
        f"{in_words(found['file'], found['files'])} ({fmt.size(found['file_bytes'])})"
        f"{_would_take(found, f'reading {each} once')}."
    )


def _by_one(found: dict[str, Any]) -> str:
    files, others = in_words(found["file"], 1), found["files"] - 1
    files += f" and {fmt.plural(others, 'other file')}" if others else ""
    does, moved = ("writes", "bytes_written") if "writer" in found else ("reads", "bytes_read")
    rank = found.get("writer", found.get("reader"))
    text = f"{fmt.percent(found['share'])}: rank {rank} {does} {files} for all ranks ({fmt.size(found[moved])})"
    if found["waited_share"] >= WORTH_SAYING:
        text += f"; the others spend {fmt.percent(found['waited_share'])} of the time waiting for it"
    return text + "."


def _small(found: dict[str, Any]) -> str:
    done = "read and written"
    if not found["writes"] or not found["reads"]:
        done = "read" if found["reads"] else "written"
    verb = "is" if found["files"] == 1 else "are"
    through = " through stdio" if found["buffered"] else ""
    return (
        f"{fmt.percent(found['share'])}: {in_words(found['file'], found['files'])} {verb} {done} in "
        f"{fmt.count(found['transfers'])} transfers of {fmt.size(found['bytes_each'])} on average{through}"
        f"{_would_take(found, 'larger transfers')}."
    )


def _one_per_rank(found: dict[str, Any]) -> str:
    return (
        f"{fmt.percent(found['deciding_share'])}: every rank opens its own files "
        f"({in_words(found['file'], found['files'])})."
    )


def _reopened(found: dict[str, Any]) -> str:
    verb = "is" if found["files"] == 1 else "are"
    return (
        f"{fmt.percent(found['deciding_share'])}: {in_words(found['file'], found['files'])} {verb} opened and closed "
        f"{fmt.number(found['opens_each'])} times by each rank."
    )
