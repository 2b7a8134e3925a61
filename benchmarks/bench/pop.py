"""The pop workload under five allreduce algorithms: whether the shim ranks them as Open MPI's own settings do.

An ensemble's solver sums MEMBERS doubles, twice in every iteration, between messages of its halos. That is more
elements than processes. With fewer, Open MPI's ring and Rabenseifner's algorithm hand the call to others (recursive
doubling, linear), so its setting does not run the named algorithm. Before anything is timed, the library is asked
whether it obeys at this size and on this many ranks. The shim's report shows that the shim does.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Printed

import leadline.mpi
from leadline import workloads
from leadline.errors import LeadlineError
from leadline.launch import shim
from leadline.libraries import openmpi
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.order import Order, Turn, turns
from leadline.runs.outcome import Outcome
from leadline.runs.runner import Done, Runner
from leadline.statistics.interval import range_of
from leadline.statistics.median import median
from leadline.tuning.probing import subject
from leadline.tuning.proving import prove
from leadline.tuning.shim import lines_of
from leadline.tuning.table import Rule, Table, lines_for_shim

WAYS = ("shim", "own setting")
RANKS = 8
MEMBERS = 32
SUM_BYTES = 8 * MEMBERS
# Two to each rank's share of the sum: with more Open MPI takes its ring without segments.
SEGMENT_BYTES = SUM_BYTES // RANKS // 2
ALGORITHMS = ("linear", "recursive_doubling", "ring", "segmented_ring", "rabenseifner")
OPTIONS = ("--grid=16x16x3", "--solver=standard", f"--members={MEMBERS}")
PILOT_STEPS = 2
MOST_STEPS = 300
PLANNED_S = 240.0  # of all that is timed; the starts of 8 ranks, 2 s each, come on top
TIMEOUT_S = 60.0  # of a launch, beyond what it should take
PHASES = re.compile(r"baroclinic ([\d.]+) s, barotropic ([\d.]+) s")


@dataclass(frozen=True)
class Configuration:
    """One algorithm by one of the two ways. environ: for the launcher; table: of the shim, None with the setting."""

    way: str
    algorithm: str
    environ: dict[str, str]
    table: Path | None


@dataclass
class Times:
    """Seconds of the barotropic phase, one for each launch that ended."""

    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def range(self) -> tuple[float, float]:
        """The interval of the median; of fewer than five launches the least and the greatest."""
        return range_of(self.seconds)


def measure_pop(console: Console, launches: int) -> list[dict[str, Any]]:
    """A row for each pair of algorithms: by each way which is faster, and whether the intervals are disjoint."""
    library = leadline.mpi.find("openmpi")
    program = workloads.build(workloads.find("pop"), library)
    words = library.launch(RANKS, oversubscribe=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environ = {**os.environ, **library.environ, **library.kind.unbound}
        everything = [
            _configuration(way, algorithm, words, program, environ, folder) for algorithm in ALGORITHMS for way in WAYS
        ]
        steps = _steps(console, everything, words, program, launches, folder)
        times: dict[tuple[str, str], Times] = {(each.way, each.algorithm): Times() for each in everything}
        limit_s = TIMEOUT_S + 3 * PLANNED_S / launches / 10

        def launch_of(turn: Turn[Configuration]) -> Launch:
            return _launch(turn.candidate, words, program, steps, folder, limit_s)

        def take(done: Done[Configuration]) -> None:
            each = done.turn.candidate
            try:
                _, seconds = _phases(each, done.outcome, folder)
            except LeadlineError as error:
                console.print(f"pop: left out: {error}", style="yellow")
            else:
                times[each.way, each.algorithm].seconds.append(seconds)

        finished = Runner().run(turns(everything, launches, Order.SHUFFLED), launch_of, take)
        finished.interruption.end_if_any()
    rows = [_row(*pair, times) for pair in itertools.combinations(ALGORITHMS, 2)]
    _print(console, times, rows, steps)
    return rows


def _configuration(
    way: str, algorithm: str, words: Sequence[str], program: Path, environ: dict[str, str], folder: Path
) -> Configuration:
    """Raises LeadlineError if Open MPI does not obey its setting."""
    segment = SEGMENT_BYTES if algorithm == "segmented_ring" else 0
    table = Table((Rule("allreduce", (RANKS, RANKS), (SUM_BYTES, SUM_BYTES), algorithm, segment),))
    if way == "shim":
        file = folder / algorithm
        file.write_text(lines_for_shim(table))
        return Configuration(way, algorithm, environ, file)
    settings = openmpi.settings(table, RANKS)
    rules = folder / f"{algorithm}.rules"
    rules.write_text(settings.files[openmpi.FILE])
    variables = {**settings.variables, openmpi.FILE: str(rules)}
    (proof,) = prove(subject([*words, str(program)], environ), openmpi.LIBRARY, table, variables, RANKS)
    if proof.why:
        raise LeadlineError(f"Open MPI does not do as it is told: {proof.why}")
    return Configuration(way, algorithm, {**environ, **variables}, None)


def _steps(
    console: Console, everything: list[Configuration], words: list[str], program: Path, launches: int, folder: Path
) -> int:
    """So many that all launches take the planned time: each configuration is run once, and looked at."""
    seconds = []
    for each in everything:
        outcome = execute(_launch(each, words, program, PILOT_STEPS, folder, 2 * TIMEOUT_S))
        seconds.append(sum(_phases(each, outcome, folder)) / PILOT_STEPS)
    steps = max(min(int(PLANNED_S / launches / sum(seconds)), MOST_STEPS), PILOT_STEPS)
    console.print(f"pop: {steps} steps in each launch: about {launches * steps * sum(seconds):.0f} s, and the starts")
    return steps


def _launch(
    each: Configuration, words: Sequence[str], program: Path, steps: int, folder: Path, limit_s: float
) -> Launch:
    """The shim's report goes where none is: it never writes one over another."""
    command = list(words)
    if each.table is not None:
        report = _report(each, folder)
        shutil.rmtree(report, ignore_errors=True)
        report.mkdir()
        command += ["env", f"LD_PRELOAD={shim.require_library()}", f"LEADLINE_TABLE={each.table}"]
        command += [f"LEADLINE_SHIM_REPORT={report}"]
    argv = (*command, str(program), *OPTIONS, f"--steps={steps}")
    return Launch(f"{each.algorithm} by the {each.way}", argv, each.environ, limit_s=limit_s, merged=True)


