"""The unchanged run is replayed first; what is predicted is relative to that replay, never to the recording."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

from leadline import _core, cores
from leadline.errors import DamagedTrace, UsageError
from leadline.figures.content import Content
from leadline.figures.loops import NamedLoop, lumps_steps, main_loop
from leadline.figures.run import Run
from leadline.figures.steps import find_step
from leadline.findings import RULES, SPOIL_TIMES
from leadline.libraries import LIBRARIES
from leadline.network.topology import check_places
from leadline.predict import own_time, packing, placing
from leadline.predict.changes import AnyChange, ExchangeFew, Made, Overlap, Without, apply
from leadline.predict.costs import Costs, closest
from leadline.predict.critical_path import OnPath, on_longest_path
from leadline.predict.extrapolation import LEAST_STEPS, is_whole, replayed
from leadline.predict.figures import Figures, between, phases_of, widened
from leadline.predict.message_costs import ALL_COPIED
from leadline.predict.notes import LAST_IS_APART, on_differences, on_extrapolation
from leadline.predict.packing import Copies
from leadline.predict.tolerance import Tolerance, tolerance_of, with_latency
from leadline.predict.without_effect import on_collectives, on_nothing
from leadline.text import format as fmt

# Standard deviation of the time of a step between runs of one program: the median of 108 programs that ran five times
# each on an idle machine (benchmarks/predict/predicted.py).
RUNS_DIFFER = 0.02
PHASES = ("initialisation", "loop", "finalisation")
DRAWS = 8  # replays with iterations drawn again, for the interval
COPY_NS = 0.1  # per byte of a longer message, where the recording has messages of one size only
OTHER_EAGER_BYTES = 8191  # of libraries that Leadline does not know
LARGE_ERROR = 0.10
MAKE_WINDOWS = ("MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic")
# How much of a long message's time is its start is not recorded: up to so many times what it is in the library, or of
# another one so much of the time.
MOST_START, SHORTER = 2.0, 0.5
# Long messages, where both ranks copy at once that did so in turn, and at most: 72 kB took 1.1 (Open MPI) and 1.4 times
# as long (MPICH) in exchanges as in one direction.
TOGETHER, LONGER = 1.25, 1.5
LEAST_GAIN = 0.001  # of overlap, below which it brings nothing

T = TypeVar("T")


@dataclass(frozen=True)
class Change:
    """What is predicted. steps: 0: as many as recorded.   network: None: the one of the recording.
    compute: what computation between calls is multiplied with.   ideal: messages and collectives take no time.
    copies: of what is packed; None: as is likely.
    eager_bytes: longer messages wait for their receiver; None: the limit of the library or of the network.
    program: changes to the program.   collectives: operation and algorithm, both as `leadline bench` names them.
    hosts: of each rank, where they are to run; (): as recorded.   quick_windows: one-sided calls take no time.
    old_windows: as much as the cheapest ones of their function.   base_too: the base is replayed
    in the network, too.   last_repeats: of more steps, the last comes over and over, even if no other is like it.
    progress: long messages move while ranks compute, as by a thread of the library."""

    steps: int = 0
    network: _core.Network | None = None
    compute: float = 1.0
    ideal: bool = False
    eager_bytes: int | None = None
    program: tuple[AnyChange, ...] = ()
    collectives: tuple[tuple[str, str], ...] = ()
    copies: Copies | None = None
    hosts: tuple[str, ...] = ()
    quick_windows: bool = False
    last_repeats: bool = False
    old_windows: bool = False
    base_too: bool = False
    progress: bool = False


@dataclass
class Prediction:
    """recorded_s: phases in the recording.   error_of_base: of the replayed base against the recording, of the whole
    run ("whole") and by phase, as fractions; None: unknown.   notes: what is not replayed as it was; sentences.
    of_change: predicted, but its interval has nothing of the base's error or of what runs differ by: only what
    iterations differ by, and what is not known of the change.   adapted: what the base was off by before its costs were
    adapted.
    sensitivities: derivatives of the predicted time by L, o, g (all in s/s) and G (bytes).
    loop: the main loop, whose iterations the steps are; None: the run has none, or its place is unknown.   lumped: one
    that was recorded may be several.
    made: what the changes to the program did.   own_s: the recorder's own time that the predicted run would do without,
    if it were recorded, with that between polls."""

    recorded_s: dict[str, float | None]
    base: Figures
    predicted: Figures
    of_change: Figures
    adapted: float
    error_of_base: dict[str, float | None]
    steps_recorded: int
    steps: int
    sensitivities: tuple[int, int, int, int]
    loop: NamedLoop | None
    lumped: bool = False
    made: list[Made] = field(default_factory=list)
    own_s: float = 0.0
    notes: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        return self.predicted.seconds / self.base.seconds if self.base.seconds else math.nan

    @property
    def error_from_loop_on(self) -> float | None:
        """As error_of_base, of all that comes after the initialisation: where the loop's end was not timed on all
        ranks, it says whether the error is there. None: the loop's own error is known, or nothing of it is."""
        whole_s, before_s = self.recorded_s.get("whole"), self.recorded_s.get("initialisation")
        replayed_before_s = self.base.phases_s.get("initialisation")
        if self.loop is None or self.error_of_base.get("loop") is not None:
            return None
        if whole_s is None or before_s is None or replayed_before_s is None or whole_s <= before_s:
            return None
        return (self.base.seconds - replayed_before_s) / (whole_s - before_s) - 1


