"""What the study concludes, what its own tables say, and what the repeats measured here say to each of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from leadline.profiles.profile import Profile
from leadline.profiles.tau_columns import APPLICATION
from leadline.profiles.virtual_clusters import (
    FACTOR,
    LEAST_SHARE,
    WAIT,
    Tables,
    disagreements,
    figures,
    sizes,
)
from leadline.profiles.virtual_clusters import tables as published_tables
from leadline.statistics.welch import Ratio, holm, of_repeats
from leadline.studies.libraries.claims import HOLDS, NOT, UNKNOWN, Found, Verdict, alike, faster

FIRST, SECOND = "physical", "virtual"
PUBLISHED_SHARES = "59 % of the time physical, 90 % virtual, on 16 nodes"
Repeats = Mapping[tuple[str, int], Sequence[Profile]]  # by side and nodes; repeats in order
Figure = Callable[[Profile], float]


def application_s(profile: Profile) -> float:
    return profile.exclusive_s(APPLICATION)


def mpi_s(profile: Profile) -> float:
    return profile.mpi_s


def wait_s(profile: Profile) -> float:
    return profile.exclusive_s(WAIT)


def verdicts(repeats: Repeats, typical: Tables, first: str = "direct") -> list[Verdict]:
    """typical: the medians of the repeats.   first: what the physical side is called here."""
    counts = sizes(typical)
    theirs = published_tables()
    application, mpi, wait = (compared(repeats, counts, each) for each in (application_s, mpi_s, wait_s))
    return [
        Verdict("the application itself takes the same time", _factors(theirs, "application_s"), *alike(application)),
        Verdict("MPI takes longer in the virtual cluster", _factors(theirs, "mpi_s"), *faster(mpi)),
        Verdict("MPI scales worse in the virtual cluster", _growths(theirs), *_scaling(repeats, counts, first)),
        Verdict("MPI_Wait dominates", PUBLISHED_SHARES, *_dominates(repeats, counts, first)),
        Verdict("MPI_Wait takes longer in the virtual cluster", _factors(theirs, "wait_s"), *faster(wait)),
        Verdict("the other calls behave alike", _contradicted(theirs), *_others(repeats, counts, first)),
    ]


def compared(repeats: Repeats, counts: Sequence[int], figure: Figure) -> list[Found]:
    """Second / first at each number of nodes. A difference is claimed with Holm's correction over these."""
    ratios = [(nodes, _ratio(repeats, nodes, figure)) for nodes in counts]
    known = [(nodes, ratio) for nodes, ratio in ratios if ratio is not None]
    claimed = holm([ratio.p for _, ratio in known])
    return [Found(ratio, sure, f"{nodes} nodes") for (nodes, ratio), sure in zip(known, claimed, strict=True)]


def _ratio(repeats: Repeats, nodes: int, figure: Figure) -> Ratio | None:
    one, other = ([figure(each) for each in repeats.get((side, nodes), ())] for side in (FIRST, SECOND))
    return of_repeats(one, other) if one and other else None


def _scaling(repeats: Repeats, counts: Sequence[int], first: str) -> tuple[str, str]:
    """The growth of MPI's time on a process from the fewest to the most nodes, one side's by the other's."""
    if len(counts) < 2:
        return UNKNOWN, "measured at one number of nodes only"
    few, many = counts[0], counts[-1]
    growth = {}
    for side in (FIRST, SECOND):
        pairs = zip(repeats[side, few], repeats[side, many], strict=False)
        growth[side] = [(mpi_s(much) / many) / (mpi_s(little) / few) for little, much in pairs if mpi_s(little)]
    ratio = of_repeats(growth[FIRST], growth[SECOND]) if all(growth.values()) else None
    if ratio is None:
        return UNKNOWN, "too few repeats"
    where = f"growth from {few} to {many} nodes, virtual by {first}"
    verdict, words = faster([Found(ratio, holm([ratio.p])[0], where)])
    return verdict, f"{words}; {first} {ratio.a:.2f}×, virtual {ratio.b:.2f}×"


