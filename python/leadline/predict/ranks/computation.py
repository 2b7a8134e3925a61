"""How the computation before calls scales with the number of ranks."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.predict.ranks.forms import Trend, trend
from leadline.predict.ranks.growth import Extrapolation

LEAST_SHARE = 0.002  # of all computation: calls with less before them scale alike


@dataclass
class Computation:
    """Mean computation before a call of a site, by call of the program; `rest` of those with little."""

    trends: dict[int, Trend]
    rest: Trend
    means: dict[int, float]
    rest_mean: float
    shares: dict[int, float]
    extents: tuple[int, ...]

    def factor(self, call: int, size: int, extents: tuple[int, ...], bound: str = "of") -> float:
        of, mean = (self.trends[call], self.means[call]) if call in self.trends else (self.rest, self.rest_mean)
        return float(getattr(of, bound)(size, extents)) / mean if mean > 0 else 1.0


def computation_of(found: Extrapolation) -> Computation:
    fitting = found.fitting
    sums: dict[int, dict[tuple[int, tuple[int, ...]], list[float]]] = {}
    for call in fitting.calls:
        for run, rank, leaf in dict.fromkeys(call.samples):
            tree = fitting.trees[run]
            values = tree.ranks[rank].calls[leaf]
            if tree.leaves[tree.ranks[rank].of_class][leaf].function.startswith("MPI_Init"):
                continue
            own = sums.setdefault(call.number, {}).setdefault((tree.size, fitting.extents[run]), [0.0, 0.0])
            own[0] += values.before_ns * values.calls
            own[1] += values.calls
    last = (found.trees[-1].size, fitting.extents[-1])
    total = sum(own[last][0] for own in sums.values() if last in own) or 1.0
    trends, means, shares = {}, {}, {}
    rest: dict[tuple[int, tuple[int, ...]], list[float]] = {}
    for number, of_call in sums.items():
        shares[number] = of_call.get(last, [0.0])[0] / total
        if shares[number] >= LEAST_SHARE and len(of_call) == len(found.trees) and all(n for _, n in of_call.values()):
            each = {key: ns / n for key, (ns, n) in of_call.items()}
            trends[number], means[number] = trend(each), each[last]
        else:
            for key, (ns, n) in of_call.items():
                both = rest.setdefault(key, [0.0, 0.0])
                both[0] += ns
                both[1] += n
    others = {key: ns / n for key, (ns, n) in rest.items() if n} or {last: 0.0}
    if last not in others:
        others[last] = 0.0
    return Computation(trends, trend(others), means, others[last], shares, fitting.extents[-1])