def predict(run: Run, change: Change) -> Prediction:
    """Reads the run and replays it with one change: see Replays.predict."""
    return Replays(run).predict(change)


class Replays:
    """A run that is read once and replayed with as many changes as wanted. Callers that show the results must ask
    why_spoiled() first.

    Raises UsageError, with the reason, if the recording does not have enough.
    """

    @classmethod
    def beside(cls, run: Run, work: Callable[[], T]) -> tuple[Replays, T]:
        """What `work` returns as well, which is done at the same time: both are mostly native. Places in the source are
        looked up by one thread at a time, so the main loop has its name before."""
        _refuse(run)
        loop = _main_loop(run)
        with ThreadPoolExecutor(1) as pool:
            reading = pool.submit(cls, run, (loop,))
            done = work()
            return reading.result(), done

    def __init__(self, run: Run, known: tuple[NamedLoop | None] | None = None) -> None:
        """known: the main loop, by whoever has looked for it."""
        _refuse(run)
        self.run = run
        self.loop = _main_loop(run) if known is None else known[0]
        self.recorded, rank_order = _read(run, self.loop)
        self.tree = _core.ReplayTree(self.recorded)
        self.costs = Costs(
            eager_bytes_of(run),
            copied_bytes_of(run),
            _collective_ns_of(run),
            together=TOGETHER,
            long_start_ns=_long_start_ns_of(run),
        )
        self.steps = int(self.recorded.steps)
        self.times = _recorded_times(self.recorded)
        self.several_hosts = len({run.processes[i].host for i in rank_order}) > 1
        self._bases: list[tuple[Change, Figures]] = []
        if not self.several_hosts and self.times["whole"]:
            self.costs = closest(run, self.costs, self._error, LARGE_ERROR)

    def predict(self, change: Change, *, told: bool = True) -> Prediction:
        """The base is replayed with the costs in the recording; over several hosts, in the network of the change.
        told: False: without sensitivities, notes and assumptions, which take more replays.

        Raises UsageError, with the reason, if the change cannot be made, or the ranks would wait for each other.
        """
        steps = self.steps
        if change.steps and not steps:
            raise UsageError(
                "--steps: there is no main loop that rank 0 entered exactly once", hint="--step ROUTINE[:LINE]"
            )
        plain = self.unchanged(change)
        base_network = plain.network
        if self.several_hosts and base_network is None:
            raise UsageError(
                "the ranks ran on several hosts, and the cost of messages between hosts is not recorded",
                hint="--network FILE",
            )
        _check_algorithms(change)
        base = self._base(plain)
        changed, made = self._changed(change)
        predicted = base if change == plain else figures_of(changed, change, self.costs, steps)
        uncertain = any(packing.is_uncertain(one) for one in change.program)
        if uncertain and not change.ideal:
            predicted = self._with_what_is_not_known(predicted, changed, change)
        if self._last_is_apart(changed, change):
            repeated = figures_of(changed, replace(change, last_repeats=True), self.costs, steps)
            predicted = between(predicted, repeated, repeated)
        windows = self._makes_windows(change)
        if windows:
            quick = figures_of(changed, replace(change, quick_windows=True), self.costs, steps)
            old = figures_of(changed, replace(change, old_windows=True), self.costs, steps)
            predicted = between(old, quick, predicted)
        own_s, polled_s = self._own_s(made, change), self._own_s(made, change, polls=True)
        predicted = own_time.later(predicted, polled_s, change.steps or steps)
        own_s += polled_s
        of_change = predicted
        another = self._is_another_run(change, plain)
        without_s = own_s if change.program or not another else self._own_of_all_s(changed, change)
        predicted = own_time.at_least_without(predicted, without_s, change.steps or steps)
        errors = _errors(self.times, base)
        off = abs(self.costs.error) if change.program else 0.0
        found = Prediction(
            recorded_s=self.times,
            base=widened(base, errors),
            predicted=widened(predicted, errors, off + RUNS_DIFFER if another else off),
            of_change=of_change,
            adapted=off,
            error_of_base=errors,
            steps_recorded=steps,
            steps=change.steps or steps,
            sensitivities=(0, 0, 0, 0),
            loop=self.loop,
            lumped=self.loop is not None and lumps_steps(self.run, self.loop.number),
            made=made,
            own_s=own_s,
        )
        if not told:
            return found
        last = replayed(changed, _settings(replace(change, old_windows=bool(windows)), self.costs), steps, traced=True)
        traced = _settled(last.outcome)
        found.sensitivities = traced["sensitivities"]
        found.notes = on_differences(self.tree.replay(_settings(plain, self.costs))["differences"], self.run)
        if self._last_is_apart(changed, change):
            found.notes.append(LAST_IS_APART)
        if last.steps:
            found.notes.append(on_extrapolation(last.steps, change.steps))
        if unusable := traced["differences"]["unusable"]:
            found.notes.append(
                f"{unusable:,} calls of collectives cannot use the given algorithm: their time is a formula's."
            )
        if base_network is None:
            found.assumptions = [self.costs.sentence()]
        if uncertain:
            found.assumptions += packing.assumptions(change.program, packing.copy_costs(change.network))
            if found.predicted.low < found.base.seconds < found.predicted.high:
                found.notes.append(
                    "Whether the change gains anything is unknown: the interval includes the base's time."
                )
        found.notes += on_collectives(self.run, change.collectives, same=of_change == base)
        if replace(change, steps=0 if change.steps == steps else change.steps) == replace(plain, network=None):
            found.notes += on_nothing(change.steps)
        if windows:
            found.notes.append(
                "One-sided calls take as long as the cheapest ones of their function in the run, since a new window "
                "may make its first ones slow. The interval goes from no time to as long as in the run."
            )
        found.notes += self._notes_on_overlap(changed, change)
        if _is_far_off(errors):
            found.notes.insert(
                0, "The replay of the unchanged run is off by more than 10 %: do not rely on the prediction."
            )
        return found

    def _with_what_is_not_known(self, likely: Figures, changed: _core.ReplayTree, change: Change) -> Figures:
        """The interval spans the fastest copies, and the slowest copies and computation."""
        copies, steps = packing.copy_costs(change.network), self.steps
        slower, _ = self._made(change, packing.pessimistic(change.program))
        packs = any(packing.makes_longer(one) for one in change.program)
        known_start = self.costs.long_start_ns > 0 and not self.costs.assumes_busy
        costs = replace(
            self.costs,
            shared=1.0,
            longer=SHORTER if packs and not known_start else 1.0,
            together=1.0,
            long_start_ns=self.costs.long_start_ns * (MOST_START if packs and known_start else 1),
        )
        fast = figures_of(changed, replace(change, copies=packing.NO_COPIES), costs, steps)
        costs = replace(self.costs, shared=0.0, together=LONGER, long_start_ns=0.0)
        # A message within a node is a copy, too, and more.
        per_byte = None if change.network is not None else self.costs.long_per_byte_ns
        slowest = copies.high if per_byte is None else copies.high.at_most(per_byte)
        slow = figures_of(slower, replace(change, copies=slowest), costs, steps)
        iteration = likely.iteration
        if iteration and fast.iteration and slow.iteration:
            iteration = (iteration[0], min(iteration[1], fast.iteration[1]), max(iteration[2], slow.iteration[2]))
        return replace(likely, low=min(likely.low, fast.low), high=max(likely.high, slow.high), iteration=iteration)

    def _makes_windows(self, change: Change) -> bool:
        """Whether calls that make windows are left out."""
        sites = [site for one in change.program if isinstance(one, Without) for site in one.sites_in(self.run)]
        functions, sites_of_run = self.run.profile.functions, self.run.profile.sites() if sites else []
        return any(functions[sites_of_run[site][0]].name in MAKE_WINDOWS for site in sites)

    def seconds(self, change: Change) -> float:
        """The whole run's duration with the change: `predicted.seconds` of predict(), by one replay instead of many.

        Raises UsageError as predict() does, and if a given algorithm cannot be used.
        """
        _check_algorithms(change)
        changed, made = self._changed(change)
        change = replace(change, old_windows=change.old_windows or self._makes_windows(change))
        outcome = _settled(replayed(changed, _settings(change, self.costs), self.steps).outcome)
        if change.collectives and (unusable := outcome["differences"]["unusable"]):
            raise UsageError(f"--collective: {unusable:,} calls cannot use the given algorithm")
        return max(outcome["end_s"]) + self._own_s(made, change, polls=True)

    def _own_s(self, made: Sequence[Made], change: Change, *, polls: bool = False) -> float:
        saved_s = own_time.saved_s(self.run, made, polls=polls)
        return saved_s * change.steps / self.steps if change.steps else saved_s

    def _is_another_run(self, change: Change, plain: Change) -> bool:
        """Than the recorded one, which could be measured."""
        return not change.ideal and replace(change, steps=0 if change.steps == self.steps else change.steps) != plain

    def _own_of_all_s(self, changed: _core.ReplayTree, change: Change) -> float:
        """The recorder's own time in the predicted run, which is a program without recorder if it is measured."""
        calls, before = (
            _core.predicted_calls(tree, _settings(one, self.costs))
            for tree, one in ((changed, change), (self.tree, Change()))
        )
        return own_time.whole_s(self.run) * change.compute * calls / before if before else 0.0

    def unchanged(self, change: Change) -> Change:
        """What the change is compared with: the run as recorded; over several hosts, in the network of the change."""
        return Change(network=change.network if self.several_hosts or change.base_too else None)

    def trace(self, change: Change) -> list[tuple[float, list[tuple[int, str, float, float, float]]]]:
        """By rank, a late iteration of the main loop with the change: when it began; and of each call the site in the
        profile, the function, begin, end and what it waited, in seconds. No calls where there is no main loop."""
        _check_algorithms(change)
        changed, _ = self._changed(change)
        few = replace(change, steps=0) if change.steps > LEAST_STEPS * self.steps else change  # any late one will do
        return changed.trace(_settings(few, self.costs))

    def to_write(self, change: Change) -> tuple[_core.ReplayTree, _core.ReplaySettings]:
        """The changed tree and how it is replayed, for the run that is predicted (predict/written.py)."""
        _check_algorithms(change)
        changed, _ = self._changed(change)
        return changed, _settings(replace(change, old_windows=self._makes_windows(change)), self.costs)

    def tolerance(self, change: Change) -> Tolerance:
        """How much latency the run with the change tolerates, by some twenty replays. Raises as predict()."""
        _check_algorithms(change)
        changed, _ = self._changed(change)
        change = replace(change, old_windows=change.old_windows or self._makes_windows(change))

        def replayed_with(added_s: float) -> tuple[float, float]:
            network = None if change.network is None else with_latency(change.network, added_s)
            settings = _settings(replace(change, network=network), self.costs)
            settings.latency_ns += added_s * 1e9
            outcome = _settled(replayed(changed, settings, self.steps, traced=True).outcome)
            return max(outcome["end_s"]), outcome["sensitivities"][0]

        return tolerance_of(replayed_with)

    def longest_path(self, change: Change) -> list[OnPath]:
        """The computation on the longest path of the run with the change, by some twenty replays. Raises UsageError as
        predict()."""
        _check_algorithms(change)
        change = replace(change, old_windows=change.old_windows or self._makes_windows(change))

        def seconds(tree: _core.ReplayTree) -> float:
            return max(_settled(replayed(tree, _settings(change, self.costs), self.steps).outcome)["end_s"])

        return on_longest_path(self.run, lambda: self._made(change, change.program)[0], seconds)

    def _last_is_apart(self, changed: _core.ReplayTree, change: Change) -> bool:
        """Whether it is unknown how often there is an iteration as the recording's last one."""
        return change.steps > self.steps and changed.last_is_apart

    def _changed(self, change: Change) -> tuple[_core.ReplayTree, list[Made]]:
        if not change.program and not change.hosts:
            return self.tree, []
        return self._made(change, change.program)

    def _made(self, change: Change, program: tuple[AnyChange, ...]) -> tuple[_core.ReplayTree, list[Made]]:
        sparse = [one for one in program if isinstance(one, ExchangeFew)]
        if sparse and change.network is None and self.costs.messages is None:
            raise UsageError(
                f"--sparse {sparse[0].sites}: the run sends too few messages to tell what one costs",
                hint="--network FILE",
            )
        tree = _core.ReplayTree(self.tree)
        made = apply(tree, self.run, program)
        if change.hosts:
            tree.place(placing.nodes_of(change.hosts, len(self.run.worlds[0].processes), change.network))
        return tree, made

    def _notes_on_overlap(self, changed: _core.ReplayTree, change: Change) -> list[str]:
        """Where it brings nothing, and what the library's progress is worth."""
        if not any(isinstance(one, Overlap) for one in change.program):
            return []
        apart, _ = self._made(change, packing.pessimistic(change.program))

        def seconds(tree: _core.ReplayTree, *, progress: bool = False) -> float:
            settings = _settings(replace(change, progress=change.progress or progress), self.costs)
            return max(_settled(replayed(tree, settings, self.steps).outcome)["end_s"])

        overlapped, without, progressing = seconds(changed), seconds(apart), seconds(changed, progress=True)
        notes = []
        if overlapped > without * (1 - LEAST_GAIN):
            notes.append("Overlap brings nothing: the messages arrive no earlier than without it.")
        if progressing < overlapped * (1 - LEAST_GAIN):
            known = "by the network's file" if change.network is not None else "assumed"
            notes.append(
                "Messages that wait for their receiver do not move while the ranks compute, since the library makes no "
                f"progress then ({known}). If it did, the run would take {fmt.seconds(progressing)}."
            )
        return notes

    def _error(self, costs: Costs) -> float:
        """Of the main loop, if there is one."""
        ends = _settled(self.tree.replay(_settings(Change(), costs)))
        loop_s = phases_of(ends["loop_begin_s"], ends["loop_end_s"], ends["end_s"])["loop"]
        if loop_s is not None and self.times["loop"]:
            return loop_s / self.times["loop"] - 1
        return max(ends["end_s"]) / (self.times["whole"] or 1.0) - 1

    @property
    def replayable(self) -> bool:
        """Whether the unchanged run's replay comes close enough to the recording."""
        if self.several_hosts:
            return True  # of a network that the caller knows
        return not _is_far_off(_errors(self.times, self._base(Change())))

    def _base(self, plain: Change) -> Figures:
        """Of the unchanged program; replayed once for all changes."""
        for change, figures in self._bases:
            if change == plain:
                return figures
        figures = figures_of(self.tree, plain, self.costs, self.steps)
        self._bases.append((plain, figures))
        return figures


