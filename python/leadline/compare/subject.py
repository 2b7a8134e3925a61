"""What is compared: the figures of a run, whichever tool recorded it.

from_run.py fills it from a recording of Leadline's, from_profile.py from a profile of another tool (TAU, mpiP).
Everything but `name`, `program` and `ranks` may be left empty: what is unknown for any run is not compared
(in_common.py).
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MAIN_LOOP = "loop"  # how the key of the main loop's phase begins


@dataclass(frozen=True)
class Part:
    """A call site, a function or a phase of a run, all ranks together.

    key: what it is aligned by: of a site, its function and the routines that lead to it; of a loop, the routines that
    lead to it and its number among theirs.   in_loop: whether it belongs to the main loop, so that its counts are given
    per iteration; others are given per run.
    n_bytes: as in the report.   time_s: of all ranks, in the whole run.   sizes: messages by size; None: unknown.
    series: by kept iteration, seconds of all ranks.   local: local functions, whose time says little.
    computation_s, mpi_s, wait_s: of phases; None where not known.   loop_iterations: of loops, of the median rank.
    calls_error, bytes_error, time_error_s: how far these may be off, because the source rounded them; infinite: not
    counted.
    lines: of a call site, the lines that tell it apart from others of the same name: "ocean.c:205, ocean.c:47".
    """

    key: tuple[str, ...]
    name: str
    calls: float = 0
    messages: float = 0
    n_bytes: float = 0
    time_s: float = 0.0
    in_loop: bool = False
    sizes: Mapping[int, int] | None = None
    series: Sequence[float] = ()
    local: bool = False
    computation_s: float | None = None
    mpi_s: float | None = None
    wait_s: float | None = None
    loop_iterations: float = 0
    collective: bool = False
    calls_error: float = 0.0
    bytes_error: float = 0.0
    time_error_s: float = 0.0
    lines: str = ""

    @property
    def full_name(self) -> str:
        return f"{self.name} ({self.lines})" if self.lines else self.name


@dataclass(frozen=True)
class Concern:
    """A finding of a run. key: what it is aligned by: its id, and the routines, without lines, that it is about."""

    key: tuple[str, ...]
    text: str
    cost_s: float | None = None


@dataclass(frozen=True)
class Subject:
    """One run.

    environment: by title, in the order in which it is shown ("MPI library": "MPICH 5.0.2"); None: unknown.
    iterations: of the main loop, 0 if there is none.   bound: what stands before that number if it is not certain
    ("about ", "≥ ").   lumped: one that is seen may be several.   iteration_s: times of
    single iterations, or means of consecutive ones, mean of the ranks, in order; empty if unknown.
    partners: by rank, the distances (mod ranks) to those it sends to, ascending; None: unknown.
    rank_computation: by rank, seconds of computation by kept iteration, the same iterations on every rank.
    computation_s, mpi_s, io_s, elapsed_s: between MPI_Init and MPI_Finalize, the first three of all ranks.
    rank_totals: by rank, seconds of computation between MPI_Init and MPI_Finalize.
    waited_share: the part of its time in which a rank could run but had no core, summed over the four ranks with most.
    load_balance, communication: efficiencies between MPI_Init and MPI_Finalize.   concerns: the run's findings.
    notes: what is missing.
    tool: what recorded it, in one or a few words; kind: which reader read it, None for a recording of ours.
    depth: how many routines of call sites' paths are known, counted from the call; None: all.   all_sites: whether
    those are all call sites, so that one that is not there was not called.   has_structure: whether it tells the main
    loop from the rest.   uncounted: functions that the tool stopped measuring.   predicted: nothing was measured.
    """

    name: str
    program: str
    ranks: int
    environment: Mapping[str, str | None] = field(default_factory=dict)
    arguments: Sequence[str] | None = None
    iterations: int = 0
    bound: str = ""
    lumped: bool = False
    main_loop: str = ""
    iteration_s: Sequence[float] = ()
    sites: Sequence[Part] = ()
    functions: Sequence[Part] = ()
    phases: Sequence[Part] = ()
    loops: Sequence[Part] = ()
    partners: Mapping[int, tuple[int, ...]] | None = None
    rank_computation: Mapping[int, Sequence[float]] = field(default_factory=dict)
    rank_totals: Mapping[int, float] = field(default_factory=dict)
    computation_s: float = 0.0
    mpi_s: float = 0.0
    io_s: float | None = None
    elapsed_s: float = 0.0
    waited_share: float | None = None
    load_balance: float | None = None
    communication: float | None = None
    concerns: Sequence[Concern] = ()
    notes: Sequence[str] = ()
    tool: str = "Leadline"
    kind: str | None = None
    depth: int | None = None
    all_sites: bool = True
    has_structure: bool = True
    uncounted: Sequence[str] = ()
    predicted: bool = False

    @property
    def counted(self) -> Sequence[Part]:
        """What calls are counted by: call sites, or functions if there are none."""
        return self.sites or self.functions

    @property
    def steady_s(self) -> Sequence[float]:
        """Iterations without the first tenth, in which caches and connections warm up, and the last one."""
        n = len(self.iteration_s)
        return self.iteration_s[max(1, n // 10) : n - 1] if n >= 8 else self.iteration_s

    @property
    def step_s(self) -> float | None:
        """The median time of an iteration; None without a main loop."""
        return statistics.median(self.steady_s) if self.iteration_s else None

    @property
    def loop(self) -> Part | None:
        """The phase of the main loop."""
        return next((phase for phase in self.phases if phase.key[:1] == (MAIN_LOOP,)), None)

    @property
    def mean_s(self) -> float | None:
        """The main loop's whole time, divided by its iterations: of the mean rank. None without a main loop."""
        if self.loop is not None and self.loop.time_s > 0 and self.iterations:
            return self.loop.time_s / self.ranks / self.iterations
        return statistics.fmean(self.iteration_s) if self.iteration_s else None


@dataclass(frozen=True)
class Group:
    """Runs of one configuration: repeats. The first stands for the structure of all."""

    name: str
    runs: Sequence[Subject]

    @property
    def first(self) -> Subject:
        return self.runs[0]
