"""Leadline's C++ core (src/bindings). Times in nanoseconds, sizes in bytes unless named otherwise."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypedDict

CATEGORIES: tuple[str, ...]  # in the order in which they are shown
CATEGORY_NAMES: dict[str, CategoryNames]
CALL_CLASSES: dict[str, CallClass]  # in the order of their numbers in a trace
MOST_PREDICTED_CALLS: int
PEER_NONE: int
PEER_NULL: int
PEER_ANY: int
PEER_ROOT: int
TAG_ANY: int
FLAG_ANY_SOURCE: int
FLAG_ANY_TAG: int
FLAG_IN_PLACE: int
FLAG_CANCELLED: int
FLAG_NOTHING: int

def share_one_heap() -> None:
    """Have all threads of this process allocate from one heap. For processes of our own, before they read traces."""

def give_back_freed_memory() -> None:
    """Return to the system what was freed, where the C library keeps it. Worth it after large tables are gone."""

def lost_generations() -> int:
    """How often a part of a trace that had been read could not be read again, as where its file changes: whoever asked
    found no calls there."""

class TraceError(Exception):
    """A trace that cannot be read; the message says where and what next."""

class CategoryNames:
    """How people read a kind of time: what it is called, and in a table's head."""

    name: str
    title: str
    abbreviation: str

class CallClass:
    """A class of calls as api/semantics.toml has it, which says what each word means."""

    name: str
    title: str
    category: str
    event: str
    moves: tuple[str, ...]

class Function:
    name: str
    cls: str

class Module:
    path: str
    build_id: str

class Frame:
    module: int
    offset: int

class Site:
    function: int
    frames: list[Frame]

class Communicator:
    kind: str
    parent: int
    identity: int
    rank: int
    size: int
    world: list[int]
    topology: str
    grid: list[tuple[int, bool]]

class Datatype:
    name: str
    size: int
    extent: int
    lb: int
    true_extent: int
    combiner: int
    contiguous: bool
    @property
    def sides(self) -> list[tuple[int, int]]:
        """Of the array that it takes a part of, slowest first: elements of a side (0: not known), elements taken."""

def call_columns(
    profile: Profile, groups: list[list[int]], world_ranks: Sequence[tuple[int, int, int]]
) -> dict[str, memoryview[Any] | tuple[memoryview[Any], memoryview[Any]]]:
    """The columns of the table `calls`, a row per group of sites and process; a text's are offsets and UTF-8.

    groups: sites of one function each.   world_ranks: (row in the table of ranks, world, rank) of each process, -1
    unknown.
    """

def matrix_columns(profile: Profile, world_ranks: Sequence[tuple[int, int, int]]) -> dict[str, memoryview[Any]]:
    """The columns of the table `matrix`."""

def validity(values: memoryview[Any]) -> tuple[memoryview[Any] | None, int]:
    """An Arrow validity bitmap, None if all are known, and how many are unknown: integers -1, numbers NaN."""

class NamedRegion:
    parent: int
    name: str

class RegionTimes:
    region: int
    entries: int
    sum_ns: float
    min_ns: float
    max_ns: float

class LibraryVariable:
    name: str
    description: str
    cls: int
    value: float

class LibrarySetting:
    name: str
    value: str

class Sample:
    thread: int
    site: int | None
    module: int | None
    offset: int
    count: int

class Sampling:
    rate: int
    """Samples per second of a thread's own time; 0: none were asked for."""
    refused: int
    error: int
    """errno, for the first of the threads that were refused."""
    taken: int
    in_mpi: int
    no_room: int
    lost: int
    samples: list[Sample]

class Pauses:
    count: int
    sum_ns: float
    lasted: bool
    calls: int
    first: list[tuple[float, float]]

class Conditions:
    known: bool
    processors: int
    quota: float
    allowed: list[tuple[int, int]]
    threads: int
    busy: int
    cpu_ns: float
    waited_ns: float
    launcher_ranks: int
    launcher_rank: int
    launcher: str
    budget_files: int
    budget_memory: int
    budgets_given: int
    file_system: str
    """Of the run's directory, "" not known; remote: its pages go over a network."""
    remote: bool
    live_kind: str
    """Where live memory lay: run, memory, disk (of the node), chosen (by LEADLINE_LIVE)."""
    live_reason: str
    """Why it lay in the run's directory although that is remote, "" where it did not."""

class TimeStats:
    count: int
    sum_ns: float
    min_ns: float
    max_ns: float
    gap_sum_ns: float
    hist: list[int]

class LocalCalls:
    function: int
    caller: Frame
    calls: int
    sum_ns: float

class Loss:
    code: str
    amount: int
    message: str

class Key:
    """src/trace/event.hpp says what the fields mean for each class of function."""

    site: int
    comm: int
    count: int
    peer: int
    tag: int
    datatype: int
    extra: int
    value: int

class Tally:
    key: Key
    times: int
    words: list[int]