def why_spoiled(run: Run) -> str | None:
    """Why the recorded times say nothing about the program: the ranks shared cores, or others took them."""
    content = Content(run)
    found = (finding for rule in RULES if rule.id in SPOIL_TIMES for finding in rule.look(content))
    return next((finding.text for finding in found), None)


def recorded_phases(run: Run) -> dict[str, float | None]:
    """Seconds of each phase in the recording, as means over the ranks; empty if the run cannot be replayed."""
    try:
        times = Replays(run).times
    except UsageError:
        return {}
    return {phase: times[phase] for phase in PHASES}


def _refuse(run: Run) -> None:
    if run.predicted:
        raise UsageError("the run is itself a prediction: nothing is predicted from it")
    if not run.complete:
        raise UsageError("the run is not complete: every rank is needed, up to its MPI_Finalize")
    if len(run.worlds) != 1:
        raise UsageError("only runs with one MPI_COMM_WORLD can be replayed")


def _main_loop(run: Run) -> NamedLoop | None:
    """Raises UsageError if the user named a region, or nothing that is there."""
    if run.step is None:
        return main_loop(run, run.profile.iterations())
    found = find_step(run, run.step)
    if not isinstance(found, NamedLoop):
        raise UsageError(f"--step {run.step}: a region has no iterations to repeat", hint="--step ROUTINE[:LINE]")
    return found


