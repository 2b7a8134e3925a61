"""Patterns of communication in words."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.patterns import CONSECUTIVE
from leadline.findings.alike import MOST_NAMED, joined
from leadline.findings.file_words import file_sentence
from leadline.findings.finding import Evidence
from leadline.text import format as fmt

MOST_PLACES = 8  # calls in a row that are named
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
# The same of one-sided operations; {} is what they are.
FACT_ONE_SIDED = {
    "packable_messages": "consecutive {} to the same target could be combined",
    "all_to_one": "all ranks' data is collected on one rank by {}",
    "one_to_all": "one rank's data is distributed to all others by {}",
    "handmade_broadcast": "a broadcast is hand-written with {}",
    "handmade_reduction": "a reduction is hand-written with {}",
    "handmade_alltoall": "an all-to-all is hand-written with {}",
}
# Iterations of a loop over fields look like those of a relaxation, which no record tells apart.
MAY_DEPEND = "in between: independent fields can be packed, steps of a solver cannot."
# What there are fewer of where calls in a row become one: what each call is, and what another one did before it.
SAVED = {
    "messages": ("exchange", "received"),
    "reductions": ("reduction", "computed"),
    "broadcasts": ("broadcast", "brought"),
}


def sentence(_: Content, found: Evidence) -> str:
    if "file" in found:
        return file_sentence(found)
    how = found["one_sided"]
    share = fmt.percent(found["lost_share"]) + (", including synchronisation" if how else "")
    fact = FACT_ONE_SIDED[found["pattern"]].format(how) if how else FACT.get(found["pattern"], "")
    if found["pattern"] in CONSECUTIVE:
        return _in_a_row(found, share)
    if found["assumes"] == "independent trips":
        return f"{share}: {_in_loops(found)}"
    if found["together"]:
        fact = f"{found['bound']}{fmt.count(found['together'])} {fact}"
    elif found["pattern"] == "repeated_creation":
        fact = (
            f"{found['what']} are created in every iteration, {fmt.number(found['made_per_step'])} per rank "
            f"({', '.join(found['functions'])})"
        )
    elif found.get("waits_in_order"):
        fact += ", serialised by blocking sends"
    elif found["loop"]:
        return f"{share}: {in_words(found['loop'])} is bound by small allreduces."
    return f"{share}: in {found['where']}, {fact}."


def _in_loops(found: Evidence) -> str:
    """ "the loop at step.c:9 (step) sends each partner 5 messages that could be one, …"; several loops as one."""
    how, loops = found["one_sided"], found["loops"]
    kind = f" {how} to each target" if how else " messages to each partner"
    many = found["bound"] + fmt.count(found["together"])
    computing = sum(loop["computes"] for loop in loops)
    if len(loops) == 1:
        does = f"issues {many} {how} to each target" if how else f"sends each partner {many} messages"
        if found["places"] > 1:
            does = f"makes {found['places']} exchanges ({found['routine']}), each of {many}{kind}"
        text = f"{in_words(loops[0]['loop'])} {does} that could be one, if no iteration needs another's data."
        return f"{text} It also computes {MAY_DEPEND}" if computing else text
    shown = loops[:MOST_NAMED]
    places = joined([in_words(loop["loop"]).removeprefix("the loop ") for loop in loops])
    numbers = joined([fmt.count(loop["together"]) for loop in shown])
    text = (
        f"the loops {places} make rows of {found['bound'] if len(loops) > MOST_NAMED else ''}{numbers}{kind} "
        f"({found['routine']}), each of which could be one, if no iteration needs another's data."
    )
    some = "They" if computing == len(loops) else "Some of them"
    return f"{text} {some} also compute {MAY_DEPEND}" if computing else text


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
    many = found["bound"] + fmt.count(found["together"])
    return (
        f"{share}: {who} makes {many} {what} in a row{at if found['called_at'] else ''} that "
        f"could be one{saved}, if no {kind} needs what another {did}."
    )


def in_words(loop: str) -> str:
    """ "the loop at advection.cpp:356 (trcadv)", as much of it as is known."""
    place, _, routine = loop.rpartition(" in ")
    return f"the loop at {place} ({routine})" if place else f"the loop in {routine}"
