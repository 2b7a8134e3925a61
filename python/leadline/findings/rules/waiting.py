"""Calls wait for other ranks."""

from __future__ import annotations

from collections import defaultdict

from leadline.figures import file_costs
from leadline.figures.content import Content
from leadline.figures.entries import STARTUP
from leadline.figures.json_entries import rank_id
from leadline.figures.run import Site
from leadline.figures.wait_groups import WaitGroup, groups_by_routine
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.text import format as fmt

Cause = tuple[str, str, Site | None, float]
Place = tuple[str, str]  # function and routine

MOST = 5
ONE_CAUSE = 0.5  # of a wait: then it is named

HELP = {
    "computation": "Give the slowest rank less work, or overlap the wait with other work.",
    "io": "Overlap file I/O with computation, or distribute it over the ranks.",
    "mpi": "Shorten the late rank's preceding MPI calls: fewer, larger messages, or a collective.",
}

IN_TURN = (
    "The ranks compute about equally long. If they do so one after another, let each send as soon as it can, and "
    "compute before it waits."
)
LONGER = 1.05  # times the mean over ranks: a rank that computes less is not the slowest


def facts(content: Content) -> list[Fact]:
    """cause: of at least half of the wait. late_rank: the one that most of it is for; late_share: how much;
    late_ranks: how many ranks it is for.   for_writer_s: what belongs to the finding that one rank writes for all.
    lost_share: of the time, without what other findings account for."""
    found = []
    writer = file_costs.writer_in_findings(content)
    starting = {function.name for function in content.run.profile.functions if function.cls in STARTUP}
    groups = groups_by_routine(content.waits)
    circular = _in_circles(groups)
    for group in groups[:MOST]:
        cause = _one_cause(group) if _place(group.site) not in circular else None
        site = cause[2] if cause else None
        late = _late_ranks(group)
        evidence = {
            "kind": group.kind,
            "function": group.site.function if group.site else None,
            "routine": group.site.routine if group.site else None,
            "ranks": group.ranks,
            "wait_s": group.seconds,
            "share": content.share(group.seconds),
            "lost_share": content.share(group.seconds),
            "for_writer_s": group.seconds * file_costs.share_for(content, writer, group.causes),
            "estimated": content.waits.estimated,
            "cause_rank": rank_id(cause[0]) if cause else None,
            "cause": cause[1] if cause else None,
            "cause_function": site.function if site else None,
            "cause_routine": site.routine if site else None,
            "cause_share": cause[3] if cause else None,
            "late_rank": rank_id(late[0][0]) if late else None,
            "late_share": late[0][1] if late else None,
            "late_ranks": len(late),
            "since_start": site is not None and site.function in starting,
            "computes_times_mean": _beside_mean(content, cause[0]) if cause and cause[1] == "computation" else None,
            "times_mean": _in_every_step(content, cause[0]) if cause and cause[1] == "computation" else None,
        }
        stands_out = (cause[0],) if cause else (late[0][0],) if late and late[0][1] >= ONE_CAUSE else ()
        found.append(Fact(evidence, About(sites=(group.site,) if group.site else (), ranks=stands_out)))
    return found


def _one_cause(group: WaitGroup) -> Cause | None:
    return group.causes[0] if group.causes and group.causes[0][3] >= ONE_CAUSE else None


def _place(site: Site | None) -> Place | None:
    return (site.function, site.routine) if site is not None else None


def _in_circles(groups: list[WaitGroup]) -> set[Place | None]:
    """Calls that wait because another rank is in calls that wait because a rank is in the first ones: no explanation.
    Calls that wait for themselves are such, too."""
    after: dict[Place | None, Place | None] = {}
    for group in groups:
        cause = _one_cause(group)
        if cause is not None and cause[1] == "mpi" and cause[2] is not None:
            after[_place(group.site)] = _place(cause[2])
    circular = set()
    for start in after:
        seen, at = set(), after.get(start)
        while at is not None and at != start and at not in seen:
            seen.add(at)
            at = after.get(at)
        if at == start:
            circular.add(start)
    return circular


def _late_ranks(group: WaitGroup) -> list[tuple[str, float]]:
    """The ranks that caused the wait, whatever they did, with their share of it; largest first."""
    shares: dict[str, float] = defaultdict(float)
    for rank, _, _, share in group.causes:
        shares[rank] += share
    return sorted(shares.items(), key=lambda item: -item[1])


def _in_every_step(content: Content, rank: str) -> float | None:
    """How many times as long as the mean over ranks it computes, if it is always the slowest."""
    imbalance = content.waits.imbalance
    if not imbalance.found or not imbalance.slowest or imbalance.fixed_ns < imbalance.lost_ns / 2:
        return None
    process, ratio = imbalance.slowest[0]
    return ratio if content.run.label(process) == rank else None


def _beside_mean(content: Content, rank: str) -> float | None:
    """How many times as long as the mean over ranks it computes in the whole run."""
    mean_s = sum(each.computation_s for each in content.ranks) / max(len(content.ranks), 1)
    own = next((each.computation_s for each in content.ranks if each.rank == rank), None)
    return own / mean_s if own is not None and mean_s > 0 else None


def sentence(content: Content, found: Evidence) -> str:
    share = ("About " if found["estimated"] else "") + fmt.percent(found["lost_share"])
    where = f"{found['function']} ({found['routine']})" if found["function"] else "calls"
    waiting = fmt.plural(found["ranks"], "rank waits", "ranks wait")
    if found["cause"] is None:
        return f"{share}: {waiting} {_for_whom(found)}in {where}{_mostly_for(found)}."
    text = f"{share}: {waiting} in {where}"
    if found["times_mean"] is not None:
        return (
            f"{text}, mostly because rank {found['cause_rank']} computes {fmt.times(found['times_mean'])} as long "
            "as the mean over ranks in every iteration."
        )
    call = f"{found['cause_function']} ({found['cause_routine']})" if found["cause_function"] else "a call"
    if found["since_start"]:
        return f"{text}, mostly because rank {found['cause_rank']} left {found['cause_function']} last."
    doing = {
        "computation": f"is still computing before {call}",
        "io": f"is in {call}",
        "mpi": f"is in {call}",
        "unknown": "is late for an unknown reason",
    }[found["cause"]]
    return f"{text}, mostly because rank {found['cause_rank']} {doing}."


def _for_whom(found: Evidence) -> str:
    return f"for rank {found['late_rank']} " if found["late_ranks"] == 1 else ""


def _mostly_for(found: Evidence) -> str:
    if found["late_ranks"] < 2:
        return ""
    if found["late_share"] >= ONE_CAUSE:
        return f", mostly for rank {found['late_rank']}"
    return f", for no rank in particular (most for rank {found['late_rank']}, {fmt.percent(found['late_share'])})"


def cost_s(found: Evidence) -> float | None:
    """None if most of it belongs to another finding, which reports the same."""
    if found["for_writer_s"] >= ONE_CAUSE * found["wait_s"]:
        return None
    # The program cannot change what the launcher did to the ranks.
    return 0.0 if found["since_start"] else float(found["wait_s"] - found["for_writer_s"])


def help_for(found: Evidence) -> str:
    if found["since_start"]:
        return ""
    if found["cause"] == "computation" and (found["computes_times_mean"] or LONGER) < LONGER:
        return IN_TURN
    return HELP.get(found["cause"] or "", "")


RULE = Rule(
    id="waiting",
    order=211,
    severity="notice",
    section="waits",
    facts=facts,
    sentence=sentence,
    threshold={"share": at_least(0.02)},
    cost_s=cost_s,
    help=help_for,
)