def _dominates(repeats: Repeats, counts: Sequence[int], first: str) -> tuple[str, str]:
    """Whether no MPI function takes longer, in each repeat on the most nodes."""
    if not counts:
        return UNKNOWN, "not measured"
    found, words = [], []
    for side, title in ((FIRST, first), (SECOND, "virtual")):
        runs = repeats[side, counts[-1]]
        found += [max(each.mpi_functions, key=each.exclusive_s, default="") == WAIT for each in runs]
        whole = sum(row.exclusive_s for each in runs for row in each.rows)
        share = sum(map(wait_s, runs)) / whole if whole else 0.0
        words.append(f"{title} {100 * share:.0f} % of the time on {counts[-1]} nodes")
    words.append(f"no MPI call takes longer in {sum(found)} of {len(found)} runs")
    verdict = HOLDS if all(found) else NOT if not any(found) else UNKNOWN
    return verdict, ", ".join(words)


def _others(repeats: Repeats, counts: Sequence[int], first: str) -> tuple[str, str]:
    """Not, if a call other than MPI_Wait with a share of MPI's time differs by the factor for which the author's own
    tables are said to differ, and the difference is proven."""
    looked: list[tuple[str, Ratio]] = []
    for nodes in counts:
        sides = [repeats[side, nodes] for side in (FIRST, SECOND)]
        names = {name for runs in sides for each in runs for name in each.mpi_functions} - {WAIT}
        for name in sorted(names):
            if max(_share(runs, name) for runs in sides) < LEAST_SHARE:
                continue
            ratio = _ratio(repeats, nodes, lambda each, name=name: each.us_per_call(name) or 0.0)  # type: ignore[misc]
            if ratio is not None:
                looked.append((f"{name} on {nodes} nodes", ratio))
    if not looked:
        return UNKNOWN, "not measured"
    sure = holm([ratio.p for _, ratio in looked])
    far = [
        (name, ratio)
        for (name, ratio), claimed in zip(looked, sure, strict=True)
        if claimed and max(ratio.value, 1 / ratio.value) >= FACTOR
    ]
    if not far:
        return UNKNOWN, f"no call is proven to differ by {FACTOR:g}×, of {len(looked)} compared"
    far.sort(key=lambda each: -max(each[1].value, 1 / each[1].value))
    words = "; ".join(f"{name} {_us(ratio.a)} {first}, {_us(ratio.b)} virtual" for name, ratio in far[:6])
    more = f"; and {len(far) - 6} more" if len(far) > 6 else ""
    return NOT, f"{words}{more}"


def _us(value: float) -> str:
    """Three digits, none of them as a power of ten."""
    return f"{value:,.0f} µs" if value >= 100 else f"{value:.3g} µs"


def _share(runs: Sequence[Profile], name: str) -> float:
    whole = sum(each.mpi_s for each in runs)
    return sum(each.exclusive_s(name) for each in runs) / whole if whole else 0.0


def _factors(theirs: Tables, figure: str) -> str:
    by = {(row["side"], row["nodes"]): row[figure] for row in figures(theirs)}
    words = [f"{by[SECOND, nodes] / by[FIRST, nodes]:.2f}× on {nodes} nodes" for nodes in sizes(theirs)]
    return f"his tables: {', '.join(words)}"


def _growths(theirs: Tables) -> str:
    by = {(row["side"], row["nodes"]): row["mpi_s"] for row in figures(theirs)}
    few, many = sizes(theirs)[0], sizes(theirs)[-1]
    words = [f"{side} {by[side, many] / by[side, few]:.2f}×" for side in (FIRST, SECOND)]
    return f"his tables, from {few} to {many} nodes: {', '.join(words)}"


def _contradicted(theirs: Tables) -> str:
    words = [f"{each.function} on {each.nodes} nodes {each.ratio:.1f}×" for each in disagreements(theirs)]
    return f"his own tables say otherwise: {', '.join(words)}"
