"""A pattern of communication or I/O that can be replaced by something faster."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from leadline.figures import file_costs
from leadline.figures.content import Content
from leadline.figures.paths import short_place
from leadline.figures.patterns import CONSECUTIVE, PROCESSES, PatternEntry
from leadline.figures.waits import WaitEntry
from leadline.findings.alike import alike, from_where, inner_routines, making_routine, together
from leadline.findings.finding import About, Evidence, Fact, LoopPlace, Rule, at_least
from leadline.findings.pattern_words import SAVED, sentence
from leadline.wording.patterns import pattern_at

MOST = 8
HIDING = "no_overlap"
FENCE = "MPI_Win_fence"
LATE_RECEIVER = "late_receiver"
OF_ORDER = ("serialised_order", "unexpected_large")

HELP = {
    "packable_messages": "Pack the messages to each partner into one, or use a derived datatype.",
    "consecutive_exchanges": "Exchange all these fields together: one message to each partner with the halos of all.",
    "consecutive_reductions": "Reduce the values together, in one array.",
    "consecutive_broadcasts": "Broadcast the values together: in one array, or as one datatype.",
    "all_to_one": "Use MPI_Gather or MPI_Gatherv, or MPI_Reduce if the values are summed.",
    "one_to_all": "Use MPI_Scatter or MPI_Scatterv, or MPI_Bcast if all ranks get the same data.",
    "handmade_broadcast": "Use MPI_Bcast: the library picks the algorithm for the size and the number of ranks.",
    "handmade_reduction": "Use MPI_Reduce or MPI_Allreduce.",
    "handmade_alltoall": "Use MPI_Alltoall or MPI_Alltoallv.",
    "serialised_order": "Post receives first (MPI_Irecv), or use MPI_Sendrecv.",
    "unexpected_large": "Post the receive (MPI_Irecv) before the matching send starts.",
    "redundant_barrier": "Remove the barrier: the messages already synchronise both ranks.",
    "allreduce_bound": "Combine several allreduces into one, or overlap them (MPI_Iallreduce).",
    "no_overlap": "Move independent computation between Isend/Irecv and Wait.",
    "polling": "Use MPI_Wait or MPI_Probe instead of polling if there is no other work.",
    "repeated_creation": "Create them once, before the loop, if they are the same in every iteration.",
    "read_all_by_all": "Read the file collectively (MPI_File_read_all), or on one rank followed by MPI_Bcast.",
    "write_by_one": "Write in parallel (MPI_File_write_all, parallel NetCDF or HDF5), or less often.",
    "read_by_one": "Let each rank read its part: MPI_File_read_at_all, parallel NetCDF or HDF5.",
    "small_io": "Use larger transfers: whole arrays, or collective MPI-IO.",
    "reopened_files": "Open the file once, before the loop, and close it after the loop.",
    "file_per_rank": "Write one shared file collectively: one file per rank can overload the metadata server.",
}
# On one host the kernel locks a file that is written: its ranks would take turns (advice/kinds/parallel_io.py).
HELP_ON_ONE_HOST = {
    "write_by_one": (
        "Write less often, or on several hosts in parallel (MPI_File_write_all, parallel NetCDF or HDF5): ranks of one "
        "host usually take turns at a file."
    ),
}
# The same of one-sided operations; {} is what they are.
HELP_ONE_SIDED = {
    "packable_messages": (
        "Combine the data for each target into one operation: a contiguous buffer or a derived datatype."
    ),
}
COLLECTIVE = re.compile("^MPI_File_.*_(all|ordered)")
FREEING = ("_free", "_disconnect")
ROOTED = ("all_to_one", "one_to_all")
OF_FILES = {
    *("files", "file_bytes", "readers", "remaining_s", "writer", "bytes_written", "reader", "bytes_read"),
    *("names", "opening_s", "transfers", "bytes_each", "reads", "writes", "opens_each"),
}


def facts(content: Content) -> list[Fact]:
    """share: of the time, in the calls.   recoverable_s: what could be saved of it.   lost_share: as a share, without
    what other findings account for.   places: where the same calls of a routine make the pattern."""
    writer = file_costs.writer_in_findings(content)
    found: list[Fact] = []
    for entries in alike(content, [entry for entry in content.patterns if entry.name in HELP])[:MOST]:
        first, about = entries[0], _about(entries[0])
        for entry in entries[1:]:
            about = about.and_also(_about(entry))
        recoverable = [_recoverable_s(content, entry, writer) for entry in entries]
        computing_s = sum(s for s, each in zip(recoverable, entries, strict=True) if each.evidence.get("computes"))
        recoverable_s = sum(recoverable)
        if first.name == HIDING:
            recoverable_s = min(recoverable_s, _computed_s(content))
        evidence = {
            "pattern": first.name,
            "where": _where(content, entries),
            "time_s": sum(entry.time_s for entry in entries),
            "share": sum(entry.share for entry in entries),
            "deciding_share": content.share(recoverable_s),
            "recoverable_s": recoverable_s,
            "lost_share": content.share(recoverable_s),
            "messages_per_step": sum(entry.messages_per_step or 0.0 for entry in entries) or None,
            **together(entries),
            "assumes": first.evidence.get("assumes"),
            "computes": computing_s > recoverable_s / 2,
            "loop": _loop(first),
            "loops": _loops(entries),
            "routine": making_routine(content, first),
            "places": len(entries),
            "one_sided": first.evidence.get("one_sided"),
            **_more(content, entries),
        }
        found.append(Fact(evidence, about))
    return found


def _where(content: Content, entries: Sequence[PatternEntry]) -> str:
    if len(entries) == 1:
        return pattern_at(entries[0])
    return inner_routines(content, entries) if entries[0].name in CONSECUTIVE else from_where(content, entries)


def _loops(entries: Sequence[PatternEntry]) -> list[Evidence]:
    """The loops that patterns lie in, each with how many messages could be one; most first."""
    loops: dict[str, Evidence] = {}
    for entry in entries:
        if place := _loop(entry):
            told = loops.setdefault(place, {"loop": place, "together": 0, "computes": False, "exchanges": 0})
            told["together"] = max(told["together"], entry.evidence.get("together") or 0)
            told["computes"] = told["computes"] or bool(entry.evidence.get("computes"))
            told["exchanges"] += 1
    return sorted(loops.values(), key=lambda told: (-told["together"], told["loop"]))


def _about(entry: PatternEntry) -> About:
    told = entry.evidence
    routine = told.get("loop_routine")
    loop = LoopPlace(routine, told.get("loop_file") or "", told.get("loop_line") or 0) if routine else None
    ranks = tuple(str(told[name]) for name in sorted(PROCESSES & told.keys()))
    return About(entry.sites, loop, ranks, entry.files)


def _more(content: Content, entries: Sequence[PatternEntry]) -> Evidence:
    """What else the sentences of some patterns need."""
    first, told = entries[0], entries[0].evidence
    if first.files:
        return _of_files(content, first)
    if first.name == "allreduce_bound":
        sites = [site for entry in entries for site in entry.sites]
        return {"reductions": len({short_place(site.location) for site in sites})}
    if first.name in CONSECUTIVE:
        saved = next(what for what in SAVED if f"{what}_saved_in_step" in told)
        return {
            "called_in": told["called_in"],
            "called_at": list(dict.fromkeys(place for entry in entries for place in entry.evidence["called_at"])),
            "saved": saved,
            "saved_per_step": sum(each.evidence[f"{saved}_saved_in_step"] for each in entries if each.steps) or None,
        }
    if first.name == "repeated_creation":
        making = {s.function for entry in entries for s in entry.sites if not s.function.endswith(FREEING)}
        made = sum(entry.evidence["made_per_step"] for entry in entries)
        return {"what": told["what"], "made_per_step": made, "functions": sorted(making)}
    ordered = any(entry.evidence.get("chain") is not None for entry in entries)
    return {"waits_in_order": True} if ordered and first.name in ROOTED else {}


def _of_files(content: Content, entry: PatternEntry) -> Evidence:
    """deciding_share: of the time that could be saved at most."""
    told = entry.evidence
    waited_s = file_costs.waited_for(content, entry) if entry.name in file_costs.BY_ONE else None
    return {
        "deciding_share": content.share(file_costs.recoverable_s(content, entry)),
        "remaining_share": content.share(told["remaining_s"]) if "remaining_s" in told else None,
        "waited_s": waited_s,
        "waited_share": content.share(waited_s) if waited_s is not None else None,
        "file": entry.files[0],
        **{name: value for name, value in told.items() if name in OF_FILES},
        "buffered": told.get("buffered"),
        "hosts": len({rank.host for rank in content.ranks}),
        "collective": bool(entry.sites) and all(COLLECTIVE.search(site.function) for site in entry.sites),
    }


def _recoverable_s(content: Content, entry: PatternEntry, writer: str | None) -> float:
    """At most this much of its time can be saved: communication hides behind no more computation than there is, and
    when calls are combined or replaced, ranks still wait for a slow one, for one that writes a file, or at a fence."""
    told = entry.evidence
    if entry.name == HIDING:
        return min(entry.time_s, _computed_s(content))
    if entry.files:
        return file_costs.recoverable_s(content, entry)
    sites = set(entry.sites)
    if entry.name in ROOTED:
        waited_s = file_costs.waited_for_writer(content, writer, sites)
        return max(entry.time_s - max(waited_s, file_costs.held_up_by_files(entry)), 0.0)
    if entry.name in OF_ORDER:
        return _by_order(content, entry)
    fences = {each.site: each.time_s for each in content.sites if each.site in sites and each.name == FENCE}
    waiting = sum(wait.seconds for wait in content.waits.entries if wait.site in sites - fences.keys())
    left_s = max(entry.time_s - waiting - sum(fences.values()), 0.0)
    if "sending_s" in told:  # messages go one way: what one side spends longer than the other is waiting
        left_s = min(left_s, 2 * told["sending_s"], 2 * told["receiving_s"])
    return left_s * (1 - 1 / (told.get("together") or math.inf))


def _computed_s(content: Content) -> float:
    return sum(rank.computation_s for rank in content.ranks)


def _by_order(content: Content, entry: PatternEntry) -> float:
    """Another order of calls saves waits of sends for their receives, of which the ranks' own sends remain; without
    known waits, at most the calls' time."""
    sites = set(entry.sites)
    late = [
        wait.seconds * (_in_calls(wait) if entry.name == "unexpected_large" else 1.0)
        for wait in content.waits.entries
        if wait.site in sites and wait.kind == LATE_RECEIVER
    ]
    lost_s = sum(late) if content.waits.found else entry.time_s
    chain, best = entry.evidence.get("chain"), entry.evidence.get("chain_if_posted_first", 0)
    return lost_s * (1 - best / chain) if chain else lost_s