class CallPart:
    """What a call does to one message, collective, one-sided operation or transfer of a file, or to its request.

    moves: of "sends", "receives", "contributes", "collects", "puts", "gets", "writes", "reads".
    request: "none", "makes", "creates", "starts", "completes", "frees", "cancels".
    wildcard: a receive for any source or any tag.   names_message: the one part that says which message it is.
    partner_told: false: peer and tag are those of the call that made the request.
    maker_*: the call that made the request (for a start, created it). Site and function are unknown if 2^32 - 1.
    maker_thread: -1 the same thread.   maker_age: how many requests (or creations) ago, 1 the last one, 0 unknown.
    maker_number: of all that its thread made, from 1; 0 unknown.
    comm, identity, peer, world_peer, tag: as of a call.   count, datatype: 0 unknown.
    posted_bytes: bytes asked for.   out_bytes, in_bytes: bytes that leave and reach the rank.   -1 unknown.
    """

    moves: tuple[str, ...]
    request: str
    wildcard: bool
    cancelled: bool
    names_message: bool
    partitioned: bool
    partner_told: bool
    maker_thread: int
    maker_site: int
    maker_function: int
    maker_age: int
    maker_number: int
    comm: int
    identity: int
    peer: int
    world_peer: int
    tag: int
    count: int
    datatype: int
    posted_bytes: int
    out_bytes: int
    in_bytes: int

class Call:
    """One call with its partner as a rank of the communicator, or a run of failed polls (`times`: to a power of two).

    function: index into the process's functions, 2^32 - 1 unknown.   nothing: a poll that found nothing.
    comm: number of the communicator, window or file, 0 none.   identity: the same on all of its ranks, 0 unknown.
    peer: PEER_NONE .. PEER_ROOT or a rank; of collectives the root.   world_peer: rank in MPI_COMM_WORLD, -1 unknown.
    count: elements; requests passed, for a list.   posted_bytes: count times datatype_bytes.
    value: bytes received, -1 unknown (src/trace/event.hpp has other meanings).
    made: number of the communicator, window or file that it made, 0 none.
    error, open_file: errno and open file of a call of libc.   distance: where a transfer starts, if `positioned`.
    """

    times: int
    site: int
    function: int
    nothing: bool
    flags: int
    comm: int
    identity: int
    peer: int
    world_peer: int
    tag: int
    count: int
    datatype: int
    datatype_bytes: int
    posted_bytes: int
    value: int
    made: int
    error: int
    open_file: int
    positioned: bool
    distance: int
    parts: list[CallPart]

class Process:
    file: str
    rank: int
    world_size: int
    world: int
    host: str
    program: str
    library: str
    family: str
    pid: int
    initialized: bool
    initializing: bool
    finalized: bool
    complete: bool
    start_unix_ns: int
    duration_ns: float
    own_overhead_ns: float
    own_between_calls_ns: float
    file_bytes: int
    functions: list[Function]
    modules: list[Module]
    communicators: list[Communicator]
    datatypes: list[Datatype]
    ops: list[str]
    losses: list[Loss]
    pauses: Pauses
    sampling: Sampling
    conditions: Conditions
    @property
    def clock_comparisons(self) -> list[tuple[int, int, int]]:
        """Of MPI_Init and MPI_Finalize: own clock, offset of rank 0's, by how much that may be wrong; ns."""
    threads: int
    def sites(self, thread: int = 0) -> list[Site]: ...
    def locals(self, thread: int = 0) -> list[LocalCalls]: ...
    def tallies(self, thread: int = 0) -> list[Tally]: ...
    def poll_runs(self, thread: int = 0) -> tuple[int, int]:
        """Runs of failed polls between two other calls: those among the calls, and those whose place is not kept."""
    def tree_difference(self, thread: int = 0) -> str:
        """Where the calls of the thread's loop tree differ from the recorded ones; "" if they don't."""
    def calls(self, thread: int = 0) -> Iterator[Call]:
        """The thread's calls in the order they happened, streamed."""

class FilesRead:
    """Bytes of a run's files that are needed again: files that traces share, and traces read with keep_bytes."""

    def __init__(self) -> None: ...

def open_process(path: str, files: FilesRead | None = None, keep_bytes: bool = False) -> Process:
    """Reads one trace. Raises TraceError where nothing of it can be used."""

def trace_files(directory: str) -> list[str]:
    """The trace files of a run directory, one per process; a trace in a node's file has a path below that file.
    Raises TraceError where it cannot be listed."""

def chunks_of_killed(path: str) -> bytes:
    """What a killed process left in live memory (a path ending in .live), as the chunks of a trace, without those of
    its .part file. Raises TraceError where it cannot be read."""

def crc32c(data: bytes) -> int:
    """The checksum of traces."""

def trace_bytes(path: str) -> int:
    """The size of such a trace; 0 where it cannot be opened."""

def node_members(path: str) -> list[tuple[str, int, int, bool]]:
    """The traces in a node's file: name, first byte, bytes, whether it was written to its end."""

class CallEnds:
    """collectives: of each persistent one every start. refused: calls that name a partner and ended with an error.
    posted: receives, but for those from MPI_PROC_NULL. taken: those known to have taken a message that was not empty.
    """

    collectives: int
    refused: int
    cancelled_sends: int
    cancelled_receives: int
    posted: int
    taken: int

class Counts:
    """operations: one-sided ones; put, got: their bytes, which are among those sent and received."""

    calls: int
    messages: int
    operations: int
    ends: CallEnds
    sent: int
    received: int
    contributed: int
    collected: int
    put: int
    got: int
    time_ns: float

class Spread:
    """Over processes; those that never called count as 0."""

    min: float
    median: float
    max: float
    min_process: int
    max_process: int

class Sizes:
    """Messages, or one-sided operations, by size: bucket b > 0 holds sizes in [2^(b-1), 2^b), bucket 0 empty ones."""

    messages: list[int]
    bytes: list[float]
    distinct: dict[int, int]
    distinct_complete: bool

