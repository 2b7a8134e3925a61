"""A pattern of communication or I/O that can be replaced by something faster."""

from __future__ import annotations

import math
import re

from leadline.figures import file_costs
from leadline.figures.content import Content
from leadline.figures.paths import short_place
from leadline.figures.patterns import CONSECUTIVE, PROCESSES, PatternEntry
from leadline.figures.waits import WaitEntry
from leadline.findings.file_words import file_sentence
from leadline.findings.finding import About, Evidence, Fact, LoopPlace, Rule, at_least
from leadline.text import format as fmt
from leadline.wording.patterns import pattern_at

MOST = 8
MOST_PLACES = 8  # calls in a row that are named
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
    "write_by_one": "Write in parallel (MPI_File_write_all, parallel NetCDF or HDF5).",
    "read_by_one": "Let each rank read its part: MPI_File_read_at_all, parallel NetCDF or HDF5.",
    "small_io": "Use larger transfers: whole arrays, or collective MPI-IO.",
    "file_per_rank": "Write one shared file collectively: one file per rank can overload the metadata server.",
}
# The same of one-sided operations; {} is what they are.
HELP_ONE_SIDED = {
    "packable_messages": (
        "Combine the data for each target into one operation: a contiguous buffer or a derived datatype."
    ),
}
FACT_ONE_SIDED = {
    "packable_messages": "consecutive {} to the same target could be combined",
    "all_to_one": "all ranks' data is collected on one rank by {}",
    "one_to_all": "one rank's data is distributed to all others by {}",
    "handmade_broadcast": "a broadcast is hand-written with {}",
    "handmade_reduction": "a reduction is hand-written with {}",
    "handmade_alltoall": "an all-to-all is hand-written with {}",
}
# Iterations of a loop over fields look like those of a relaxation, which no record tells apart.
MAY_DEPEND = "It also computes in between: independent fields can be packed, steps of a solver cannot."
# What there are fewer of where calls in a row become one: what each call is, and what another one did before it.
SAVED = {
    "messages": ("exchange", "received"),
    "reductions": ("reduction", "computed"),
    "broadcasts": ("broadcast", "brought"),
}
COLLECTIVE = re.compile("^MPI_File_.*_(all|ordered)")
FREEING = ("_free", "_disconnect")
ROOTED = ("all_to_one", "one_to_all")
OF_FILES = {
    *("files", "file_bytes", "readers", "remaining_s", "writer", "bytes_written", "reader", "bytes_read"),
    *("names", "opening_s", "transfers", "bytes_each", "reads", "writes"),
}
FACT = {
    "packable_messages": "consecutive messages to the same partner could be combined",
    "all_to_one": "all ranks send to one",
    "one_to_all": "one rank sends to all others",
    "handmade_broadcast": "a broadcast is hand-written with sends",
    "handmade_reduction": "a reduction is hand-written with sends",
    "handmade_alltoall": "an all-to-all is hand-written with sends",
    "serialised_order": "blocking sends serialise the ranks, each waiting for the next",
    "unexpected_large": "large sends start before their receive is posted",
    "redundant_barrier": "the barriers are redundant",
    "allreduce_bound": "small allreduces dominate a loop",
    "no_overlap": "nonblocking messages do not overlap with computation",
    "polling": "polling completes nothing",
}


def facts(content: Content) -> list[Fact]:
    """share: of the time, in the calls.   recoverable_s: what could be saved of it.   lost_share: as a share, without
    what other findings account for."""
    writer = file_costs.writer_in_findings(content)
    found: dict[tuple[str, str, str | None, str | None], Fact] = {}
    for entry in content.patterns:
        if entry.name not in HELP:
            continue
        key = (entry.name, pattern_at(entry), _loop(entry), entry.evidence.get("one_sided"))
        if key in found:  # other call sites of the same routines: one finding
            known = found[key].evidence
            for name, value in (
                ("time_s", entry.time_s),
                ("share", entry.share),
                ("recoverable_s", _recoverable_s(content, entry, writer)),
                ("messages_per_step", entry.messages_per_step or 0.0),
            ):
                known[name] = (known[name] or 0.0) + value
            known["deciding_share"] = known["lost_share"] = content.share(known["recoverable_s"])
            known["together"] = max(known["together"] or 0, entry.evidence.get("together") or 0) or None
            found[key] = Fact(known, found[key].about.and_also(_about(entry)))
        elif len(found) < MOST:
            recoverable_s = _recoverable_s(content, entry, writer)
            evidence = {
                "pattern": entry.name,
                "where": pattern_at(entry),
                "time_s": entry.time_s,
                "share": entry.share,
                "deciding_share": content.share(recoverable_s),
                "recoverable_s": recoverable_s,
                "lost_share": content.share(recoverable_s),
                "messages_per_step": entry.messages_per_step,
                "together": entry.evidence.get("together"),
                "bound": entry.bound,
                "assumes": entry.evidence.get("assumes"),
                "computes": entry.evidence.get("computes"),
                "loop": _loop(entry),
                "one_sided": entry.evidence.get("one_sided"),
                **_more(content, entry),
            }
            found[key] = Fact(evidence, _about(entry))
    return list(found.values())