def _report(each: Configuration, folder: Path) -> Path:
    return folder / f"report-{each.algorithm}"


def _phases(each: Configuration, outcome: Outcome, folder: Path) -> tuple[float, float]:
    """Seconds of the baroclinic and of the barotropic phase of one run. Raises LeadlineError if it failed."""
    what = outcome.launch.label
    found = PHASES.search(outcome.required().output)
    if found is None:
        raise LeadlineError(f"{what} printed no times: {outcome.output.strip()[-300:]}")
    if each.table is not None:
        report = (_report(each, folder) / "shim-0").read_text()
        others = [done for done in lines_of(report) if done.algorithm != each.algorithm]
        if any(done.operation == "allreduce" for done in others):
            raise LeadlineError(f"{what}: the shim did {others[0].algorithm} ({others[0].why})")
    return float(found[1]), float(found[2])


def _row(first: str, second: str, times: dict[tuple[str, str], Times]) -> dict[str, Any]:
    """faster: by each way; None if the intervals overlap. same_order: None unless they are disjoint for both."""
    row: dict[str, Any] = {"first": first, "second": second, "ratio": {}, "faster": {}}
    for way in WAYS:
        one, other = times[way, first], times[way, second]
        if not one.seconds or not other.seconds:
            row["ratio"][way] = row["faster"][way] = None
            continue
        row["ratio"][way] = one.median / other.median
        several = min(len(one.seconds), len(other.seconds)) > 1  # one launch has no interval
        disjoint = several and (one.range[1] < other.range[0] or other.range[1] < one.range[0])
        row["faster"][way] = (first if one.median < other.median else second) if disjoint else None
    faster = list(row["faster"].values())
    row["same_order"] = faster[0] == faster[1] if all(faster) else None
    return row


def _print(console: Console, times: dict[tuple[str, str], Times], rows: list[dict[str, Any]], steps: int) -> None:
    title = (
        f"pop, {MEMBERS} members, {steps} steps, {RANKS} ranks, Open MPI: an allreduce of {SUM_BYTES} bytes;"
        " seconds of the barotropic phase"
    )
    table = Printed(title=title, box=None, title_justify="left")
    for name in ("allreduce", *WAYS, "Open MPI's routine"):
        table.add_column(name, no_wrap=True)
    for algorithm in ALGORITHMS:
        shown = []
        for way in WAYS:
            found = times[way, algorithm]
            shown.append(f"{found.median:.2f} ({found.range[0]:.2f}–{found.range[1]:.2f})" if found.seconds else "none")
        table.add_row(algorithm, *shown, openmpi.algorithms()["allreduce"][algorithm].function)
    console.print(table)
    pairs = Printed(title="pairs: the first one's time by the second one's; faster where intervals are disjoint",
                    box=None, title_justify="left")  # fmt: skip
    for name in ("pair", *(f"{way}: {what}" for way in WAYS for what in ("ratio", "faster")), "same order"):
        pairs.add_column(name, no_wrap=True)
    for row in rows:
        cells = []
        for way in WAYS:
            ratio = row["ratio"][way]
            cells += ["none" if ratio is None else f"{ratio:.2f}", row["faster"][way] or "overlap"]
        verdict = {True: "yes", False: "NO", None: "–"}[row["same_order"]]
        pairs.add_row(f"{row['first']} / {row['second']}", *cells, verdict)
    console.print(pairs)
    clear = [row["same_order"] for row in rows if row["same_order"] is not None]
    console.print(
        f"{len(clear)} of {len(rows)} pairs have disjoint intervals by both ways; in the same order: {sum(clear)}"
    )
