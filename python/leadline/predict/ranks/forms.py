"""How numbers scale: by the number of ranks, their grid, a rank's place in it, and the iteration of a loop.

A form is taken only if it holds for every recorded value. Where an integer follows none, the form with the least error
in leave-one-out validation is taken, if it is close enough (as Extra-P does; Calotoiu et al., "Using automated
performance modeling to find scalability bugs in complex codes", SC 2013).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

MOST_ERROR = 0.15  # of the means of counts or sizes that follow no form exactly
MOST_SPREAD = 0.5  # of these, of a rank from the form
DEEPEST = 3  # conditions, one after another
PERIODS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 25, 48, 50, 100)

Value = TypeVar("Value")


@dataclass(frozen=True)
class Point:
    """A rank of a run.   extents, at: the grid of ranks and the rank's place.   indices: iteration and number of
    iterations of each enclosing loop that is extrapolated, the innermost last."""

    size: int
    rank: int
    extents: tuple[int, ...]
    at: tuple[int, ...]
    indices: tuple[tuple[int, int], ...] = ()

    def inside(self, index: int, trips: int) -> Point:
        return Point(self.size, self.rank, self.extents, self.at, (*self.indices, (index, trips)))


@dataclass(frozen=True)
class Model(Generic[Value]):
    """form: in words.   error: the largest relative one, 0 if exact.   sure: more values were there than it needs."""

    of: Callable[[Point], Value]
    form: str
    error: float = 0.0
    sure: bool = True
    constant: bool = False


@dataclass(frozen=True)
class Scale:
    name: str
    of: Callable[[int, tuple[int, ...]], float]


def _power(name: str, exponent: float) -> Scale:
    return Scale(name, lambda size, _: float(size) ** exponent)


SCALES = (
    Scale("P", lambda size, _: float(size)),
    Scale("P - 1", lambda size, _: float(size - 1)),
    Scale("log2 P", lambda size, _: float((size - 1).bit_length())),
    Scale("1/P", lambda size, _: 1 / size),
)
ROOTS = (
    _power("P^(1/2)", 0.5),
    _power("P^(1/3)", 1 / 3),
    _power("P^(-1/2)", -0.5),
    _power("P^(-2/3)", -2 / 3),
    _power("P^(-1/3)", -1 / 3),
    Scale("P log2 P", lambda size, _: size * float((size - 1).bit_length())),
    _power("P^2", 2.0),
    _power("P^(-2)", -2.0),
    Scale("log2 P / P", lambda size, _: float((size - 1).bit_length()) / size),
)


def grid_scales(dimensions: int) -> Iterator[Scale]:
    if dimensions < 2:
        return
    if dimensions > 2:  # faces, before edges
        for k in range(dimensions):
            yield Scale(f"p{k}/P", lambda size, e, k=k: e[k] / size)  # type: ignore[misc]
    for k in range(dimensions):
        yield Scale(f"1/p{k}", lambda _, e, k=k: 1 / e[k])  # type: ignore[misc]
        yield Scale(f"p{k}", lambda _, e, k=k: float(e[k]))  # type: ignore[misc]
        yield Scale(f"p{k} - 1", lambda _, e, k=k: float(e[k] - 1))  # type: ignore[misc]
        yield Scale(f"log2 p{k}", lambda _, e, k=k: float((e[k] - 1).bit_length()))  # type: ignore[misc]


OF_RUNS = " in a run"  # ends of conditions that tell runs apart: too many values would fit
FEWEST = "P is {}" + OF_RUNS
GROWING = ("P", "log2 P")
SHRINKING = ("1/P", *(f"1/p{k}" for k in range(3)))


Condition = tuple[str, Callable[[Point], bool]]


def conditions(dimensions: int, depth: int) -> Iterator[Condition]:
    yield "rank 0", lambda p: p.rank == 0
    yield "the last rank", lambda p: p.rank == p.size - 1
    if dimensions > 1:
        for k in range(dimensions):
            yield f"p{k} is 1" + OF_RUNS, lambda p, k=k: p.extents[k] == 1  # type: ignore[misc]
    if dimensions > 1:
        for k in range(dimensions):
            yield f"first along p{k}", lambda p, k=k: p.at[k] == 0  # type: ignore[misc]
            yield f"last along p{k}", lambda p, k=k: p.at[k] == p.extents[k] - 1  # type: ignore[misc]
    for level in range(1, depth + 1):
        yield "the first iteration", lambda p, n=level: p.indices[-n][0] == 0  # type: ignore[misc]
        yield "the last iteration", lambda p, n=level: p.indices[-n][0] == p.indices[-n][1] - 1  # type: ignore[misc]
        yield "rank of the iteration", lambda p, n=level: p.rank == p.indices[-n][0]  # type: ignore[misc]
        yield "multiple of the iteration", lambda p, n=level: p.rank % (2 << p.indices[-n][0]) == 0  # type: ignore[misc]
    yield "even ranks", lambda p: p.rank % 2 == 0
    if dimensions > 1:
        for k in range(dimensions):
            yield f"even along p{k}", lambda p, k=k: p.at[k] % 2 == 0  # type: ignore[misc]
    for level in range(1, depth + 1):
        for period in PERIODS:
            for left in (0, period - 1):
                yield (
                    f"iteration {left + 1} of {period}",
                    lambda p, n=level, a=period, b=left: p.indices[-n][0] % a == b,  # type: ignore[misc]
                )


Simple = Callable[[Sequence[Point], Sequence[Any]], "Model[Any] | None"]


def fit(
    points: Sequence[Point], values: Sequence[Any], simple: Simple, special: Sequence[Condition] = ()
) -> Model[Any] | None:
    """The simplest model: one that `simple` finds for all, or for those that meet a condition and for the others.
    special: conditions that are tried first."""
    if not points:
        return None
    known = [*special, *conditions(len(points[0].extents), len(points[0].indices))]
    sizes = sorted({p.size for p in points})
    if len(sizes) > 2:  # where the fewest ranks are, a loop with one iteration may have left no trace
        known.append((FEWEST.format(sizes[0]), lambda p: p.size == sizes[0]))
    return _split(points, values, simple, known, DEEPEST)


def _split(
    points: Sequence[Point], values: Sequence[Any], simple: Simple, known: Sequence[Condition], depth: int
) -> Model[Any] | None:
    whole = simple(points, values)
    if whole is not None or depth == 0:
        return whole
    best: tuple[int, Condition, Model[Any], list[int], bool] | None = None
    for name, holds in known:
        meets = [holds(p) for p in points]
        if all(meets) or not any(meets):
            continue
        for side in (True, False):
            inside = [i for i, is_met in enumerate(meets) if is_met is side]
            model = simple([points[i] for i in inside], [values[i] for i in inside])
            if model is None or not model.sure:  # conditions and forms that nothing checks fit anything
                continue
            others = [i for i, is_met in enumerate(meets) if is_met is not side]
            rest = simple([points[i] for i in others], [values[i] for i in others])
            if name.endswith(OF_RUNS) and rest is None:
                continue
            if rest is not None and rest.sure:
                return _either(name, holds, model, rest, side)
            if best is None or len(inside) > best[0]:
                best = (len(inside), (name, holds), model, others, side)
    if best is None:
        return None
    _, (name, holds), model, others, side = best
    rest = _split([points[i] for i in others], [values[i] for i in others], simple, known, depth - 1)
    return None if rest is None or not rest.sure else _either(name, holds, model, rest, side)


def _either(name: str, holds: Callable[[Point], bool], model: Model[Any], rest: Model[Any], side: bool) -> Model[Any]:
    def of(point: Point) -> Any:
        return model.of(point) if holds(point) is side else rest.of(point)

    when = name if side else f"not {name}"
    error = max(model.error, rest.error)
    return Model(of, f"{model.form} ({when}), {rest.form}", error, model.sure and rest.sure)


def by_size(points: Sequence[Point], values: Sequence[Any]) -> dict[tuple[int, tuple[int, ...]], Any] | None:
    """The value of each number of ranks; None if it depends on more."""
    found: dict[tuple[int, tuple[int, ...]], Hashable] = {}
    for point, value in zip(points, values, strict=True):
        if found.setdefault((point.size, point.extents), value) != value:
            return None
    return found


def exact_integer(points: Sequence[Point], values: Sequence[int]) -> Model[int] | None:
    first = values[0]
    if all(value == first for value in values):
        return Model(lambda _: first, f"{first:,}", constant=True)
    sizes = by_size(points, values)
    if sizes is not None:
        alone = _where_alone(sizes) if 0 in sizes.values() else None
        return alone if alone is not None else _scaled(sizes)
    return _linear(points, values) or _shared(points, values)


def _where_alone(sizes: dict[tuple[int, tuple[int, ...]], int]) -> Model[int] | None:
    """Nothing where a dimension has one rank, which exchanges nothing along it, and otherwise always as much."""
    for k in range(len(next(iter(sizes))[1])):
        there = {value for (_, extents), value in sizes.items() if extents[k] > 1}
        if len(there) == 1 and all(not value for (_, extents), value in sizes.items() if extents[k] == 1):
            value = there.pop()
            return Model(lambda p, k=k, v=value: v if p.extents[k] > 1 else 0, f"{value:,} if p{k} > 1")  # type: ignore[misc]
    return None


def _scaled(sizes: dict[tuple[int, tuple[int, ...]], int]) -> Model[int] | None:
    if len(sizes) < 2:
        return None
    keys = sorted(sizes)
    faces = [s for s in grid_scales(len(keys[0][1])) if s.name.endswith("/P")]
    for scale in [*faces, *SCALES, *grid_scales(len(keys[0][1])), *ROOTS]:
        factor = sizes[keys[-1]] / (scale.of(*keys[-1]) or math.inf)
        if factor and all(equal_numbers(factor * scale.of(*key), sizes[key]) for key in keys):
            form = f"{factor:,.10g} {scale.name}" if factor != 1 else scale.name
            return Model(lambda p, f=factor, s=scale: round(f * s.of(p.size, p.extents)), form)  # type: ignore[misc]
    for scale in [*grid_scales(len(keys[0][1])), *SCALES, *ROOTS]:
        low, high = scale.of(*keys[0]), scale.of(*keys[-1])
        if low == high:
            continue
        slope = (sizes[keys[-1]] - sizes[keys[0]]) / (high - low)
        base = sizes[keys[0]] - slope * low
        sure = len({scale.of(*key) for key in keys}) > 2
        if not sure and not _likely(scale, slope, base):
            continue
        if all(equal_numbers(base + slope * scale.of(*key), sizes[key]) for key in keys):
            return Model(
                lambda p, a=base, b=slope, s=scale: round(a + b * s.of(p.size, p.extents)),  # type: ignore[misc]
                f"{base:,.10g} + {slope:,.10g} {scale.name}",
                0.0,
                sure,
            )
    return None


def equal_numbers(form: float, value: int) -> bool:
    """Of small numbers rounding would make too many forms fit; of large ones it may be the program's."""
    return abs(form - value) < (0.5 if abs(value) >= 1000 else 1e-6)