class Row:
    """Sum over sites. bytes: sent + contributed; received: received + collected."""

    total: Counts
    min_ns: float
    max_ns: float
    max_ns_process: int
    processes: int
    calls: Spread
    messages: Spread
    bytes: Spread
    received: Spread
    time_ns: Spread
    hist: list[int]
    sizes: Sizes
    operation_sizes: Sizes

class Edge:
    """Messages from a process to a rank, and its one-sided operations there (put: bytes to it, got: bytes from it)."""

    source: int
    target: int
    messages: int
    bytes: int
    operations: int
    put: int
    got: int

FileCounts = tuple[int, int, int, int, int, int, int, int, int, int, int]
"""Opens, closes, reads, writes, others, bytes read, bytes written, ns; transfers sequential, strided, random."""

class ProcessSummary:
    regions: list[RegionTimes]
    file: str
    rank: int
    world_size: int
    world: int
    host: str
    program: str
    library: str
    family: str
    pid: int
    initialized: bool
    initializing: bool
    finalized: bool
    complete: bool
    start_unix_ns: int
    duration_ns: float
    own_overhead_ns: float
    file_bytes: int
    losses: list[Loss]
    pauses: Pauses
    sampling: Sampling
    conditions: Conditions
    variables: list[LibraryVariable]
    settings: list[LibrarySetting]
    threads: int
    ends: list[tuple[float, bool, int, int, float]]
    """(end of the last call that came back, whether another was under way, its function, its site or -1, its begin) of
    the threads of a process that did not close its trace; times in ns since the process's begin."""
    total: Counts
    own_ns: float
    gap_ns: float
    placed_polls: int
    unplaced_polls: int
    category_ns: list[float]
    category_calls: list[int]
    files_recorded: bool
    file_calls: Counts
    """libc's file calls, which are not in `total`; files_ns: their time in threads that call MPI."""
    files_ns: float
    def files(self) -> list[tuple[str, bool, bool, bool, bool, int, list[FileCounts], int, int]]:
        """(path, opened by MPI, mapped, has a view, offset unknown, size, layers, distinct bytes read, the same beneath
        MPI-IO) of every file; -1: not known. Layers: the program's calls, those outside of the events, MPI_File_*,
        those beneath it."""

class StripEntry:
    first: int
    last: int
    timed: int
    """Of these iterations, on the rank that timed most of them."""
    mean_ns: float
    min_ns: float
    max_ns: float
    max_process: int
    max_iteration: int

class Outlier:
    iteration: int
    process: int
    time_ns: float
    typical_ns: float
    computation_ns: float

class RunIterations:
    loop: int  # of RunLoops; 0: calls that repeat
    missing: str  # why none was found: "none", "few", "apart", "small", "commands", "files"
    found: bool
    process: int
    site: int
    after: bool
    count: int
    calls: float
    mean_ns: float
    min_ns: float
    max_ns: float
    strip: list[StripEntry]
    outliers: list[Outlier]
    sampled: list[int]
    kept: str

class ProcessTime:
    """t ns after a process's start are begin_ns + rate * t in the run's time; error_ns: at most, negative: unknown."""

    begin_ns: float
    rate: float
    error_ns: float

class RunTime:
    processes: list[ProcessTime]
    kind: str
    clocks: int
    error_ns: float
    drift_known: bool

class MatchedCall:
    """A call of an iteration, beside its partner: the index of the other end in MatchedIteration.calls, -1 for none."""

    process: int
    stream: int
    site: int
    function: str
    iteration: int
    role: str
    begin_ns: float
    duration_ns: float
    gap_ns: float
    polled: bool
    comm: int
    source: int
    dest: int
    tag: int
    number: int
    partner: int
    second_partner: int

class LoopCell:
    process: int
    repeats: int
    entries: int
    calls: int
    time_ns: float

class RunLoop:
    """outer: the next loop around it, 0: none. Places are (module, offset); module None: code in no module.

    header: its first instruction; last: the jump back to it. by_order: return addresses of the first and last call.
    callers: of its routine, the innermost first. calls: in its routine that lead to MPI, where they return to.
    """

    outer: int
    header: tuple[int | None, int]
    last: tuple[int | None, int]
    callers: list[tuple[int | None, int]]
    calls: list[tuple[int | None, int]]
    by_order: bool
    silent: bool
    about: bool
    cut: bool
    cells: list[LoopCell]

class LoopShape:
    """Iterations of a loop within one of the loop around it, and how many variants they have."""

    iterations: int
    variants: int
    fewest: int
    usual: int
    most: int
    cut_within: bool  # the ranks died in its only visit
    varying: int  # call sites within it whose parameters vary without end
    restarts: int  # of the calls of its inner loop, where its own iterations may go unseen; 0: none
    restart_iterations: int  # of the inner loop from one to the next

class RunLoops:
    @property
    def all(self) -> list[RunLoop]:
        """Number 0 is none."""
    @property
    def main(self) -> int:
        """The outermost one that covers most of the time; 0: there is none."""
    def choose(self, loop: int) -> None:
        """Make it the main loop; 0: undo that."""
    def iterations(self, loop: int) -> int:
        """Of the median process."""
    def mean_ns(self, loop: int) -> float:
        """Of an iteration, timed or not, on the ranks that count as the median one does; each rank counts once."""
    def time_ns(self, loop: int) -> float:
        """Of all processes."""
    def shape(self, loop: int) -> LoopShape: ...
    def within(self, inner: int, loop: int) -> bool: ...
    @property
    def trees(self) -> int:
        """How many different loop trees the threads have: those that went the same way share one."""
    @property
    def lost_calls(self) -> int:
        """Calls whose order is lost: they are in no variant."""

