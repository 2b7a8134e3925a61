"""What the three kinds of proposals about files have in common: their calls take less of their time."""

from __future__ import annotations

import re
from dataclasses import replace

from leadline.advice.candidate import Candidate
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.figures.run import Site
from leadline.predict import Files
from leadline.wording.files import in_words

MOVING = re.compile("MPI_File_(i?read|i?write)")
OPENING = re.compile("f?(open|close)(64|at|at64)?$")
OPENED_EACH = 4  # transfers


def faster(
    kind: str, title: str, text: str, entry: PatternEntry, remaining: float, assumes: tuple[str, ...]
) -> Candidate:
    """remaining: the share of its calls' time that the pattern would still take."""
    members = tuple(member for site in entry.sites for member in site.members)
    return Candidate(
        kind, title, text, entry.sites, Files(names(entry), min(max(remaining, 0.0), 1.0), members), assumes
    )


def names(entry: PatternEntry) -> str:
    return in_words(entry.files[0], int(entry.evidence.get("files") or 1)) if entry.files else "a file"


def of(content: Content, name: str) -> list[PatternEntry]:
    """Patterns of this name whose calls can be told from others of the program."""
    found = [_with_sites(content, entry) for entry in content.patterns if entry.name == name and entry.time_s > 0]
    return [entry for entry in found if entry.sites]


def _with_sites(content: Content, entry: PatternEntry) -> PatternEntry:
    """The calls on an MPI file are not always told from those on others. If there are no others, they are known."""
    mine = set(entry.files)
    used = {file.file for file in content.files.files if file.mpi.time_s > 0}
    if entry.sites or used != mine:
        return entry
    sites = tuple(each.site for each in content.sites if each.site is not None and MOVING.match(each.name))
    return replace(entry, sites=sites, steps=entry.steps or steps_of(content))


def steps_of(content: Content) -> int:
    found = content.iterations
    return found.found.count if found is not None and found.loop is not None and not found.lumped else 0


def kept_open(content: Content, entry: PatternEntry) -> tuple[Site, ...]:
    """Calls that open and close files as often as these are moved, in the same routines: then each transfer has its
    own."""
    transfers = int(entry.evidence["transfers"])
    routines = {site.routine for site in entry.sites}
    rows = [
        each
        for each in content.file_sites
        if each.site is not None and OPENING.match(each.name) and each.site.routine in routines
    ]
    return tuple(each.site for each in rows if each.site is not None and each.calls >= transfers / OPENED_EACH)


def known_remaining(entry: PatternEntry) -> float | None:
    """What would remain of the calls' time, as a share; None: unknown."""
    remaining = entry.evidence.get("remaining_s")
    return float(remaining) / entry.time_s if remaining is not None else None
