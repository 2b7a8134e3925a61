"""The ranks' computation in a step is uneven, and which kind of unevenness it is."""

from __future__ import annotations

from leadline import _core
from leadline.figures.content import Content
from leadline.figures.iterations import Iterations
from leadline.figures.json_entries import rank_id
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least, main_loop
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    found = content.waits.imbalance
    steps = content.iterations
    if (
        content.waits.ends_apart
        or not found.found
        or steps is None
        or not steps.found.mean_ns > 0
        or not (found.slowest or found.rare_ns > 0)
    ):
        return None
    process, ratio = found.slowest[0] if found.slowest else (0, 1.0)
    like_all = _likeness(content, found, steps.found.count)
    lost_s = found.lost_ns * 1e-9 * like_all
    parts = {
        "fixed": found.fixed_ns,
        "wandering": found.wandering_ns,
        "changing": found.changing_ns,
        "noise": found.noise_ns,
        "rare": found.rare_ns,
    }
    kind = max(parts, key=lambda name: parts[name])
    ranks = len(content.ranks)
    return Fact(
        {
            "kind": "host" if kind == "fixed" and found.between_hosts >= 0.8 else kind,
            "rank": rank_id(content.run.label(process)),
            "host": content.run.processes[process].host,
            "times_mean": ratio,
            "rare_steps": found.rare_steps,
            "rare_period": None if steps.lumped else found.rare_period or None,
            "lumped": steps.lumped,  # an iteration that is seen may be several
            "steps": steps.found.count,
            "lost_per_step_s": lost_s,
            "share": lost_s / _iteration_s(steps, found.rare_ns * 1e-9),
            "lost_s": lost_s * steps.found.count * ranks,
            "core_waits_s": _waited_for_cores_s(content, process if kind == "fixed" else None),
        },
        About(loop=main_loop(content), ranks=(content.run.label(process),) if found.slowest else ()),
    )


def _iteration_s(steps: Iterations, rare_s: float) -> float:
    """Of all iterations on average. The mean of those with times is without the slowest, of which a part is lost."""
    mean_s = steps.found.mean_ns * 1e-9
    return max(mean_s, steps.average_s or mean_s + rare_s)


def _likeness(content: Content, found: _core.Imbalance, steps: int) -> float:
    """1, or less if the steps that were kept compute more than all steps do on average: they are then not like the
    others, and what is lost counts in proportion to the computation that there was."""
    computed_s = found.computation_ns * 1e-9 * steps * len(content.ranks)
    there_was_s = sum(rank.computation_s for rank in content.ranks)
    return min(1.0, there_was_s / computed_s) if computed_s > 0 else 1.0


def _waited_for_cores_s(content: Content, process: int | None) -> float:
    """At most this much is lost because a rank waited for a core, and all others for it.   process: that one only."""
    of = content.run.processes if process is None else [content.run.processes[process]]
    waited_s = sum(max(each.conditions.waited_ns, 0.0) for each in of) * 1e-9
    return waited_s * (len(content.ranks) - 1)


def is_disturbance(found: Evidence) -> bool:
    """Whether waits for cores may explain it: it might not be there on a machine of its own. Much of it is worth saying
    in any case: there are many ranks, or the machine is always like that."""
    return found["share"] < MUCH and found["core_waits_s"] >= EXPLAINED * found["lost_s"] > 0


def sentence(content: Content, found: Evidence) -> str:
    text = _of_kind(found)
    if not is_disturbance(found):
        return text
    return f"{text} Waits for a core, which cost up to {fmt.seconds(found['core_waits_s'])}, may explain it."


def _of_kind(found: Evidence) -> str:
    each = f"each iteration ({fmt.seconds(found['lost_per_step_s'])})"
    lost = f"{fmt.percent(found['share'])} of {'the main loop' if found['lumped'] else each}"
    if found["kind"] == "host":
        return f"{lost}: the ranks on {found['host']} compute longer than the others in every iteration."
    if found["kind"] == "fixed":
        return (
            f"{lost}: uneven computation. Rank {found['rank']} computes {fmt.times(found['times_mean'])} as "
            "long as the mean over ranks in every iteration."
        )
    if found["kind"] == "rare":
        if found["rare_period"]:
            few = f"every {found['rare_period']:,} iterations"
        elif found["lumped"]:
            few = "in a few iterations"
        else:
            few = f"in {found['rare_steps']:,} of {found['steps']:,} iterations"
        return f"{lost}: {few}, one rank computes far longer than the others."
    if found["kind"] == "wandering":
        return f"{lost}: uneven computation. The slowest rank changes every few iterations."
    if found["kind"] == "changing":
        return f"{lost}: uneven computation. Another rank computes longest from one iteration to the next."
    return f"{lost}: uneven computation. It varies randomly between ranks and iterations."


EXPLAINED = 0.5
MUCH = 0.1

HELP = {
    "fixed": "Rebalance the work.",
    "wandering": "Rebalance the work.",
    "changing": "Divide each iteration's work evenly, or let ranks synchronise in fewer iterations.",
    "rare": "Look at what the program does only in these iterations: output, checks, rebuilding of neighbour lists.",
    "noise": "Unless the work itself is random, as in Monte Carlo, check the machine: other jobs, CPU temperature, "
    "binding.",
}


def _help_for(found: Evidence) -> str:
    if is_disturbance(found):
        return OF_MACHINE
    if found["kind"] == "rare" and not found["rare_period"]:
        return PERHAPS
    return HELP.get(found["kind"], OF_MACHINE)


# Nothing shows that the program does anything special there: they do not recur regularly.
PERHAPS = (
    "Record again: if the same iterations are slow, look at what the program does only in them (output, checks, …); "
    "else check the machine."
)
OF_MACHINE = "Check the machine: other jobs, CPU temperature, binding."

RULE = Rule(
    id="imbalance",
    order=212,
    severity="notice",
    section="waits",
    facts=facts,
    sentence=sentence,
    threshold={"share": at_least(0.02)},
    cost_s=lambda found: None if is_disturbance(found) else float(found["lost_s"]),
    help=_help_for,
)