class MatchedIteration:
    calls: list[MatchedCall]
    unmatched_sends: int
    unmatched_receives: int

class Matching:
    """The main loop's iterations on all ranks."""

    def __init__(self, processes: list[Process]) -> None: ...
    def iteration(self, number: int) -> MatchedIteration:
        """The calls of an iteration and of those beside it, on all ranks: ns since the first rank's start."""

class PhaseTime:
    @property
    def computation(self) -> float: ...
    @property
    def mpi(self) -> float: ...
    @property
    def io(self) -> float: ...
    @property
    def startup(self) -> float: ...

class Phase:
    @property
    def kind(self) -> str: ...
    @property
    def loop(self) -> int: ...
    @property
    def sites(self) -> list[int]: ...
    @property
    def share(self) -> list[float]: ...
    @property
    def writes(self) -> bool: ...
    @property
    def region(self) -> int: ...
    @property
    def iterations(self) -> int: ...
    @property
    def every(self) -> int: ...
    @property
    def inner_iterations(self) -> int: ...
    @property
    def times(self) -> list[PhaseTime]: ...

class RunPhases:
    @property
    def phases(self) -> list[Phase]: ...
    @property
    def iterations(self) -> int: ...
    @property
    def recurring_known(self) -> bool: ...

class PhaseFinder:
    """Takes all processes of a run once more, in the profile's order; then finds the run's phases."""

    def add(self, process: Process, index: int) -> None: ...
    def find(self, paths: list[list[int]]) -> RunPhases: ...

class WaitCause:
    @property
    def process(self) -> int: ...
    @property
    def site(self) -> int: ...
    @property
    def doing(self) -> str: ...
    @property
    def share(self) -> float: ...

class WaitRow:
    @property
    def kind(self) -> str: ...
    @property
    def site(self) -> int: ...
    @property
    def process(self) -> int: ...
    @property
    def ns(self) -> float: ...
    @property
    def error_ns(self) -> float: ...
    @property
    def causes(self) -> list[WaitCause]: ...

class PathRow:
    @property
    def process(self) -> int: ...
    @property
    def site(self) -> int: ...
    @property
    def doing(self) -> str: ...
    @property
    def share(self) -> float: ...

class Imbalance:
    @property
    def found(self) -> bool: ...
    @property
    def computation_ns(self) -> float: ...
    @property
    def lost_ns(self) -> float: ...
    @property
    def fixed_ns(self) -> float: ...
    @property
    def wandering_ns(self) -> float: ...
    @property
    def changing_ns(self) -> float: ...
    @property
    def noise_ns(self) -> float: ...
    @property
    def rare_ns(self) -> float: ...
    @property
    def rare_steps(self) -> int: ...
    @property
    def rare_period(self) -> int: ...
    @property
    def between_hosts(self) -> float: ...
    @property
    def slowest(self) -> list[tuple[int, float]]: ...

class RunWaits:
    @property
    def found(self) -> bool: ...
    @property
    def estimated(self) -> bool: ...
    @property
    def iterations(self) -> int: ...
    @property
    def unseen(self) -> list[tuple[int, float]]: ...
    @property
    def rows(self) -> list[WaitRow]: ...
    @property
    def path(self) -> list[PathRow]: ...
    @property
    def path_steps(self) -> int: ...
    @property
    def imbalance(self) -> Imbalance: ...
    @property
    def calls(self) -> CallWaits | None:
        """Of all calls; None if not all of their times were kept."""

class CallWaits:
    """Which calls waited, for Timeline.iteration."""

class PathStretch:
    @property
    def process(self) -> int: ...
    @property
    def site(self) -> int: ...
    @property
    def doing(self) -> str: ...
    @property
    def begin_ns(self) -> float: ...
    @property
    def end_ns(self) -> float: ...

class IterationWaits:
    """calls: of these iterations, or of the run.   paths: the critical path of each iteration, [] unknown."""

    @property
    def calls(self) -> CallWaits: ...
    @property
    def paths(self) -> list[list[PathStretch]]: ...

class IterationWaitFinder:
    """Takes all processes of a run once more, in the profile's order; then finds waits and paths of iterations."""

    def add(self, process: Process, index: int) -> None: ...
    def find(self) -> IterationWaits: ...

class MessageTime:
    """When a message was sent and received, in ns of the run (src/analysis/matching/message_times.hpp)."""

    bytes: int
    within_host: bool
    sender: int
    receiver: int
    send_site: int
    done_site: int
    done: int
    send_begin_ns: float
    send_end_ns: float
    sent_begin_ns: float
    sent_end_ns: float
    posted_ns: float
    done_begin_ns: float
    done_end_ns: float

class MessageTimes:
    """Takes all processes of a run once more, in the profile's order; then finds messages, about `most` at most."""

    wanted: bool

    def __init__(self, profile: Profile, most: int) -> None: ...
    def add(self, process: Process, index: int) -> None: ...
    def find(self) -> list[MessageTime]: ...

class WaitFinder:
    """Takes all processes of a run once more, in the profile's order; then finds what waited for what."""

    def add(self, process: Process, index: int) -> None: ...
    def find(self) -> RunWaits: ...