def _read(run: Run, loop: NamedLoop | None) -> tuple[_core.Recorded, list[int]]:
    recorded = _core.Recorded(loop.number if loop else 0)
    order = [index for _, index in sorted(run.worlds[0].processes.items())]
    hosts: dict[str, int] = {}
    for index in order:
        node = hosts.setdefault(run.processes[index].host, len(hosts))
        try:
            recorded.add(run.profile, run.trace(index), index, node)
        except _core.TraceError as error:
            raise DamagedTrace(f"cannot read a trace again: {error}") from error
        except ValueError as error:  # what its calls were is damaged
            raise DamagedTrace(f"rank {run.label(index)}: {error}, so the run cannot be replayed") from error
    return recorded, order


def eager_bytes_of(run: Run) -> int:
    """The default of the run's library, above which messages wait for their receiver."""
    known = (library.eager_bytes for library in LIBRARIES if run.library.startswith(library.banner))
    return next(known, OTHER_EAGER_BYTES)


def copied_bytes_of(run: Run) -> int:
    """The default of the run's library, above which sends wait for a call of their receiver."""
    known = (library.copied_bytes for library in LIBRARIES if run.library.startswith(library.banner))
    return next(known, ALL_COPIED)


def _collective_ns_of(run: Run) -> float:
    known = (library.collective_ns for library in LIBRARIES if run.library.startswith(library.banner))
    return next(known, 0.0)


