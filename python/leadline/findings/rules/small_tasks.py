"""A rank hands out tasks that take little more time than handing them out does."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.json_entries import rank_id
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.text import format as fmt

LIKE = 0.05  # of the messages, by which those to a worker and those from it may differ
FEWEST = 100  # tasks
AT_ONCE = 10  # tasks that could be handed out together
HALF = 0.5  # of what a task takes: a third of the workers' time then goes into asking


def facts(content: Content) -> Fact | None:
    """A manager receives from any source and sends one message for each that it receives; no worker sends to another
    one. All that the workers compute between two tasks counts as a task."""
    anyone = [entry for entry in content.patterns if entry.name == "wildcard_receive"]
    sites = tuple(site for entry in anyone for site in entry.sites)
    receivers = {each.calls_spread.max_rank for each in content.sites if each.site in sites}
    if len(receivers) != 1 or any(entry.ranks != 1 for entry in anyone) or content.run.ends_apart:
        return None
    (manager,) = receivers
    pairs = {(each.source, each.target): each.messages for each in content.matrix if each.messages}
    tasks = sum(n for (source, _), n in pairs.items() if source == manager)
    from_anyone = sum(int(entry.evidence["from_anyone"]) for entry in anyone)
    if not _manages(manager, pairs, len(content.ranks)) or not tasks or tasks > from_anyone * (1 + LIKE):
        return None
    workers = [rank for rank in content.ranks if rank.rank != manager]
    computed_s = sum(rank.computation_s for rank in workers)
    handing_s = sum(rank.category_s["point_to_point"] + rank.category_s["completion"] for rank in workers)
    return Fact(
        {
            "manager": rank_id(manager),
            "tasks": tasks,
            "task_s": computed_s / tasks,
            "handing_s": handing_s / tasks,
            "times_task": handing_s / computed_s if computed_s > 0 else 0.0,
            "lost_s": handing_s * (1 - 1 / AT_ONCE),
            "share": content.share(handing_s * (1 - 1 / AT_ONCE)),
        },
        About(sites=sites, ranks=(manager,)),
    )


def _manages(rank: str, pairs: dict[tuple[str, str | None], int], ranks: int) -> bool:
    """Whether all messages of the run are to the rank or from it, as many each way with each other rank."""
    others = {one for pair in pairs for one in pair if one is not None} - {rank}
    if len(others) != ranks - 1 or any(rank not in pair for pair in pairs):
        return False
    return all(
        abs(pairs.get((rank, other), 0) - pairs.get((other, rank), 0)) <= LIKE * pairs.get((rank, other), 0) + 2
        for other in others
    )


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"{fmt.percent(found['share'])}: rank {found['manager']} hands out {found['tasks']:,} tasks one by one. A task "
        f"takes {fmt.seconds(found['task_s'])}, asking for it and waiting for it {fmt.seconds(found['handing_s'])}."
    )


RULE = Rule(
    id="small-tasks",
    order=215,
    severity="notice",
    section="waits",
    facts=facts,
    sentence=sentence,
    threshold={"share": at_least(0.02), "times_task": at_least(HALF), "tasks": at_least(FEWEST)},
    cost_s=lambda found: float(found["lost_s"]),
    help=lambda found: "Hand out several tasks at a time, or let each worker ask for the next one before it needs it.",
)
