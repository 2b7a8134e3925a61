"""Some ranks compute longer than others, and the others wait."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.figures.content import Content
from leadline.findings.attribution import IN_TURN
from leadline.findings.rules.imbalance import facts
from leadline.findings.rules.synchronous_sends import waits_by_routine
from leadline.predict import Balance
from leadline.text import format as fmt

MOST_SITES = 5


def candidates(content: Content) -> list[Candidate]:
    found = facts(content)
    if found is None or found.evidence["kind"] not in ("fixed", "host", "wandering", "changing", "rare"):
        return []
    told = found.evidence
    if told["kind"] in IN_TURN and _made_by_sends(content) >= told["lost_s"] / 2:
        return []
    assumes: tuple[str, ...]
    evenly = "each iteration's work can be divided evenly, at no cost"
    if told["kind"] == "wandering":
        title = "Balance the work while the program runs"
        text = "The slowest rank changes every few iterations: redistribute the work, or take it from a shared queue."
        assumes = (evenly,)
    elif told["kind"] == "changing":
        title = "Divide each iteration's work evenly"
        text = "Another rank computes longest from one iteration to the next: take the work from a shared queue."
        assumes = (evenly, "it is the program's own: on a busy machine computation varies, too")
    elif told["kind"] == "rare":
        if not content.waits.imbalance.rare_period:
            return []  # perhaps the machine
        period = f"{told['rare_period']:,} iterations" if told["rare_period"] else "few iterations"
        title = f"Divide the work of every {period} among the ranks"
        text = f"Every {period}, one rank computes far longer than the others, which wait."
        assumes = (evenly, "it is work of the program, not of the system")
    else:
        who = f"the ranks on {told['host']}" if told["kind"] == "host" else f"rank {told['rank']}"
        title = f"Rebalance the work: {who} has too much"
        less = 1 - 1 / told["times_mean"] if told["times_mean"] > 0 else 0.0
        text = (
            f"Move work from {who}, which computes {fmt.times(told['times_mean'])} as long as the mean in every "
            f"iteration ({fmt.percent(less)} too much), to the others."
        )
        assumes = ("the work can be divided evenly",)
    longest = sorted(content.waits.entries, key=lambda entry: -entry.seconds)
    sites = tuple(dict.fromkeys(entry.site for entry in longest if entry.site is not None))[:MOST_SITES]
    return [
        Candidate("balance", title, text, sites, Balance(each_iteration=told["kind"] not in ("fixed", "host")), assumes)
    ]


def _made_by_sends(content: Content) -> float:
    """Seconds that ranks wait in synchronous sends, without which those that are slow in turn need not wait."""
    return sum(wait.seconds for waits in waits_by_routine(content).values() for wait in waits)


KIND = Kind(id="balance", order=10, candidates=candidates, findings=("imbalance", "uneven-ranks", "waiting"))