class Pattern:
    @property
    def name(self) -> str: ...
    @property
    def sites(self) -> list[int]: ...
    @property
    def files(self) -> list[str]: ...
    @property
    def in_main_loop(self) -> bool: ...
    @property
    def ranks(self) -> int: ...
    @property
    def messages(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def time_ns(self) -> float: ...
    @property
    def evidence(self) -> list[tuple[str, bool | int | float | str | list[int]]]: ...

class PatternFinder:
    """Takes all processes of a run once more, in the profile's order; then finds its patterns."""

    def add(self, process: Process, index: int) -> None: ...
    def find(self, paths: list[list[int]], lines: list[int]) -> list[Pattern]:
        """For each call site of the profile: paths: the routines that lead to it as numbers, outermost first; lines: a
        number that sites of one line and path share."""

class Timeline:
    """Iterations of the main loop, or of the loop of that number, on some processes, `indices` of the profile."""

    def __init__(self, profile: Profile, processes: list[Process], indices: list[int], loop: int = 0) -> None: ...
    def times(self) -> list[tuple[int, float, float, int]]:
        """(iteration, mean ns, longest ns, process for which it lasted longest) of those whose calls' times all these
        processes kept. An iteration lasts from the end of the call before to the end of its last call.
        """
    def sums(self, iterations: list[int], groups: list[int]) -> tuple[dict[int, Any], dict[int, Any]]:
        """Seconds in each of these iterations, which must ascend, of all processes by group; and between calls, without
        the gaps in which polls failed, by index of the process in the profile.

        groups: by site of the profile, its number among the keys, -1: left out.
        """
    def sites_besides(self, iteration: int) -> dict[int, set[int]]:
        """By iteration, the profile's sites at which a rank calls in it and not in the given one."""
    def iteration(
        self,
        number: int,
        groups: list[int],
        world_ranks: Sequence[tuple[int, int, int]],
        waits: CallWaits | None,
    ) -> dict[str, Any]:
        """The columns of the table `timeline`; `sends` and `receives`, the rows of each message's ends (-1: in another
        iteration); `unmatched`, how many ends of messages lack the other end.

        kind: number in `kinds`, (site, function) as they first occur.

        groups: by site of the profile, its number in `site`, -1 none.   world_ranks: as of call_columns.
        waits: None: unknown, which makes waited_s NaN.
        """

class StepRows:
    """The calls of a step, which ascend by lane and time, from columns in buffers of 32 bits (lane), 64 bits (sent,
    received, completion; sends, receives: a value per message) and doubles (begin_s, end_s, gap_s, completed_s).
    figures.timeline.marks says what its methods return. Raises ValueError if columns differ in length.
    """

    def __init__(self, columns: dict[str, Any]) -> None: ...
    @property
    def start_s(self) -> float: ...
    @property
    def stop_s(self) -> float: ...
    def marks(self, rows: list[int] | None, lanes: int, unit_s: float) -> dict[str, list[int]]:
        """rows: ascending; None: all."""
    def messages(self, unit_s: float) -> dict[str, list[int]]: ...
    def edges(self, lanes: int, unit_s: float) -> dict[str, list[int]]: ...
    def after_others(self, unit_s: float) -> list[int]: ...

class Profile:
    def __init__(self) -> None: ...
    def add(self, process: Process) -> int:
        """Adds what a process did; returns its index. The process is not needed afterwards."""
    @property
    def processes(self) -> list[ProcessSummary]: ...
    @property
    def functions(self) -> list[Function]: ...
    @property
    def modules(self) -> list[Module]: ...
    @property
    def regions(self) -> list[NamedRegion]: ...
    def region_of_sites(self) -> list[int]: ...
    def contexts(self) -> list[tuple[int | None, int, int]]:
        """(module, offset, parent) of every context; module None: offset 0 is code of no module, 1 frames left out."""
    def sites(self) -> list[tuple[int, bool, int]]:
        """(function, purely local?, [(module, offset) of each frame, innermost first]) of every site."""
    def pattern_finder(self) -> PatternFinder: ...
    def wait_finder(self) -> WaitFinder: ...
    def iteration_wait_finder(self, iterations: list[int], loop: int, run: RunWaits) -> IterationWaitFinder: ...
    def phase_finder(self) -> PhaseFinder: ...
    def iterations(self, loop: int = 0) -> RunIterations:
        """Of the main loop of all processes, or of another one."""
    @property
    def loops(self) -> RunLoops: ...
    def time(self) -> RunTime:
        """All processes' times as one. kind: one clock ("shared"), compared ones ("exchanged"), the "system"'s."""
    def edges(self) -> list[Edge]:
        """Messages from process `source` to rank `target` of its MPI_COMM_WORLD (-1 unknown)."""
    def samples(self, process: int) -> list[tuple[int, int, int, bool, int]]:
        """Of one process: (site of the next call or -1, module or -1, offset, within the main loop?, samples)."""
    def rows(self, groups: list[list[int]]) -> list[Row]:
        """One row per group of sites; a site may be in several."""

def collective_steps(
    operation: str,
    algorithm: str,
    processes: int,
    rank: int,
    root: int,
    count: int,
    element_bytes: int,
    segment_bytes: int = 0,
    radix: int = 0,
) -> list[tuple[str, int, int, int]] | None:
    """What a rank does in a collective, all ranks being on one node: (kind, peer, elements, request) of each step.

    kind: "send", "receive", "wait", "copy", "reduce" or "native". None: the algorithm can't be used for that.
    Raises ValueError for an operation, algorithm, rank or root that does not exist.
    """

def collective_algorithms() -> list[tuple[str, str, bool, bool, bool]]:
    """(operation, name, needs a commutative operation?, takes segments?, takes a radix?) of each."""

def demangle_short(name: str) -> str:
    """A mangled C++ name without return type and parameters: _ZN5opatm6trcadvEi -> opatm::trcadv. What is no such name
    is unchanged.
    """

network_distances: tuple[str, ...]
"""What two ranks share, from near to far: "core_complex", ... , "other_node"."""

class NetworkPiece:
    """The parameters of messages of `from_bytes` and more, up to the next piece: src/network/network.hpp."""

    from_bytes: int
    latency_ns: float
    overhead_ns: float
    overhead_per_byte_ns: float
    gap_ns: float
    per_byte_ns: float
    receive_overhead_ns: float
    receive_overhead_per_byte_ns: float

    def message_ns(self, bytes: int) -> float:
        """From the start of the send to the end of the receive."""

class NetworkLink:
    """pieces: a copy; to be set as a whole.   handshake_ns: negative: two latencies."""

    pieces: list[NetworkPiece]
    eager_bytes: int
    copied_bytes: int
    handshake_ns: float
    progresses: bool

class NetworkPort:
    gap_ns: float
    per_byte_ns: float

class NetworkTopology:
    """The links between switches: src/network/topology.hpp."""

    kind: str
    nodes_per_switch: int
    switches: list[int]
    uplinks: list[int]
    global_links: int
    gap_ns: float
    per_byte_ns: float
    hop_ns: float
    @property
    def wrong(self) -> str | None: ...
    @property
    def nodes(self) -> int: ...
    def route(self, origin: int, target: int) -> list[int]: ...

class Network:
    """The parameters of a network model: src/network/network.hpp."""

    reduce_per_byte_ns: float
    copy_per_byte_ns: float
    copy_2_mib_per_byte_ns: float
    copy_8_mib_per_byte_ns: float
    copy_uncached_per_byte_ns: float
    copy_strided_per_byte_ns: float
    copy_strided_uncached_per_byte_ns: float
    flag_ns: float
    call_ns: float
    port: NetworkPort
    topology: NetworkTopology

    def own(self, between: str) -> NetworkLink:
        """What was set for a distance; without pieces if nothing was. Raises ValueError for an unknown distance."""

    def set(self, between: str, link: NetworkLink) -> None:
        """Raises ValueError for an unknown distance."""

    def most_favourable(self) -> NetworkPiece:
        """The least of each parameter that occurs."""

def most_favourable_network(
    messages: Sequence[tuple[int, int]], reductions: Sequence[tuple[int, int]]
) -> Network | None:
    """The network that measured times (bytes, ns) allow; None without small and large messages."""

def collective_model_ns(
    operation: str,
    algorithm: str,
    processes: int,
    count: int,
    element_bytes: int,
    segment_bytes: int,
    network: Network,
    radix: int = 0,
    root: int = 0,
    nodes: Sequence[int] = (),
) -> float:
    """The time of the algorithm in the network, in ns; negative: it can't be used for that.   radix: 0: the default.
    nodes: by rank; without any, all ranks are on one.   Raises ValueError for what is unknown or out of range."""

def collective_bound_ns(operation: str, processes: int, bytes: int, network: Network) -> float:
    """The least time of a collective: src/network/bounds.hpp. Raises ValueError for an unknown operation."""

def site_sums(
    profile: Profile, process: Process, index: int, loop: int = 0, iterations: tuple[int, int] | None = None
) -> tuple[list[tuple[int, int, int, int, int, float]], tuple[int, int, int, float, float, bool], int]:
    """What a process did at the profile's sites, purely local functions aside: (site, calls, messages, bytes out, bytes
    in, ns); the sizes of its messages: (messages, least, most, sum, sum of squares, exact); how many calls were left
    out because their times were not kept.

    index: the process's in the profile.   loop: in RunLoops, 0 the main one.   iterations: from, up to and without.
    """

class PerfettoExport:
    """Writes Perfetto's trace: scan() each process, then begin(), then write() each, then finish().

    sites: what to call each of the profile's call sites.   label: of the process's tracks.
    """

    def __init__(
        self, path: str, profile: Profile, loop: int, iterations: tuple[int, int] | None, sites: list[str]
    ) -> None: ...
    def scan(self, process: Process, index: int) -> None: ...
    def begin(self) -> None: ...
    def write(self, process: Process, index: int, label: str) -> None: ...
    def finish(self) -> tuple[int, int, int, int, int]:
        """(calls, messages, collectives, calls left out because their times were not kept, ends of messages whose other
        end is not exported). Raises OSError."""

def import_otf2(
    files: list[str], anchor: str, directory: str, module: str, build: str, bytes: int, series: int | None
) -> dict[str, Any]:
    """Writes the processes of an OTF2 archive as traces.

    files: where OTF2's C library may be.   anchor: the archive's main file.   directory: for the traces.
    module, build: what call paths name as the binary.   bytes: size of the archive's files.
    series: times of calls that each thread keeps; None: all.
    Returns creator, processes, calls, unreadable (locations, and why), missing (amounts by name), and symbols: (offset,
    routine, full name, file, line).
    Raises ImportError if no library can be loaded, ValueError if nothing can be read or written.
    """

class Otf2Export:
    """Writes an OTF2 archive, as PerfettoExport writes its trace.

    files: where OTF2's C library may be.   path: a folder that does not exist.
    lanes: (name, host) of the ranks.   process_lanes: of each process, its lane, and that of its world's rank 0 or -1.
    contexts: (parent, routine, its full name, file, line): places that calls are made from; NOWHERE as parent: none.
    context_of_site: of each of the profile's call sites, the index of its context, or NOWHERE.
    Raises ImportError if no library can be loaded; finish() raises ValueError if something could not be written.
    """

    def __init__(
        self,
        files: list[str],
        path: str,
        profile: Profile,
        loop: int,
        iterations: tuple[int, int] | None,
        lanes: list[tuple[str, str]],
        process_lanes: list[tuple[int, int]],
        contexts: list[tuple[int, str, str, str, int]],
        context_of_site: list[int],
    ) -> None: ...
    def scan(self, process: Process, index: int) -> None: ...
    def begin(self) -> None: ...
    def write(self, process: Process, index: int, label: str) -> None: ...
    def finish(self) -> tuple[int, int, int, int, int]: ...
    @property
    def undescribed(self) -> int:
        """Ends of messages, and collectives, on communicators that the trace does not describe."""

class Actions:
    """What a simulator replays: scan() each process, settle(), then write each one's file."""

    def __init__(self, profile: Profile, loop: int, iterations: tuple[int, int] | None) -> None: ...
    def scan(self, process: Process, index: int) -> None: ...
    def settle(self) -> None: ...
    def write_simgrid(self, process: Process, index: int, path: str) -> None:
        """Raises OSError."""
    def sums(self) -> dict[str, int]:
        """actions, messages, collectives; what was left out or estimated (src/interchange/actions.hpp)."""

class MessageCosts:
    """What a run's own messages say (src/replay/recorded.hpp)."""

    any_size: int
    call_ns: float
    after_send: float
    long_send_ns: float
    long_receive_ns: float
    long_start_ns: float
    together: float

    def set_receive(self, site: int, bits: int, whole_ns: float, message_ns: float) -> None: ...
    def set_long_busy(self, bytes: int, ns: float) -> None: ...

class ReplaySettings:
    """src/replay/recorded.hpp."""

    last_repeats: bool
    steps: int
    compute: float
    ideal: bool
    seed: int
    eager_bytes: int
    copied_bytes: int
    cost_level: int
    forced_progress: bool
    quick_windows: bool
    old_windows: bool
    latency_ns: float
    collective_ns: float
    messages: MessageCosts
    forced_eager_bytes: int
    copy_per_byte_ns: float

    def set_network(self, network: Network) -> None: ...
    def set_algorithm(self, operation: str, algorithm: str) -> None: ...
    def set_copies(self, per_byte_ns: dict[int, float], part_ns: float, fresh_ns: float) -> None:
        """per_byte_ns: by the bytes that are touched in turn."""

class ReplayOutcome(TypedDict):
    """Seconds by rank; nan: not passed. sensitivities: by L, o, g and G. stuck: (rank, what it waits for, of whom,
    function, site)."""

    end_s: list[float]
    loop_begin_s: list[float]
    loop_end_s: list[float]
    messages: int
    replayed: int
    sensitivities: tuple[int, int, int, int]
    stuck: list[tuple[int, str, int, str, int]]
    differences: dict[str, int]

class Recorded:
    """A recorded run as the replay takes it: add() each rank of one MPI_COMM_WORLD in their order."""

    cost_levels: int
    steps: int

    def __init__(self, main_loop: int) -> None: ...
    def add(self, profile: Profile, process: Process, index: int, node: int) -> None: ...
    def times(self) -> list[tuple[float, float, float, float]]:
        """Of each rank in the recording, in s: its first call, begin and end of the main loop, its last call."""

class ReplayTree:
    """The tree of a recording, to which changes are applied one after another (src/replay/changes/change.hpp).

    Each returns how many calls it replaced, by how many, and the messages of both. Raises ValueError with the reason if
    it cannot be done; the tree is of no use then.
    """

    def __init__(self, of: Recorded | ReplayTree) -> None:
        """Of another tree: a copy, to be changed by itself."""
    @property
    def nodes(self) -> int: ...
    @property
    def last_is_apart(self) -> bool: ...
    def place(self, nodes: list[int]) -> None:
        """The node of each rank, numbered from 0. Raises ValueError unless every rank has one."""
    def pack(self, loops: list[int], sites: list[int], most: int) -> tuple[int, int, int, int]: ...
    def balance(self, each_iteration: bool = True) -> tuple[int, int, int, int]: ...
    def without_noise(self) -> tuple[int, int, int, int]: ...
    def computation(self, loops: list[int], sites: list[int], factor: float) -> tuple[int, int, int, int]: ...
    def remove_calls(self, loops: list[int], sites: list[int]) -> tuple[int, int, int, int]: ...
    def merge(self, loops: list[int], sites: list[int]) -> tuple[int, int, int, int]: ...
    def join(self, loops: list[int], sites: list[int]) -> tuple[int, int, int, int]: ...
    def gather(self, loops: list[int], sites: list[int]) -> tuple[int, int, int, int]: ...
    def distribute(self, loops: list[int], sites: list[int]) -> tuple[int, int, int, int]: ...
    def exchange_all(self, loops: list[int], sites: list[int]) -> tuple[int, int, int, int]: ...
    def exchange_few(self, loops: list[int], sites: list[int]) -> tuple[int, int, int, int]: ...
    def leave_out_idle(self, loops: list[int], sites: list[int]) -> tuple[int, int, int, int]: ...
    def nonblocking(self, loops: list[int], sites: list[int]) -> tuple[int, int, int, int]: ...
    def overlap(self, loops: list[int], sites: list[int], part: float) -> tuple[int, int, int, int]: ...
    def scale_files(self, loops: list[int], sites: list[int], factor: float) -> tuple[int, int, int, int]: ...
    def poll_once(self, loops: list[int], sites: list[int], if_any: bool) -> tuple[int, int, int, int]: ...
    def relax_sends(self, loops: list[int], sites: list[int]) -> tuple[int, int, int, int]: ...
    def trace(self, settings: ReplaySettings) -> list[tuple[float, list[tuple[int, str, float, float, float]]]]:
        """By rank, when it began a late iteration of the main loop, and of each call in it: the site in the run (-1
        none), the function, begin, end and what it waited, in seconds. Without a main loop, or if it is too long, no
        calls."""
    def replay(self, settings: ReplaySettings, sensitivities: bool = False) -> ReplayOutcome: ...

class ReplayProgram:
    """A tree as it is replayed under some settings, which later changes of either do not reach. As many replays as
    wanted share it, at once, too."""

    def __init__(self, tree: ReplayTree, settings: ReplaySettings) -> None: ...
    def replay(self, seed: int = 0, sensitivities: bool = False) -> ReplayOutcome:
        """seed: of iterations that are drawn; 0: that of the settings."""

class PredictedRun:
    """A replay with the times of all calls, to be written as a run (src/interchange/predicted/predicted_run.hpp)."""

    @property
    def end_s(self) -> float: ...
    def write(
        self, profile: Profile, process: Process, index: int, rank: int, path: str, host: str, clock: int
    ) -> tuple[int, int]:
        """The trace of a rank, each once: calls written, and calls left out. Raises OSError if it cannot be written."""

def predicted_run(tree: ReplayTree, settings: ReplaySettings) -> PredictedRun:
    """Raises ValueError if ranks wait for each other."""

def predicted_calls(tree: ReplayTree, settings: ReplaySettings) -> int:
    """How many calls it has, over all ranks."""

def tree_size(tree: ReplayTree) -> tuple[int, int]:
    """Its classes and ranks."""

def tree_shape(tree: ReplayTree, number: int) -> dict[str, Any]:
    """Of a class: bodies of (index, is a body, times), where calls 0 and 1 are marks around the main loop and the
    others leaves; for each body its loop and whether it is an iteration; root, main_body, entered, lost."""

def tree_leaves(tree: ReplayTree, number: int) -> list[tuple[Any, ...]]:
    """Of a class: site, function, use of requests, collective?, varies in its messages?, refused?, found nothing?,
    parts: (moves, use of its request, wildcard?, cancelled?, age of what it completes, site that made it)."""

def tree_rank(tree: ReplayTree, rank: int) -> tuple[int, int, float]:
    """Class, node, begin in ns."""

def tree_calls(tree: ReplayTree, rank: int) -> list[tuple[Any, ...]]:
    """By leaf: communicator, root, root in MPI_COMM_WORLD, bytes, parts: (communicator, partner: relative, in it, in
    MPI_COMM_WORLD; tag, bytes posted, sent, received), calls, mean computation before one and mean duration in ns."""

def tree_communicators(tree: ReplayTree) -> dict[int, list[int]]: ...
def tree_grids(tree: ReplayTree) -> dict[int, list[tuple[int, bool]]]: ...
def tree_null_peer() -> int: ...

class Growing:
    """A tree for other ranks, of leaves and times of `tree` (src/replay/growing.hpp)."""

    def __init__(self, tree: ReplayTree) -> None: ...
    def add_communicator(self, identity: int, members: list[int]) -> None: ...
    def add_class(
        self,
        bodies: list[list[tuple[int, bool, int]]],
        loop_of: list[int],
        is_iteration: list[bool],
        root: int,
        main_body: int,
        leaves: int,
    ) -> int: ...
    def add_leaf(
        self, of_class: int, from_class: int, leaf: int, number: int, parts: list[tuple[int, int, int, int]]
    ) -> None:
        """parts: class, leaf and part of `tree`, and the age of what it completes or 0."""
    def add_rank(self, of_class: int, node: int, begin_ns: float) -> int: ...
    def add_call(
        self,
        identity: int,
        root: int,
        root_world: int,
        posted_bytes: int,
        parts: list[tuple[int, int, int, int, int, int, int, int]],
        times: tuple[int, int, float, float, int],
    ) -> None:
        """Of the last rank, in the order of its leaves. times: rank and leaf of `tree` that they are from, factors of
        the computation before it and of its duration, calls."""
    def tree(self, recorded: Recorded) -> ReplayTree: ...

class GoalExport:
    """Writes LogGOPSim's GOAL: each rank from 0 to ranks - 1 once, in this order; then finish(). Raises OSError."""

    def __init__(self, path: str, actions: Actions, ranks: int, comment: str = "") -> None: ...
    def write(self, process: Process, index: int) -> None: ...
    def write_nothing(self, rank: int) -> None: ...
    def finish(self) -> None: ...

def visit_rows(
    profile: Profile,
    process: Process,
    index: int,
    loop: int,
    iterations: tuple[int, int] | None,
    most: int,
    give: Callable[[dict[str, memoryview[Any]]], None],
) -> None:
    """Gives the process's calls as columns (src/interchange/call_rows.hpp), in batches of at most so many rows."""
