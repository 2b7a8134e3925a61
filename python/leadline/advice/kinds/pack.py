"""A loop sends each partner one message after another."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.predict import Pack


def candidates(content: Content) -> list[Candidate]:
    found = []
    for entry in content.patterns:
        loop = entry.evidence.get("loop")
        if entry.name != "packable_messages" or not loop or entry.evidence.get("one_sided"):
            continue
        found.append(
            Candidate(
                "pack",
                f"Pack the messages of {of_pattern(entry)}",
                "Copy the messages to each partner into one buffer, or use one datatype, and exchange them "
                "once, after the loop. Leadline's segments do that.",
                entry.sites,
                Pack(of_pattern(entry), members=(loop,)),
                (
                    "no iteration of the loop needs what another one exchanges",
                    "computing all before exchanging all loses little in the caches",
                ),
                together=int(entry.evidence["together"]),
            )
        )
    return found


KIND = Kind(id="pack", order=20, candidates=candidates, patterns=("packable_messages",))
