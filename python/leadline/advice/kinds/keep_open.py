"""Files that are opened and closed again and again."""

from __future__ import annotations

from leadline.advice import files
from leadline.advice.candidate import Candidate, Kind
from leadline.figures.content import Content
from leadline.text import format as fmt

PATTERN = "reopened_files"


def candidates(content: Content) -> list[Candidate]:
    """Not of calls that larger transfers do without, anyway (larger_io.py)."""
    spared = {site for entry in files.of(content, "small_io") for site in files.kept_open(content, entry)}
    found = []
    for entry in files.of(content, PATTERN):
        remaining = files.known_remaining(entry)
        if remaining is None or not spared.isdisjoint(entry.sites):
            continue
        found.append(
            files.faster(
                "keep-open",
                f"Keep {files.names(entry)} open",
                f"Ranks open it {fmt.number(entry.evidence['opens_each'])} times each: open it before the loop, close "
                "it after the loop, and begin again with a seek (lseek, fseek, REWIND), or write at offsets.",
                entry,
                remaining,
                (
                    "nobody replaces or removes the file meanwhile",
                    "who reads the file while the program runs needs no closing of it (a flush may do)",
                ),
            )
        )
    return found


KIND = Kind(id="keep-open", order=53, candidates=candidates, patterns=(PATTERN,))
