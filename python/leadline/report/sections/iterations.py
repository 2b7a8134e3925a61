"""Time per iteration of the main loop, from the first to the last, with the iterations that took long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline import _core
from leadline.figures.content import Content
from leadline.figures.control import RegionEntry
from leadline.figures.iterations import Iterations
from leadline.figures.json_entries import rank_id
from leadline.figures.loops import NamedLoop, named_loop
from leadline.figures.run import Run
from leadline.figures.time_parts import LEAST_OWN_SHOWN
from leadline.report.section import Section
from leadline.symbols import Location
from leadline.text import format as fmt
from leadline.text.screen import Line, Screen
from leadline.text.wrapping import wrapped
from leadline.wording.loops import anchor_of, loop_at, or_others, place_of, restarting, why_no_main_loop
from leadline.wording.timelines import no_whole_iteration

if TYPE_CHECKING:
    from rich.console import Console

BARS = " ▁▂▃▄▅▆▇█"
MOST_OUTLIERS = 12


def figures(content: Content) -> dict[str, Any]:
    found = content.iterations
    return {
        "iterations": _as_data(found),
        "no_iterations": why_no_main_loop(content.run) if found is None else None,
        "other_loops": [_other(loop) for loop in content.other_loops],
    }


def _other(loop: NamedLoop) -> dict[str, Any]:
    return {
        "loop": loop.number,
        "place": place_of(loop),
        "count": loop.iterations,
        "at_least": loop.at_least,
        "about": loop.about,
        "call_paths": loop.call_paths,
        "share": loop.share,
        "inside": loop.inside or None,
    }


def _as_data(it: Iterations | None) -> dict[str, Any] | None:
    """The form that docs/read/report.md describes."""
    if it is None:
        return None
    found, run, loop = it.found, it.run, it.loop
    if it.region is not None:
        return _of_region(it.region, it)
    where = it.anchor.location if it.anchor is not None else None
    return {
        "region": None,
        "loop": loop.number if loop is not None else None,
        "routine": loop.routine if loop is not None else None,
        "file": loop.file or None if loop is not None else None,
        "line": loop.line or None if loop is not None else None,
        "last_line": loop.last_line or None if loop is not None else None,
        "path": [_routine(frame) for frame in loop.path] if loop is not None else None,
        "share": loop.share if loop is not None else None,
        "at_least": loop.at_least if loop is not None else None,
        "about": loop.about if loop is not None else None,
        "lumped": it.lumped,
        "restarts": loop.restarts_json if loop is not None else None,
        "around": _place(named_loop(run, loop.around[0])) if loop is not None and loop.around else None,
        "site": {
            "function": it.anchor.function if it.anchor is not None else None,
            "routine": it.anchor.routine if it.anchor is not None else None,
            "file": where.file if where is not None and where.file else None,
            "line": where.line if where is not None and where.file else None,
            "ends_with_it": found.after,
        },
        "count": found.count,
        "calls_per_iteration": it.mpi_calls,
        "average_s": it.average_s,
        "timed_are_unlike": it.timed_are_unlike,
        "mean_s": found.mean_ns * 1e-9 if it.timed else None,
        "min_s": found.min_ns * 1e-9 if it.timed else None,
        "max_s": it.longest_ns * 1e-9 if it.timed else None,
        "timed": it.timed_iterations,
        "strip": [
            {
                "first": entry.first,
                "last": entry.last,
                "mean_s": entry.mean_ns * 1e-9,
                "min_s": entry.min_ns * 1e-9,
                "max_s": entry.max_ns * 1e-9,
                "max_rank": rank_id(run.label(entry.max_process)),
                "max_iteration": entry.max_iteration,
            }
            for entry in found.strip
        ],
        "outliers": [
            {
                "iteration": outlier.iteration,
                "rank": rank_id(run.label(outlier.process)),
                "time_s": outlier.time_ns * 1e-9,
                "typical_s": outlier.typical_ns * 1e-9,
                "longest_computation_s": outlier.computation_ns * 1e-9,
            }
            for outlier in found.outliers
        ],
        "sampled": found.sampled,
        "kept": found.kept,
        "clocks": _clocks(it.time),
    }


def _place(loop: NamedLoop) -> dict[str, Any]:
    place = {"routine": loop.routine, "file": loop.file or None, "line": loop.line or None}
    return {**place, "restarts": loop.restarts_json}


def _of_region(region: RegionEntry, it: Iterations) -> dict[str, Any]:
    """Only the number of a region's entries and their total time are known."""
    ranks = max(1, sum(1 for process in it.run.processes if process.regions))
    of_loop = ("loop", "routine", "file", "line", "last_line", "path", "at_least", "about", "restarts", "around")
    nothing = {**dict.fromkeys(of_loop), "lumped": False}
    unknown = dict.fromkeys(("min_s", "max_s", "timed", "calls_per_iteration", "average_s"))
    return {
        **nothing,
        **unknown,
        "region": "/".join(region.path),
        "share": region.time_s / max(it.run.base_s, 1e-9),
        "site": dict.fromkeys(("function", "routine", "file", "line", "ends_with_it")),
        "count": round(region.entries / ranks),
        "mean_s": region.time_s / region.entries if region.entries else None,
        "timed_are_unlike": False,
        "strip": [],
        "outliers": [],
        "sampled": [],
        "kept": "none",
        "clocks": _clocks(it.time),
    }


