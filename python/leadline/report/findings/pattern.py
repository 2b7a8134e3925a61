"""A pattern of communication or I/O that can be replaced by something faster."""

from __future__ import annotations

import math

from leadline.report import format as fmt
from leadline.report.content import Content
from leadline.report.finding import Evidence, Rule, at_least
from leadline.report.patterns import PatternEntry

MOST = 8
FENCE = "MPI_Win_fence"

HELP = {
    "packable_messages": "Pack the messages to one partner into fewer ones, or describe them by one datatype.",
    "all_to_one": "Use MPI_Gather or MPI_Gatherv, or MPI_Reduce if the values are summed up.",
    "one_to_all": "Use MPI_Scatter or MPI_Scatterv, or MPI_Bcast if all get the same.",
    "handmade_broadcast": "Use MPI_Bcast: the library chooses the algorithm by size and ranks.",
    "handmade_reduction": "Use MPI_Reduce or MPI_Allreduce.",
    "handmade_alltoall": "Use MPI_Alltoall or MPI_Alltoallv.",
    "serialised_order": "Post the receives first (MPI_Irecv), or use MPI_Sendrecv.",
    "unexpected_large": "Post the receive before the sender sends.",
    "redundant_barrier": "Leave the barrier out: messages order their ends by themselves.",
    "allreduce_bound": "Combine several reductions into one, or overlap them (MPI_Iallreduce).",
    "no_overlap": "Compute what needs no message between posting and completing.",
    "polling": "Wait (MPI_Wait, MPI_Probe) where there is nothing else to do.",
    "read_all_by_all": "Read the file once: collectively (MPI_File_read_all), or on one rank with a broadcast.",
    "write_by_one": "Write in parallel (MPI_File_write_all, parallel NetCDF or HDF5).",
    "small_io": "Use larger transfers: buffers, or collective MPI-IO.",
    "file_per_rank": "Write one shared file collectively; many small files burden the file system's directory.",
}
# The same of one-sided operations; {} is what they are.
HELP_ONE_SIDED = {
    "packable_messages": "Let one operation move what goes to one target: side by side in memory, or by one datatype.",
}
FACT_ONE_SIDED = {
    "packable_messages": "{} at the same target follow one another and could travel together",
    "all_to_one": "data of all ranks go to one by {}",
    "one_to_all": "data of one rank go to all others by {}",
    "handmade_broadcast": "a broadcast is made of {}",
    "handmade_reduction": "a reduction is made of {}",
    "handmade_alltoall": "an all-to-all is made of {}",
}
FACT = {
    "packable_messages": "messages to the same partner follow one another and could travel together",
    "all_to_one": "all ranks send to one",
    "one_to_all": "one rank sends to all others",
    "handmade_broadcast": "a broadcast is made of sends",
    "handmade_reduction": "a reduction is made of sends",
    "handmade_alltoall": "an all-to-all is made of sends",
    "serialised_order": "the order of blocking sends lets one rank wait for the next",
    "unexpected_large": "large messages are sent before their receive is posted",
    "redundant_barrier": "barriers order nothing",
    "allreduce_bound": "a loop is bound by small allreduces",
    "no_overlap": "nonblocking messages are completed before anything is computed",
    "polling": "polls find nothing",
    "read_all_by_all": "every rank reads the whole file",
    "write_by_one": "one rank writes for all",
    "small_io": "files are read or written in small transfers",
    "file_per_rank": "every rank has a file of its own",
}


def evidence(content: Content) -> list[Evidence]:
    found: dict[tuple[str, str, str | None, str | None], Evidence] = {}
    for entry in content.patterns:
        if entry.name not in HELP:
            continue
        key = (entry.name, entry.where, _loop(entry), entry.evidence.get("one_sided"))
        if key in found:  # other call sites of the same routines: one statement
            for name, value in (
                ("time_s", entry.time_s),
                ("share", entry.share),
                ("recoverable_s", _recoverable_s(content, entry)),
                ("messages_per_step", entry.messages_per_step or 0.0),
            ):
                found[key][name] = (found[key][name] or 0.0) + value
            found[key]["together"] = max(found[key]["together"] or 0, entry.evidence.get("together") or 0) or None
        elif len(found) < MOST:
            found[key] = {
                "pattern": entry.name,
                "where": entry.where,
                "time_s": entry.time_s,
                "share": entry.share,
                "recoverable_s": _recoverable_s(content, entry),
                "messages_per_step": entry.messages_per_step,
                "together": entry.evidence.get("together"),
                "assumes": entry.evidence.get("assumes"),
                "loop": _loop(entry),
                "one_sided": entry.evidence.get("one_sided"),
            }
    return list(found.values())


def _recoverable_s(content: Content, entry: PatternEntry) -> float:
    """At most this much of its time can be saved: communication hides behind no more computation than there is, and
    ranks that wait for a slow one, or meet at a fence, still do so when messages or reductions are combined."""
    if entry.name == "no_overlap":
        return min(entry.time_s, sum(rank.computation_s for rank in content.ranks))
    if entry.name not in ("packable_messages", "allreduce_bound"):
        return entry.time_s
    sites = set(entry.sites)
    fences = {each.site: each.time_s for each in content.sites if each.site in sites and each.name == FENCE}
    waiting = sum(wait.seconds for wait in content.waits.entries if wait.site in sites - fences.keys())
    return max(entry.time_s - waiting - sum(fences.values()), 0.0) * (
        1 - 1 / (entry.evidence.get("together") or math.inf)
    )


def _loop(entry: PatternEntry) -> str | None:
    """The loop that a pattern lies in: "advection.cpp:356 in trcadv"."""
    if not entry.evidence.get("loop_line"):
        return entry.evidence.get("loop_routine")
    file = str(entry.evidence["loop_file"]).rsplit("/", 1)[-1]
    return f"{file}:{entry.evidence['loop_line']} in {entry.evidence['loop_routine']}"


def sentence(content: Content, found: Evidence) -> str:
    how = found["one_sided"]
    fact = FACT_ONE_SIDED[found["pattern"]].format(how) if how else FACT[found["pattern"]]
    if found["assumes"] == "independent trips":
        does = (
            f"calls {fmt.count(found['together'])} {how} at each target"
            if how
            else (f"sends {fmt.count(found['together'])} messages to each partner")
        )
        fact = (
            f"the loop at {found['loop']} {does} that could travel together, if its trips do not need one another's "
            "data"
        )
    elif found["together"]:
        fact = f"{fmt.count(found['together'])} {fact}"
    elif found["loop"]:
        fact = f"the loop at {found['loop']} is bound by small allreduces"
    calls = "these calls and their synchronisation" if how else "these calls"
    return f"In {found['where']}, {fact}; {calls} take {fmt.percent(found['share'])} of the time."


def _help(found: Evidence) -> str:
    if found["one_sided"] and found["pattern"] in HELP_ONE_SIDED:
        return HELP_ONE_SIDED[found["pattern"]]
    return HELP[found["pattern"]]


RULE = Rule(
    id="pattern",
    order=213,
    severity="notice",
    section="patterns",
    evidence=evidence,
    sentence=sentence,
    threshold={"share": at_least(0.01)},
    cost_s=lambda found: float(found["recoverable_s"]),
    help=_help,
)
