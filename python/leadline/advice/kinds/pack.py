"""A loop sends each partner one message after another; or messages to a partner follow one another without a loop of
their own, and nothing is received between them."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import Join, Pack

CACHE_LINE = 64
CACHED_BYTES = 1 << 16  # that fit into the own caches of a core, beside others


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        loop = entry.evidence.get("loop")
        if entry.name != "packable_messages" or entry.evidence.get("one_sided"):
            continue
        if not loop:
            found += _in_a_row(entry)
            continue
        found.append(
            Candidate(
                "pack",
                f"Pack the messages of {of_pattern(entry)}",
                "Copy the messages to each partner into one buffer, or use one datatype, and exchange them "
                "once, after the loop. Leadline's segments do that.",
                entry.sites,
                Pack(
                    of_pattern(entry),
                    members=tuple(entry.evidence.get("loops", (loop,))),
                    cached=_is_cached(entry),
                    computes=bool(entry.evidence.get("computes", True)),
                ),
                (
                    "no iteration of the loop needs what another one exchanges",
                    "computing all before exchanging all loses little in the caches",
                ),
                together=int(entry.evidence["together"]),
            )
        )
    return found


def _is_cached(entry: PatternEntry) -> bool:
    each = entry.n_bytes / max(entry.messages, 1)
    return each >= CACHE_LINE and each * int(entry.evidence["together"]) <= CACHED_BYTES


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