def _clocks(time: _core.RunTime) -> dict[str, Any]:
    return {
        "kind": time.kind,
        "clocks": time.clocks,
        "error_s": time.error_ns * 1e-9 if time.error_ns >= 0 else None,
        "drift_known": time.drift_known,
    }


def _routine(frame: Location) -> str:
    place = frame.place()
    return f"{frame.routine} ({place})" if frame.file else frame.routine


def draw(content: Content, out: Screen) -> None:
    if content.iterations is not None:
        out.section(SECTION.title, "time per iteration, from the first to the last")
        out.lines(_lines(content.iterations, out.width))
        if content.iterations.timed and content.share(content.own_between_s) >= LEAST_OWN_SHOWN:
            own = fmt.percent(content.share(content.own_between_s))
            out.lines([(f"  times of iterations include Leadline's overhead, {own} of the run", "dim")])
        if others := or_others(content.other_loops):
            out.lines([(part, "dim") for part in wrapped(f"  {others} (--step FILE:LINE)", out.width, rest="    ")])


def print_iterations(content: Content, console: Console) -> None:
    """Print only this section, or the reason why there is none."""
    if content.iterations is None:
        console.print(f"No main loop: {why_no_main_loop(content.run)}.")
    draw(content, Screen(console))


def _about_loop(run: Run, loop: NamedLoop, width: int) -> list[str]:
    """A few lines that name the loop of the source."""
    bound = "at least " if loop.at_least else loop.bound
    iterations = bound + fmt.plural(loop.iterations, "iteration")
    lines = [f"{loop_at(loop)}: {iterations}, {100 * loop.share:.0f} % of the ranks' time"]
    if loop.cut:
        lines.append("  the ranks died in it, or their trace ends there: it may have had more")
    if loop.lumps:
        lines.append("  some iterations may not be counted: those whose calls are all in one inner loop")
        if loop.restarts:
            lines.append(f"  {restarting(loop)}")
    if loop.about:
        lines.append(
            "  its iterations are told apart by the time between calls: nearly all computation precedes one call"
        )
    for number in loop.around:
        around = named_loop(run, number)
        lines.append(
            f"  iterations of {loop_at(around)}, which encloses it, make identical calls and cannot be separated"
        )
        if around.restarts:
            lines.append(f"    {restarting(around)}")
    if len(loop.path) > 1:
        lines.append("  reached through " + " > ".join(frame.routine for frame in loop.path))
    lines = [line[0].upper() + line[1:] if line.startswith("the") else line for line in lines]
    return [part for line in lines for part in wrapped(line, width, rest="    ")]


def _why_untimed(kept: str) -> str:
    """kept: which call times were."""
    if kept == "none":
        return "Iteration times were not kept (--series)."
    return "No iteration has a time of its own, although call times were kept."


def _calls(it: Iterations) -> str:
    if it.mpi_calls is not None:
        return f"{fmt.plural(round(it.mpi_calls), 'MPI call')}; "
    return f"{it.found.calls:,.0f} calls, of MPI and on files; "


