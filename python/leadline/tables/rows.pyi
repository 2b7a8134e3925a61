"""The rows of the tables. Made from python/leadline/tables by ./dev lint --fix: do not edit."""

from typing import NamedTuple

class CallsRow(NamedTuple):
    """One row per call site and rank that called MPI there."""

    site: int
    """the call site's row in `sites()`, counted from 0."""
    process: int
    """the rank's row in `ranks()`, counted from 0."""
    world: int | None
    """number of its MPI_COMM_WORLD: 0, unless programs were spawned; null: unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    function: str
    """MPI function."""
    calls: int
    """calls."""
    messages: int
    """sends that were started to a real partner; collectives have none."""
    bytes: int
    """sent, as posted; received, as posted where no status told; contributed; put; written (bytes)."""
    bytes_received: int
    """of receives, collectives, gets and reads (bytes)."""
    one_sided_operations: int
    """puts, gets and accumulates at a real target."""
    bytes_put: int
    """by one-sided operations; also in `bytes` (bytes)."""
    bytes_got: int
    """by one-sided operations; also in `bytes_received` (bytes)."""
    time_s: float
    """time in these calls (s)."""
    min_s: float | None
    """shortest call; null: unknown: calls to purely local functions are timed in total (s)."""
    max_s: float | None
    """longest call; null: unknown: calls to purely local functions are timed in total (s)."""

class SitesRow(NamedTuple):
    """One row per call site of an MPI function: a function and the path of calls that leads to it."""

    site: int
    """number of the row, counted from 0: what `site` means in `calls()`."""
    function: str
    """MPI function."""
    call_class: str
    """Leadline's class of the function, such as isend or coll."""
    local: bool
    """the function is purely local."""
    routine: str
    """routine that the call stands in; ? if unknown."""
    file: str | None
    """source file of the call; null: unknown: no debug information, or none of this call."""
    line: int | None
    """line of the call; null: unknown: no debug information, or none of this call."""
    line_exact: bool
    """false: the compiler gave the call no line of its own, and this is the nearest one."""
    path: str
    """call path, outermost first: main (a.c:5) > exchange (halo.c:40)."""
    path_whole: bool
    """false: what lies further out than the path is unknown."""
    ranks: int
    """number of ranks that called."""
    calls: int
    """calls."""
    messages: int
    """sends that were started to a real partner; collectives have none."""
    bytes: int
    """sent, as posted; received, as posted where no status told; contributed; put; written (bytes)."""
    bytes_received: int
    """of receives, collectives, gets and reads (bytes)."""
    one_sided_operations: int
    """puts, gets and accumulates at a real target."""
    bytes_put: int
    """by one-sided operations; also in `bytes` (bytes)."""
    bytes_got: int
    """by one-sided operations; also in `bytes_received` (bytes)."""
    time_s: float
    """time in these calls, of all ranks (s)."""
    min_s: float | None
    """shortest call; null: unknown: calls to purely local functions are timed in total (s)."""
    max_s: float | None
    """longest call; null: unknown: calls to purely local functions are timed in total (s)."""

class MatrixRow(NamedTuple):
    """One row per pair of ranks of which one sent to the other, or called one-sided operations at it."""

    process: int
    """the source's row in `ranks()`, counted from 0."""
    world: int | None
    """number of its MPI_COMM_WORLD: 0, unless programs were spawned; null: unknown."""
    source: int | None
    """rank that sends, or that calls the operation, in its MPI_COMM_WORLD; null: unknown."""
    target: int | None
    """rank that receives, or that is operated on, in the same MPI_COMM_WORLD; null: unknown."""
    messages: int
    """messages from source to target."""
    bytes: int
    """of these messages (bytes)."""
    one_sided_operations: int
    """puts, gets and accumulates of source at target."""
    bytes_put: int
    """by these operations, from source to target (bytes)."""
    bytes_got: int
    """by these operations, from target to source (bytes)."""

