"""What patterns of file I/O cost: the time of the calls beyond what would remain after the change, and the time that
other ranks wait for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from leadline import _core
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.figures.run import Site
from leadline.figures.waits import WaitEntry

Cause = tuple[str, str, Site | None, float]  # rank, doing, site, share

BY_ONE = {"write_by_one": "writer", "read_by_one": "reader"}
LEAST_SHARE = 0.01  # of the time, from which a pattern is a finding
_CLASSES = _core.CALL_CLASSES


def recoverable_s(content: Content, entry: PatternEntry) -> float:
    """Of a pattern of files. If it is unknown what remains after the change, this is the time of all calls."""
    if entry.name == "file_per_rank" and "remaining_s" not in entry.evidence:
        return 0.0  # the bytes have to be moved in any case
    calls_s = max(entry.time_s - entry.evidence.get("remaining_s", 0.0), 0.0)
    if entry.name not in BY_ONE:
        return calls_s
    # If all others wait the whole time, their waiting is the cost; if they need not wait, the rank's own time is.
    return max(calls_s, waited_for(content, entry))


def costly(content: Content) -> list[PatternEntry]:
    """Those that are findings."""
    files = [entry for entry in content.patterns if entry.files]
    return [entry for entry in files if content.share(recoverable_s(content, entry)) >= LEAST_SHARE]


def waited_for(content: Content, entry: PatternEntry) -> float:
    """Seconds that the other ranks wait for the one that writes, or reads: as matched calls show it, or as sends to the
    writer take longer than its receives do. Buffers are finite, so short sends wait, too, until it goes on."""
    one, reading = entry.evidence[BY_ONE[entry.name]], entry.name == "read_by_one"
    waits = content.waits.entries
    matched_s = sum(wait.seconds * share_for(content, one, _causes(wait), reading=reading) for wait in waits)
    # Without Leadline the writer would have gone on earlier.
    own_s = sum(rank.own_between_s for rank in content.ranks if rank.rank == one)
    return max(matched_s, entry.evidence.get("held_up_s", 0.0) - own_s)


def held_up_by_files(entry: PatternEntry) -> float:
    """Seconds for which sends of an exchange wait for the rank that receives, as it uses files in between."""
    told = entry.evidence
    if not told.get("receiver_uses_files"):
        return 0.0
    return float(max(told["sending_s"] - told["receiving_s"], 0.0))


def waited_for_writer(content: Content, writer: str | None, sites: Collection[Site]) -> float:
    """Seconds of waiting at these call sites for the rank that writes for all."""
    waits = [wait for wait in content.waits.entries if wait.site in sites] if writer is not None else []
    return sum(wait.seconds * share_for(content, writer, _causes(wait)) for wait in waits)


def writer_in_findings(content: Content) -> str | None:
    """The rank that writes for all, if that is a finding to which the waiting for it belongs."""
    for entry in costly(content):
        if entry.name == "write_by_one":
            return str(entry.evidence["writer"])
    return None


def share_for(content: Content, one: str | None, causes: Iterable[Cause], *, reading: bool = False) -> float:
    """The part of a wait for which the rank was in file calls that do not read, or in those that do."""
    return sum(
        share
        for rank, doing, site, share in causes
        if rank == one and doing == "io" and site is not None and _reads(content, site) == reading
    )


def _causes(wait: WaitEntry) -> list[Cause]:
    return [(cause.rank, cause.doing, cause.site, cause.share) for cause in wait.causes]


def _reads(content: Content, site: Site) -> bool:
    cls = next(function.cls for function in content.run.profile.functions if function.name == site.function)
    return "reads" in _CLASSES[cls].moves or "read" in site.function
