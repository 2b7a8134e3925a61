"""Runs the launches of a measurement and turns them into rows."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from leadline import mpi
from leadline.bench import program
from leadline.bench.asking import COLLECTIVES, OPERATIONS, POINT_TO_POINT, candidates_for, portfolio, sizes_for
from leadline.bench.bounds import Model, Network, fit
from leadline.bench.course import Course, Courses
from leadline.bench.grid import default_dims, require_grids
from leadline.bench.launching import Plan
from leadline.bench.rows import Asked, Measurement, rows_of
from leadline.errors import UsageError
from leadline.operations import operations
from leadline.runs.runner import Runner


def measure(
    operation: str,
    *,
    algorithms: str | Sequence[str] | None = None,
    sizes: Iterable[int | str] | None = None,
    ranks: int = 2,
    library: mpi.Library | str = "mpich",
    launches: int = 5,
    rounds: int = 50,
    seconds: float = 2.5,
    repeat: int = 0,
    skew_us: float = 0.0,
    arrivals: Mapping[int, Sequence[Sequence[float]]] | Sequence[Sequence[float]] = (),
    start: str = "announced",
    root: int = 0,
    nodes: int = 0,
    dims: Sequence[int] = (),
    seed: int = 1,
    timeout_s: float | None = None,
    launcher: Sequence[str] | None = None,
    environ: Mapping[str, str] | None = None,
    measured_clocks: bool = False,
    buffers: str = "reused",
    network: Network | None = None,
    only_better: bool = False,
    screening: int = 0,
    left_out: Mapping[int, Collection[str]] | None = None,
    more_ranks: int = 0,
    keep: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Measurement:
    """Measure candidates against the library's own (point to point: against blocking messages).

    algorithms: names with parameters as in "chain:segment=65536", or "all"; the base is always measured with them.
    sizes: bytes or words like "64Ki".
    seconds: for each point in each launch, at most.
    repeat: operations in a row in a sample; 0 for as many as the operation needs.
    skew_us: ranks arrive up to this much apart, at random.
    arrivals: patterns of arrival, which take turns: microseconds by rank after the start; for all sizes, or by size.
    start: of a sample: "announced", an instant by clocks that are compared, or "barrier", each rank's own after one.
    dims: sides of the periodic grid of ranks, for neighbourhood collectives; others ignore it. By default two, as equal
    as can be.
    timeout_s: of a launch.
    launcher: the words before the program, with {ranks} for their number; by default the library's own for `ranks`.
    environ: added to the environment of the launcher and the ranks.
    buffers: "reused" as they are, or "written" by the ranks before every operation.
    network: for the model's times, beside those measured; on several hosts only with `nodes`.
    only_better: a candidate that was not better than the base in a launch, its interval clear of 1, is left out of the
    next ones; there may be none left.
    screening: rounds of an extra first launch, which does not count but leaves out candidates that are clearly slower.
    left_out: by size: names that are not measured there.
    more_ranks: also measure the library's own on that many ranks, in launches that alternate; 0: don't.
    keep: if a launch fails or a signal comes, return the results of those before it, with the reason in `failed`.
    progress: called with a description of each step.

    Raises UsageError, MissingPrerequisite, and MeasurementFailed if a launch ends with an error or not in time.
    """
    _check(operation, ranks, launches, rounds, root)
    chosen = mpi.find(library) if isinstance(library, str) else library
    executable = program.executable(chosen)
    asked = asked_of(operation, algorithms, sizes, ranks, chosen.name, seed, dims=dims)
    asked = replace(asked, arrivals=arrivals_by_size(arrivals, asked.sizes, ranks, skew_us))
    if left_out:
        asked = replace(asked, left_out=left_out_of(left_out, asked))
    plan = Plan(
        points=(),
        rounds=rounds,
        seconds=seconds,
        repeat=repeat,
        skew_us=skew_us,
        start=start,
        seed=seed,
        root=root,
        nodes=nodes,
        dims=asked.dims,
        measured_clocks=measured_clocks,
        buffers=buffers,
        network=True,
    )
    environment = {**chosen.env(), **(environ or {})}
    wanted = [asked]
    if more_ranks:
        base = asked.candidates[asked.base]
        wanted.append(replace(asked, processes=more_ranks, candidates=(base,), arrivals=(), left_out=()))
    with tempfile.TemporaryDirectory(prefix="leadline-bench-") as folder:
        courses = [
            Course(
                each,
                plan,
                [*launcher_of(chosen, launcher, each.processes), str(executable)],
                environment,
                _new(Path(folder) / str(number)),
                label=f"{operation}, {each.processes} ranks, {chosen.name}",
                timeout_s=timeout_s,
                screening=screening if len(each.candidates) > 1 else 0,
                only_better=only_better and len(each.candidates) > 1,
                keep=keep,
            )
            for number, each in enumerate(wanted)
        ]
        both = Courses(courses)
        finished = Runner(progress).run(both.turns(launches), both.launch_of, both.take)
    if finished.interrupted:
        if not (keep and courses[0].found):
            finished.interruption.end_if_any()
        courses[0].failed = f"interrupted; launches completed and kept: {len(courses[0].found)} of {launches}"
    settings = {**settings_of(plan), "launches": launches, "environ": dict(environ or {})}
    model = None if network is None else Model(network, root, nodes)
    measurement, *more = (
        measurement_of(each, course, settings, model) for each, course in zip(wanted, courses, strict=True)
    )
    measurement.interruption = finished.interruption
    measurement.on_more_ranks = next(iter(more), None)
    return measurement


def asked_of(
    operation: str,
    algorithms: str | Sequence[str] | None,
    sizes: Iterable[int | str] | None,
    ranks: int,
    library: str,
    seed: int,
    *,
    dims: Sequence[int] = (),
) -> Asked:
    """What is asked for of ranks that arrive together, as `measure` takes it. Raises UsageError."""
    asked = Asked(
        operation=operation,
        sizes=tuple(sizes_for(operation, sizes)),
        candidates=tuple(candidates_for(operation, algorithms, portfolio())),
        processes=ranks,
        library=library,
        seed=seed,
    )
    if operation in COLLECTIVES and operations()[operation].for_neighbours:
        return replace(asked, dims=_grid_of(dims, ranks))
    return asked


def launcher_of(library: mpi.Library, given: Sequence[str] | None, ranks: int) -> list[str]:
    if not given:
        return list(library.launch(ranks))
    return [word.replace("{ranks}", str(ranks)) for word in given]


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _check(operation: str, ranks: int, launches: int, rounds: int, root: int) -> None:
    if operation not in OPERATIONS:
        raise UsageError(f"unknown operation {operation!r}", hint=f"available: {', '.join(OPERATIONS)}")
    if operation in POINT_TO_POINT and ranks != 2:
        raise UsageError(f"{operation} needs exactly 2 ranks (-n 2), got {ranks}")
    if min(ranks, launches, rounds) < 1:
        raise UsageError("ranks, launches and rounds must be 1 or more")
    if not 0 <= root < ranks:
        raise UsageError(f"--root {root}: expected 0 to {ranks - 1}")


def _grid_of(dims: Sequence[int], ranks: int) -> tuple[int, ...]:
    if not dims:
        return default_dims(ranks)
    require_grids({math.prod(dims): tuple(dims)}, [ranks])
    return tuple(dims)


def arrivals_by_size(
    given: Mapping[int, Sequence[Sequence[float]]] | Sequence[Sequence[float]],
    sizes: Sequence[int],
    ranks: int,
    skew_us: float = 0.0,
) -> tuple[tuple[tuple[float, ...], ...], ...]:
    """By size; () if ranks arrive together, or at random."""
    if not given:
        return ()
    if skew_us:
        raise UsageError("ranks arrive by a pattern or at random, not both")
    by_size = given if isinstance(given, Mapping) else dict.fromkeys(sizes, given)
    found = tuple(tuple(tuple(pattern) for pattern in by_size.get(size, ())) for size in sizes)
    for pattern in (each for patterns in found for each in patterns):
        if len(pattern) != ranks or min(pattern) < 0:
            raise UsageError(f"a pattern of arrival has {len(pattern)} delays of 0 µs or more: expected {ranks}")
    return found


def left_out_of(given: Mapping[int, Collection[str]], asked: Asked) -> tuple[frozenset[int], ...]:
    """By point: the candidates' numbers."""
    return tuple(
        frozenset(
            number
            for number, candidate in enumerate(asked.candidates)
            if number != asked.base and str(candidate) in given.get(size, ())
        )
        for size in asked.sizes
    )


def settings_of(plan: Plan) -> dict[str, Any]:
    return {
        "rounds": plan.rounds,
        "seconds": plan.seconds,
        "repeat": plan.repeat,
        "skew_us": plan.skew_us,
        "start": plan.start,
        "buffers": plan.buffers,
        "root": plan.root,
        "nodes": plan.nodes,
        **({"dims": list(plan.dims)} if plan.dims else {}),
        "seed": plan.seed,
    }


def measurement_of(asked: Asked, course: Course, settings: dict[str, Any], model: Model | None) -> Measurement:
    network = fit(
        [cost for launch in course.found for cost in launch.messages],
        [cost for launch in course.found for cost in launch.reductions],
    )
    rows = rows_of(asked, course.found, network, model)
    return Measurement(asked, course.found, network, dict(settings), rows, course.failed)