def _in_calls(wait: WaitEntry) -> float:
    """The part of a wait for which the receiver was in calls. While it computes, hardly a library moves long messages,
    and to post the receive earlier gains nothing."""
    return max(1.0 - sum(cause.share for cause in wait.causes if cause.doing == "computation"), 0.0)


def _loop(entry: PatternEntry) -> str | None:
    """The loop that a pattern lies in: "advection.cpp:356 in trcadv"."""
    if not entry.evidence.get("loop_line"):
        return entry.evidence.get("loop_routine")
    file = str(entry.evidence["loop_file"]).rsplit("/", 1)[-1]
    return f"{file}:{entry.evidence['loop_line']} in {entry.evidence['loop_routine']}"


def help_for(found: Evidence) -> str:
    if found["one_sided"] and found["pattern"] in HELP_ONE_SIDED:
        return HELP_ONE_SIDED[found["pattern"]]
    if found["pattern"] in HELP_ON_ONE_HOST and found["hosts"] == 1:
        return HELP_ON_ONE_HOST[found["pattern"]]
    if found["pattern"] == "allreduce_bound" and found["reductions"] == 1:
        return "Overlap it with computation (MPI_Iallreduce), or reduce in fewer iterations."
    if found["pattern"] == "small_io" and found["collective"]:
        return "Move more per call: a file view (MPI_File_set_view) describes noncontiguous data."
    if found["pattern"] == "small_io" and found["buffered"]:
        return "Read or write whole arrays per call, in binary, instead of single values."
    return HELP[found["pattern"]]


RULE = Rule(
    id="pattern",
    order=213,
    severity="notice",
    section="patterns",
    facts=facts,
    sentence=sentence,
    threshold={"deciding_share": at_least(0.01)},
    cost_s=lambda found: float(found["recoverable_s"]),
    help=help_for,
)