def _likely(scale: Scale, slope: float, base: float) -> bool:
    """Of two values: what grows does so with P, and what shrinks is a share and something that is always there."""
    whole = abs(slope - round(slope)) < 1e-6 and abs(base - round(base)) < 1e-6
    return whole and slope > 0 and (base >= 0 or scale.name == "P") and scale.name in GROWING + SHRINKING


def _variables(points: Sequence[Point]) -> Iterator[tuple[str, Callable[[Point], int]]]:
    yield "rank", lambda p: p.rank
    for k in range(len(points[0].extents) if len(points[0].extents) > 1 else 0):
        yield f"place along p{k}", lambda p, k=k: p.at[k]  # type: ignore[misc]
    for level in range(1, len(points[0].indices) + 1):
        yield "iteration", lambda p, n=level: p.indices[-n][0]  # type: ignore[misc]
        yield "iterations left", lambda p, n=level: p.indices[-n][1] - 1 - p.indices[-n][0]  # type: ignore[misc]
        yield "2^iteration", lambda p, n=level: 1 << min(p.indices[-n][0], 62)  # type: ignore[misc]
    yield "ranks after it", lambda p: p.size - 1 - p.rank


def _linear(points: Sequence[Point], values: Sequence[int]) -> Model[int] | None:
    for name, of in _variables(points):
        xs = [of(p) for p in points]
        low, high = min(range(len(xs)), key=xs.__getitem__), max(range(len(xs)), key=xs.__getitem__)
        if xs[low] == xs[high]:
            continue
        slope, left = divmod(values[high] - values[low], xs[high] - xs[low])
        base = values[low] - slope * xs[low]
        if left == 0 and slope and all(base + slope * x == v for x, v in zip(xs, values, strict=True)):
            form = f"{base:,} + {slope:,} {name}" if base else f"{slope:,} {name}" if slope != 1 else name
            return Model(lambda p, a=base, b=slope, x=of: a + b * x(p), form)  # type: ignore[misc]
    return None