class RanksRow(NamedTuple):
    """One row per rank that was recorded."""

    process: int
    """the rank's row in `ranks()`, counted from 0."""
    world: int | None
    """number of its MPI_COMM_WORLD: 0, unless programs were spawned; null: unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    host: str
    """name of its host."""
    pid: int
    """its process id there."""
    threads: int
    """number of its threads that called MPI."""
    duration_s: float
    """from MPI_Init to MPI_Finalize (s)."""
    time_s: float
    """time of its threads that called MPI, without pauses: computation, MPI and file I/O (s)."""
    computation_s: float
    """part of `time_s` outside MPI and calls on files (s)."""
    mpi_s: float
    """part of `time_s` in MPI: the sum of the categories that follow `io_s` (s)."""
    io_s: float
    """part of `time_s` in libc's calls on files (s)."""
    startup_s: float
    """in MPI_Init, MPI_Finalize and the like (s)."""
    point_to_point_s: float
    """in sends and receives (s)."""
    completion_s: float
    """in calls that complete or test requests (s)."""
    collective_s: float
    """in collectives (s)."""
    one_sided_s: float
    """in one-sided operations and their synchronisation (s)."""
    mpi_io_s: float
    """in MPI_File_* (s)."""
    setup_s: float
    """in calls that make and free communicators, datatypes and the like (s)."""
    local_s: float
    """in purely local functions (s)."""
    calls: int
    """calls of MPI functions."""
    messages: int
    """sends that were started to a real partner."""
    bytes: int
    """of its messages and one-sided puts, and written through MPI_File_* (bytes)."""
    bytes_received: int
    """by receives, one-sided gets and reads through MPI_File_* (bytes)."""
    collective_bytes: int
    """contributed to collectives (bytes)."""
    collective_bytes_received: int
    """received from collectives (bytes)."""
    one_sided_operations: int
    """puts, gets and accumulates at a real target."""
    bytes_put: int
    """by one-sided operations (bytes)."""
    bytes_got: int
    """by one-sided operations (bytes)."""
    own_s: float
    """Leadline's own time in this rank, as measured (s)."""
    trace_bytes: int
    """of its own trace file (bytes)."""
    finalized: bool
    """it called MPI_Finalize."""
    complete: bool
    """it closed its trace."""

class IterationsRow(NamedTuple):
    """One row per iteration of the main loop, or per run of consecutive iterations if they are more than 512."""

    first: int
    """first iteration of the row, counted from 0."""
    last: int
    """last iteration of the row."""
    mean_s: float
    """mean over the row's iterations and the ranks (s)."""
    min_s: float
    """shortest iteration, of any rank (s)."""
    max_s: float
    """longest iteration, of any rank (s)."""
    max_process: int
    """row in `ranks()` of the rank with that longest iteration."""
    max_world: int | None
    """number of its MPI_COMM_WORLD; null: unknown."""
    max_rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    max_iteration: int
    """number of that longest iteration."""

class TimelineRow(NamedTuple):
    """One row per call of an iteration of the main loop."""

    process: int
    """the rank's row in `ranks()`, counted from 0."""
    world: int | None
    """number of its MPI_COMM_WORLD: 0, unless programs were spawned; null: unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    iteration: int
    """the iteration, counted from 0."""
    site: int | None
    """the call site's row in `sites()`, counted from 0; null: a call of libc on a file, or unknown."""
    function: str
    """MPI function, or libc's."""
    role: str
    """what it does itself: `send`, `receive`, `both`, `collective`, `other`."""
    begin_s: float
    """its begin, since the first rank began (s)."""
    end_s: float
    """its end (s)."""
    gap_s: float
    """time since the end of the rank's call before: computation, unless `polled` (s)."""
    polled: bool
    """whether polls that found nothing lie in that gap."""
    partner_process: int | None
    """row in `ranks()` of the rank at the other end of its message; null: the call sends and receives nothing itself,
    or that end is unknown."""
    partner_rank: int | None
    """that rank in its MPI_COMM_WORLD; null: the call sends and receives nothing itself, or unknown."""
    partner_row: int | None
    """row of this table: the call at the other end; of a collective, the next rank's; of `both`, the receive of what it
    sends; null: none in this iteration."""
    source_row: int | None
    """row of this table: the call that sent what it receives; null: none in this iteration."""
    completion_row: int | None
    """row of this table: the call that completes the requests that it made, if one call does; null: none in this
    iteration."""
    completed_s: float | None
    """the end of that call, in whichever iteration, or of the call itself if it made no request; null: unknown (s)."""
    bytes: int | None
    """that leave the rank: sent, as posted; contributed; put; written; null: unknown (bytes)."""
    bytes_received: int | None
    """that reach the rank; of a receive with a request, counted when it is completed; null: unknown (bytes)."""