def _long_start_ns_of(run: Run) -> float:
    known = (library.long_start_ns for library in LIBRARIES if run.library.startswith(library.banner))
    return next(known, 0.0)


def check_algorithms(collectives: Sequence[tuple[str, str]]) -> None:
    """Raises UsageError if there is no such operation, or if it has no such algorithm."""
    known: dict[str, list[str]] = {}
    for operation, algorithm, *_ in _core.collective_algorithms():
        known.setdefault(operation, []).append(algorithm)
    for operation, algorithm in collectives:
        if operation not in known:
            raise UsageError(f"--collective {operation}: expected one of {', '.join(known)}")
        if algorithm not in known[operation]:
            raise UsageError(f"--collective {operation}={algorithm}: expected one of {', '.join(known[operation])}")


def _check_algorithms(change: Change) -> None:
    check_algorithms(change.collectives)
    if change.collectives and change.network is None:
        raise UsageError(
            "--collective: without a network, collectives take as long as in the run", hint="--network FILE"
        )


def _settings(change: Change, costs: Costs, seed: int = 0) -> _core.ReplaySettings:
    settings = _core.ReplaySettings()
    settings.steps = change.steps
    settings.compute = change.compute
    settings.ideal = change.ideal
    settings.quick_windows = change.quick_windows
    settings.last_repeats = change.last_repeats
    settings.old_windows = change.old_windows
    settings.forced_progress = change.progress
    settings.seed = seed
    costs.set(settings)
    settings.copy_per_byte_ns = COPY_NS
    if not change.ideal:
        copies = packing.copy_costs(change.network).likely if change.copies is None else change.copies
        settings.set_copies(dict(copies.per_byte), copies.part, copies.fresh)
    for operation, algorithm in change.collectives:
        settings.set_algorithm(operation, algorithm)
    if change.eager_bytes is not None:
        settings.forced_eager_bytes = change.eager_bytes
    if change.network is not None:
        settings.set_network(change.network)
    return settings