def _about(entry: PatternEntry) -> About:
    told = entry.evidence
    routine = told.get("loop_routine")
    loop = LoopPlace(routine, told.get("loop_file") or "", told.get("loop_line") or 0) if routine else None
    ranks = tuple(str(told[name]) for name in sorted(PROCESSES & told.keys()))
    return About(entry.sites, loop, ranks, entry.files)


def _more(content: Content, entry: PatternEntry) -> Evidence:
    """What else the sentences of some patterns need."""
    told = entry.evidence
    if entry.files:
        return _of_files(content, entry)
    if entry.name == "allreduce_bound":
        return {"reductions": len({short_place(site.location) for site in entry.sites})}
    if entry.name in CONSECUTIVE:
        saved = next(what for what in SAVED if f"{what}_saved_in_step" in told)
        return {
            **{name: told[name] for name in ("called_in", "called_at")},
            "saved": saved,
            "saved_per_step": told[f"{saved}_saved_in_step"] if entry.steps else None,
        }
    if entry.name == "repeated_creation":
        making = {site.function for site in entry.sites if not site.function.endswith(FREEING)}
        return {"what": told["what"], "made_per_step": told["made_per_step"], "functions": sorted(making)}
    return {"waits_in_order": True} if told.get("chain") is not None and entry.name in ROOTED else {}


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
        "collective": bool(entry.sites) and all(COLLECTIVE.search(site.function) for site in entry.sites),
    }


def _recoverable_s(content: Content, entry: PatternEntry, writer: str | None) -> float:
    """At most this much of its time can be saved: communication hides behind no more computation than there is, and
    when calls are combined or replaced, ranks still wait for a slow one, for one that writes a file, or at a fence."""
    told = entry.evidence
    if entry.name == "no_overlap":
        return min(entry.time_s, sum(rank.computation_s for rank in content.ranks))
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


def sentence(content: Content, found: Evidence) -> str:
    if "file" in found:
        return file_sentence(found)
    how = found["one_sided"]
    share = fmt.percent(found["lost_share"]) + (", including synchronisation" if how else "")
    fact = FACT_ONE_SIDED[found["pattern"]].format(how) if how else FACT.get(found["pattern"], "")
    if found["pattern"] in CONSECUTIVE:
        return _in_a_row(found, share)
    if found["assumes"] == "independent trips":
        many = found.get("bound", "") + fmt.count(found["together"])
        does = f"issues {many} {how} to each target" if how else f"sends each partner {many} messages"
        text = f"{share}: {_in_words(found['loop'])} {does} that could be one, if no iteration needs another's data."
        return f"{text} {MAY_DEPEND}" if found["computes"] else text
    elif found["together"]:
        fact = f"{fmt.count(found['together'])} {fact}"
    elif found["pattern"] == "repeated_creation":
        fact = (
            f"{found['what']} are created in every iteration, {fmt.number(found['made_per_step'])} per rank "
            f"({', '.join(found['functions'])})"
        )
    elif found.get("waits_in_order"):
        fact += ", serialised by blocking sends"
    elif found["loop"]:
        return f"{share}: {_in_words(found['loop'])} is bound by small allreduces."
    return f"{share}: in {found['where']}, {fact}."


def _in_a_row(found: Evidence, share: str) -> str:
    """ "12 %: step makes 8 exchanges with the same partners in a row (step.f90:384 and :391)." """
    kind, did = SAVED[found["saved"]]
    what = "exchanges with the same partners" if kind == "exchange" else f"{kind}s"
    who = found["called_in"] or found["where"]
    at = f" ({', '.join(found['called_at'][:MOST_PLACES])}{', …' if len(found['called_at']) > MOST_PLACES else ''})"
    saved = (
        f", {fmt.number(found['saved_per_step'])} fewer {found['saved']} per iteration"
        if found["saved_per_step"]
        else ""
    )
    return (
        f"{share}: {who} makes {fmt.count(found['together'])} {what} in a row{at if found['called_at'] else ''} that "
        f"could be one{saved}, if no {kind} needs what another {did}."
    )


def _in_words(loop: str) -> str:
    """ "the loop at advection.cpp:356 (trcadv)", as much of it as is known."""
    place, _, routine = loop.rpartition(" in ")
    return f"the loop at {place} ({routine})" if place else f"the loop in {routine}"


def help_for(found: Evidence) -> str:
    if found["one_sided"] and found["pattern"] in HELP_ONE_SIDED:
        return HELP_ONE_SIDED[found["pattern"]]
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