def _lines(it: Iterations, width: int) -> list[Line]:
    """Time per iteration from the first to the last. Each column stands for several iterations: its height is their
    mean, with the slowest above it, on a scale whose end is marked. Outliers are marked below the columns, and listed.
    """
    found = it.found
    columns = _columns(found, max(16, min(width - 34, 100)))
    means = sorted(mean for mean, _, _ in columns if mean > 0)
    usual = means[len(means) // 2] if means else 1.0
    top = 2 * usual
    outlying = {o.iteration for o in found.outliers}
    per_column = max(1, -(-found.count // len(columns))) if columns else 1
    marks = "".join("!" if any(i // per_column == at for i in outlying) else " " for at in range(len(columns)))
    if it.region is not None:
        data = _of_region(it.region, it)
        return [
            f"The region {data['region']}: {fmt.plural(data['count'], 'iteration')}, "
            f"{100 * data['share']:.0f} % of the ranks' time; mean {fmt.seconds(data['mean_s'] or 0.0)}"
        ]
    named: list[Line] = list(_about_loop(it.run, it.loop, width)) if it.loop is not None else []
    if not it.timed:
        return [*named, _why_untimed(found.kept)]
    count = f"{fmt.plural(found.count, 'iteration')} of " if it.loop is None else "Iteration: "
    if it.lumped:
        count = "Iteration that is seen, which may be several: "
    if it.timed_are_unlike and it.average_s is not None:
        named.append(f"Mean iteration {fmt.seconds(it.average_s)}; the timed ones are not typical.")
        count = "Timed: "
    lines: list[Line] = [
        *named,
        f"{count}{_calls(it)}mean {fmt.seconds(found.mean_ns * 1e-9)}, "
        f"min {fmt.seconds(found.min_ns * 1e-9)}, max {fmt.seconds(it.longest_ns * 1e-9)}"
        + (f" ({it.timed_iterations:,} of {found.count:,} were timed)" if it.timed_iterations < found.count else ""),
        *([f"each iteration {'ends' if found.after else 'starts'} at {anchor_of(it)}"] if it.loop is None else []),
        f"  {''.join(_bar(most, top) for _, _, most in columns)}  max; full bar: {fmt.seconds(top * 1e-9)} or more",
        "  " + "".join(_bar(mean, top) for mean, _, _ in columns) + "  mean",
    ]
    if marks.strip():
        lines.append(("  " + marks + "  outliers", "bold"))
    for outlier in found.outliers[:MOST_OUTLIERS]:
        computed = outlier.computation_ns > (outlier.time_ns - outlier.typical_ns) / 2
        lines.append(
            f"  iteration {outlier.iteration:,}: {fmt.seconds(outlier.time_ns * 1e-9)} on rank "
            f"{it.run.label(outlier.process)}, {outlier.time_ns / max(outlier.typical_ns, 1e-9):.1f} × the median "
            f"{fmt.seconds(outlier.typical_ns * 1e-9)}"
        )
        if computed:
            lines.append(f"    {fmt.seconds(outlier.computation_ns * 1e-9)} of it in one stretch of computation")
    kept = {
        "full": "all call times were kept",
        "sampled": f"call times of {fmt.plural(len(found.sampled), 'iteration')} were kept, on all ranks"
        if found.sampled
        else no_whole_iteration(it.run),
        "none": "call times were not kept (--series)",
    }
    lines.append((f"  {kept[found.kept]}", "dim"))
    if it.time.kind != "shared":
        lines.append((f"  {about_clocks(it.time)}", "dim"))
    return lines


def about_clocks(time: _core.RunTime) -> str:
    """How times of different hosts are compared, for a run with several clocks."""
    if time.kind == "system":
        return f"times of different hosts are compared by wall-clock time ({time.clocks} clocks)"
    when = "MPI_Init and MPI_Finalize" if time.drift_known else "MPI_Init only"
    return f"{time.clocks} clocks, synchronised in {when}: accurate to {fmt.seconds(time.error_ns * 1e-9)}"


def _columns(found: _core.RunIterations, most: int) -> list[tuple[float, float, float]]:
    """(mean, least, most) in ns of consecutive iterations; 0 if none was timed."""
    columns = min(most, max(1, found.count))
    sums, counts = [0.0] * columns, [0] * columns
    least, longest = [0.0] * columns, [0.0] * columns
    per_column = max(1, -(-found.count // columns))
    for entry in found.strip:
        at = min(entry.first // per_column, columns - 1)
        n = entry.timed
        least[at] = entry.min_ns if not counts[at] else min(least[at], entry.min_ns)
        sums[at] += entry.mean_ns * n
        counts[at] += n
        slow = min(entry.max_iteration // per_column, columns - 1)
        longest[slow] = max(longest[slow], entry.max_ns)
        longest[at] = max(longest[at], entry.mean_ns)
    used = -(-found.count // per_column)
    return [(sums[i] / counts[i] if counts[i] else 0.0, least[i], longest[i]) for i in range(min(columns, used))]


def _bar(value: float, top: float) -> str:
    if value <= 0:
        return " "
    return BARS[max(1, min(8, round(8 * value / top)))]


SECTION = Section(
    id="iterations",
    title="Iterations",
    order=30,
    figures=figures,
    draw=draw,
    nothing=lambda content: f"no main loop: {why_no_main_loop(content.run)}",
    present=lambda report: bool((report["iterations"] or {}).get("count")),
)