def _settled(outcome: _core.ReplayOutcome) -> _core.ReplayOutcome:
    """Raises UsageError if ranks wait for each other."""
    if not (stuck := outcome["stuck"]):
        return outcome
    words = {"message": "a message from", "receive": "a receive by", "collective": "a collective call by"}
    chain = ", ".join(
        f"rank {rank} waits in {call} for {words[on]} rank {other}" for rank, on, other, call, _ in stuck[:6]
    )
    more = f", and so on with {len(stuck) - 6} more" if len(stuck) > 6 else ""
    raise UsageError(f"the recorded calls cannot be replayed to their end: {chain}{more}")


def figures_of(tree: _core.ReplayTree, change: Change, costs: Costs, recorded: int, draws: int = DRAWS) -> Figures:
    """recorded: steps.   draws: replays with iterations drawn again.

    Raises UsageError if the network has no place for a node."""
    check_places(tree.nodes, change.network)
    settings = _settings(change, costs)
    if is_whole(settings, recorded):  # translated once
        program = _core.ReplayProgram(tree, settings)
        replays = cores.at_once(lambda seed: _settled(program.replay(seed)), range(draws + 1))
    else:
        replays = cores.at_once(
            lambda seed: _settled(replayed(tree, _settings(change, costs, seed), recorded).outcome), range(draws + 1)
        )
    first, drawn = replays[0], replays[1:]
    steps = change.steps or recorded
    wholes = [max(one["end_s"]) for one in [first, *drawn]]
    phases = [phases_of(one["loop_begin_s"], one["loop_end_s"], one["end_s"]) for one in [first, *drawn]]
    loops = [one["loop"] for one in phases]
    iteration = None
    if steps and all(each is not None for each in loops):
        known = [each / steps for each in loops if each is not None]
        iteration = (known[0], min(known), max(known))
    return Figures(wholes[0], min(wholes), max(wholes), iteration, phases[0], first["messages"], tuple(wholes))


def _recorded_times(recorded: _core.Recorded) -> dict[str, float | None]:
    times = recorded.times()
    _, begins, ends, last = (list(column) for column in zip(*times, strict=True))
    whole = max(last)
    return {"whole": whole if math.isfinite(whole) else None, **phases_of(begins, ends, last)}


def _errors(times: dict[str, float | None], base: Figures) -> dict[str, float | None]:
    replayed = {"whole": base.seconds, **base.phases_s}
    errors: dict[str, float | None] = {}
    for name, recorded_s in times.items():
        predicted_s = replayed[name]
        errors[name] = predicted_s / recorded_s - 1 if predicted_s is not None and recorded_s else None
    return errors


def _is_far_off(errors: dict[str, float | None]) -> bool:
    whole, loop = errors["whole"], errors["loop"]
    return whole is None or abs(whole) > LARGE_ERROR or abs(loop or 0) > LARGE_ERROR
