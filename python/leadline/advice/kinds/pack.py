"""A loop sends each partner one message after another; or messages to a partner follow one another without a loop of
their own, and nothing is received between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.findings.alike import alike, joined
from leadline.predict import Join, Pack

SEGMENTS = (2, 4, 8)  # messages that may be left of a loop's: what comes first travels while the rest is computed
FEWEST_IN_ONE = 3


def candidates(content: Content) -> list[Candidate]:
    told = [e for e in content.patterns if e.name == "packable_messages" and not e.evidence.get("one_sided")]
    found = []
    for entries in alike(content, told):
        in_loops = [_in_loop(entry) for entry in entries if entry.evidence.get("loop")]
        if in_loops:
            found.append(_one_change(in_loops))
        for entry in entries:
            found += [] if entry.evidence.get("loop") else _in_a_row(entry)
    return found


def _in_loop(entry: PatternEntry) -> Candidate:
    told = entry.evidence
    pack = Pack(
        of_pattern(entry),
        members=tuple(told.get("loops", (told["loop"],))),
        computes=bool(told.get("computes", True)),
    )
    whole = Candidate(
        "pack",
        f"Pack the messages of {of_pattern(entry)}",
        "Copy the messages to each partner into one buffer, or use one datatype, and exchange them "
        "once, after the loop. Leadline's segments do that.",
        entry.sites,
        pack,
        (
            "no iteration of the loop needs what another one exchanges",
            "computing all before exchanging all loses little in the caches",
        ),
        together=int(told["together"]),
    )
    if len(pack.members) > 1 or told.get("together_at_least") or told.get("together_at_most"):
        return whole
    return replace(whole, degrees=tuple(_into(n, whole, pack) for n in SEGMENTS if n * FEWEST_IN_ONE <= whole.together))


def _into(segments: int, whole: Candidate, pack: Pack) -> Candidate:
    each = math.ceil(whole.together / segments)
    return replace(
        whole,
        title=f"{whole.title} into {segments} messages",
        text=f"Copy what {each:,} iterations send to each partner into one buffer, or use one datatype, and exchange "
        "that before the next ones. Leadline's segments do that.",
        change=replace(pack, most=each),
        segments=segments,
    )


def _one_change(parts: Sequence[Candidate]) -> Candidate:
    """Of loops in which one routine sends: who makes it send several messages as one mends all of them."""
    if len(parts) == 1:
        return parts[0]
    first, *others = parts
    places = list(dict.fromkeys(part.change.sites for part in parts if isinstance(part.change, Pack)))
    return replace(
        first,
        title=f"Pack the messages of {joined(places)}",
        text=first.text.replace("after the loop", "after each loop"),
        sites=tuple(dict.fromkeys(site for part in parts for site in part.sites)),
        also=tuple(part.change for part in others),
        together=max(part.together for part in parts),
        parts=tuple(parts),
        degrees=(),
    )


def _in_a_row(entry: PatternEntry) -> list[Candidate]:
    if not entry.sites:
        return []
    members = tuple(member for site in entry.sites for member in site.members)
    together = int(entry.evidence["together"])
    return [
        Candidate(
            "pack",
            f"Send as one message what {of_pattern(entry)} sends to each partner in {together:,}",
            "Use one derived datatype for all (MPI_Type_vector, MPI_Type_create_struct), or copy them into a buffer.",
            entry.sites,
            Join(of_pattern(entry), members),
            ("what is sent is there before the first of these messages is",),
            together=together,
        )
    ]


KIND = Kind(id="pack", order=20, candidates=candidates, patterns=("packable_messages",))