class PhasesRow(NamedTuple):
    """One row per phase: initialisation, the main loop, what recurs in it, loops within it, finalisation."""

    name: str
    """the routine, or initialisation and finalisation."""
    kind: str
    """init, loop, output or final."""
    parent: int | None
    """row of the phase that it is a part of; null: the run."""
    iterations: int
    """of the main loop in which it occurs; of an inner loop, its own iterations on the median rank."""
    every: int
    """n if it occurs in every n-th iteration, else 0."""
    period_s: float | None
    """one iteration on the median rank; null: it does not repeat (s)."""
    computation_s: float
    """between calls, without file I/O, all ranks (s)."""
    mpi_s: float
    """in MPI, without file I/O, start-up and shut-down (s)."""
    wait_s: float | None
    """the part of `mpi_s` that waits for other ranks; null: unknown: no times of calls were kept (s)."""
    io_s: float
    """in file I/O, of MPI and of libc (s)."""
    startup_s: float
    """in MPI_Init and MPI_Finalize (s)."""
    bound_by: str
    """computation, communication, io, imbalanced or empty."""
    load_balance: float | None
    """mean computation of the ranks, divided by the longest; null: no rank computed in it."""
    communication: float | None
    """longest computation, divided by the time of the slowest rank; null: no rank computed in it."""

class WaitsRow(NamedTuple):
    """One row per kind of wait, call site and rank, longest first."""

    kind: str
    """late_sender, late_receiver, wait_at_barrier, wait_at_n_to_n, early_reduce, late_broadcast, wait_at_fence,
    late_post or late_complete."""
    process: int
    """row in `ranks()` of the rank that waited."""
    world: int | None
    """number of its MPI_COMM_WORLD; null: unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    function: str
    """the MPI function that waited."""
    routine: str
    """the routine that called it."""
    wait_s: float
    """in the whole run (s)."""
    error_s: float
    """half the width of its 95 % interval; 0 if exact (s)."""
    cause: str | None
    """what another rank did meanwhile: computation, io, mpi or unknown; the largest part; null: unknown."""
    cause_rank: str | None
    """the rank that did it; null: unknown."""
    cause_function: str | None
    """the call that it computed before, or was in; null: unknown."""
    cause_share: float | None
    """of the wait; null: unknown."""

class PatternsRow(NamedTuple):
    """One row per pattern, most time first. A call may be in several patterns."""

    pattern: str
    """its name, see the page on patterns."""
    routines: str
    """what its call sites' paths have in common, outermost first."""
    files: str
    """names, of patterns of I/O."""
    ranks: int
    """that take part."""
    messages: int
    """of the whole run."""
    bytes: int
    """of the whole run (bytes)."""
    messages_per_step: float | None
    """of all ranks in a step of the main loop; null: it lies outside the main loop."""
    bytes_per_step: float | None
    """of all ranks in a step of the main loop; null: it lies outside the main loop."""
    time_s: float
    """in its calls, all ranks (s)."""
    evidence: str
    """what it was recognised by, as a JSON object."""

class FindingsRow(NamedTuple):
    """One row per finding, most important first."""

    finding: str
    """its id."""
    severity: str
    """error, warning or notice."""
    text: str
    """the fact, with its numbers."""
    cost_s: float | None
    """time of all ranks that it costs; null: it is not about time (s)."""
    help: str | None
    """what helps in general; null: nothing in general."""
    section: str
    """the section of the report with more detail."""
    in_verdict: bool
    """whether the verdict begins with it."""
    evidence: str
    """its numbers, as a JSON object."""

class IoRow(NamedTuple):
    """One row per file, rank and layer of software that called."""

    file: str
    """absolute path; (other files): those that did not fit into the traces' tables."""
    process: int
    """the rank's row in `ranks()`, counted from 0."""
    world: int | None
    """number of its MPI_COMM_WORLD: 0, unless programs were spawned; null: unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    layer: str
    """program, outside, mpi-io or beneath."""
    opens: int
    """calls that open it."""
    closes: int
    """calls that close it."""
    reads: int
    """calls that read."""
    writes: int
    """calls that write."""
    others: int
    """other calls: seeks, syncs and the like."""
    bytes_read: int
    """as the calls returned (bytes)."""
    bytes_written: int
    """as the calls returned (bytes)."""
    time_s: float
    """time in these calls (s)."""
    sequential: int
    """transfers that begin where the one before through the same descriptor ended."""
    strided: int
    """transfers at the same distance as the one before."""
    random: int
    """other transfers, without each descriptor's first."""
    size_bytes: int | None
    """the file's size, the largest that was seen by any rank; null: unknown (bytes)."""
    fraction_read: float | None
    """distinct bytes that the rank read, in any layer, as a part of the size; null: unknown."""

class LossesRow(NamedTuple):
    """One row per kind of recorded data that is missing, of a rank or of the whole run."""

    code: str
    """the kind, as a word that stays the same between versions."""
    amount: int
    """how much is missing; its unit is in the message."""
    message: str
    """what is missing, where and why."""
    process: int | None
    """row in `ranks()` of the rank whose data is missing; null: the whole run."""
    world: int | None
    """number of its MPI_COMM_WORLD; null: the whole run, or unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: the whole run, or unknown."""