def _shared(points: Sequence[Point], values: Sequence[int]) -> Model[int] | None:
    """Even shares of n, of `unit` each: the first n mod p places have one more."""
    for k in range(len(points[0].extents)):
        shares: dict[tuple[int, tuple[int, ...]], dict[int, int]] = {}
        if any(
            shares.setdefault((p.size, p.extents), {}).setdefault(p.at[k], v) != v
            for p, v in zip(points, values, strict=True)
        ):
            continue
        steps = {max(s.values()) - min(s.values()) for s in shares.values()} - {0}
        whole = next((key for key in shares if len(shares[key]) == key[1][k]), None)
        if len(steps) != 1 or whole is None:
            continue
        unit = steps.pop()
        total, left = divmod(sum(shares[whole].values()), unit)
        if left or total < max(extents[k] for _, extents in shares):
            continue

        def of(p: Point, k: int = k, unit: int = unit, total: int = total) -> int:
            return unit * (total // p.extents[k] + (p.at[k] < total % p.extents[k]))

        if all(of(p) == v for p, v in zip(points, values, strict=True)):
            return Model(of, f"{unit:,} times a share of {total:,}")
    return None


@dataclass(frozen=True)
class Trend:
    """A number by the number of ranks, not exact.   others: factors of forms that are as likely."""

    of: Callable[[int, tuple[int, ...]], float]
    form: str
    error: float
    low: Callable[[int, tuple[int, ...]], float]
    high: Callable[[int, tuple[int, ...]], float]


def trend(values: dict[tuple[int, tuple[int, ...]], float], most: int = 3) -> Trend:
    """The form with the least error where each value in turn is predicted from the others; of two values, the power of
    P nearest to theirs. low, high: the least and most of the forms that do nearly as well."""
    keys = sorted(values)
    last = keys[-1]
    if len(keys) == 1 or min(values.values()) <= 0:
        mean = values[last]
        return Trend(lambda *_: mean, "constant", 0.0, lambda *_: mean, lambda *_: mean)
    constant = Scale("constant", lambda *_: 1.0)
    scales = [constant, *SCALES, *grid_scales(len(last[1])), *ROOTS[:6]]

    def fitted(scale: Scale, used: Sequence[tuple[int, tuple[int, ...]]]) -> float:
        """The factor, of the logarithms' mean."""
        return math.exp(sum(math.log(values[k] / max(scale.of(*k), 1e-300)) for k in used) / len(used))

    found: list[tuple[float, Scale]] = []
    for scale in scales:
        if any(scale.of(*key) <= 0 for key in keys):
            continue
        errors = []
        for key in keys:
            others = [k for k in keys if k != key]
            errors.append(abs(math.log(fitted(scale, others) * scale.of(*key) / values[key])))
        found.append((sum(errors) / len(errors), scale))
    found.sort(key=lambda each: each[0])
    near = [scale for error, scale in found[: most + 1] if error <= 2 * found[0][0] + 0.02]
    error, best = found[0]

    def of(scale: Scale) -> Callable[[int, tuple[int, ...]], float]:
        anchor = values[last] / scale.of(*last)
        return lambda size, extents: anchor * scale.of(size, extents)

    alike = [of(scale) for scale in near]
    return Trend(
        of(best),
        best.name,
        math.expm1(error),
        lambda size, extents: min(each(size, extents) for each in alike) * math.exp(-error),
        lambda size, extents: max(each(size, extents) for each in alike) * math.exp(error),
    )


def near_integer(points: Sequence[Point], values: Sequence[int]) -> Model[int] | None:
    """Not exact: of the mean over a run's ranks, where these and the form are close enough."""
    sums: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for point, value in zip(points, values, strict=True):
        sums.setdefault((point.size, point.extents), []).append(value)
    means = {key: sum(all_of) / len(all_of) for key, all_of in sums.items()}
    if min(means.values()) <= 0 or len(means) < 2:
        return None
    found = trend(means)
    error = max(abs(v / found.of(p.size, p.extents) - 1) for p, v in zip(points, values, strict=True))
    if error > MOST_SPREAD or found.error > MOST_ERROR:
        return None
    return Model(lambda p: round(found.of(p.size, p.extents)), f"about {found.form}", error)


def integer(
    points: Sequence[Point], values: Sequence[int], special: Sequence[Condition] = (), near: bool = True
) -> Model[int] | None:
    exact = fit(points, values, exact_integer, special)
    return exact if exact is not None or not near else near_integer(points, values)
