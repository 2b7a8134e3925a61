"""What the three kinds of proposals about files have in common: their calls take less of their time."""

from __future__ import annotations

from leadline.advice.candidate import Candidate
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import Files
from leadline.wording.files import in_words


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
    return [entry for entry in content.patterns if entry.name == name and entry.sites and entry.time_s > 0]


def known_remaining(entry: PatternEntry) -> float | None:
    """What would remain of the calls' time, as a share; None: unknown."""
    remaining = entry.evidence.get("remaining_s")
    return float(remaining) / entry.time_s if remaining is not None else None
