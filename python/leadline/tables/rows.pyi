"""The rows of the tables. Made from python/leadline/tables by ./dev lint --fix: do not edit."""

from typing import NamedTuple

class CallsRow(NamedTuple):
    """One row per call site and rank."""

    site: int
    """the call site's row in `sites()`, from 0."""
    process: int
    """the rank's row in `ranks()`, from 0."""
    world: int | None
    """number of its MPI_COMM_WORLD (0 unless spawned); null: unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    function: str
    """MPI function."""
    calls: int
    """calls."""
    messages: int
    """messages sent (MPI_PROC_NULL excluded; collectives not counted)."""
    bytes: int
    """bytes sent, contributed, put or written; for receives, the posted size if no status was read (bytes)."""
    bytes_received: int
    """bytes from receives, collectives, gets and reads (bytes)."""
    one_sided_operations: int
    """puts, gets and accumulates (MPI_PROC_NULL targets excluded)."""
    bytes_put: int
    """bytes put by one-sided operations; also in `bytes` (bytes)."""
    bytes_got: int
    """bytes got by one-sided operations; also in `bytes_received` (bytes)."""
    time_s: float
    """time in these calls (s)."""
    min_s: float | None
    """shortest call; null: unknown: local calls are timed only in total (s)."""
    max_s: float | None
    """longest call; null: unknown: local calls are timed only in total (s)."""

class SitesRow(NamedTuple):
    """One row per MPI call site: function and call path."""

    site: int
    """row number, from 0; `site` in `calls()` refers to it."""
    function: str
    """MPI function."""
    call_class: str
    """Leadline's category of the function, e.g. isend or coll."""
    local: bool
    """the function is local."""
    routine: str
    """calling routine; ? if unknown."""
    file: str | None
    """source file of the call; null: unknown: no debug information for this call."""
    line: int | None
    """line of the call; null: unknown: no debug information for this call."""
    line_exact: bool
    """false: the nearest line, because the compiler gave none to the call."""
    path: str
    """call path, outermost first: main (a.c:5) > exchange (halo.c:40)."""
    path_whole: bool
    """false: the outer part of the path is unknown."""
    ranks: int
    """number of ranks that called it."""
    calls: int
    """calls."""
    messages: int
    """messages sent (MPI_PROC_NULL excluded; collectives not counted)."""
    bytes: int
    """bytes sent, contributed, put or written; for receives, the posted size if no status was read (bytes)."""
    bytes_received: int
    """bytes from receives, collectives, gets and reads (bytes)."""
    one_sided_operations: int
    """puts, gets and accumulates (MPI_PROC_NULL targets excluded)."""
    bytes_put: int
    """bytes put by one-sided operations; also in `bytes` (bytes)."""
    bytes_got: int
    """bytes got by one-sided operations; also in `bytes_received` (bytes)."""
    time_s: float
    """time in these calls, summed over ranks (s)."""
    min_s: float | None
    """shortest call; null: unknown: local calls are timed only in total (s)."""
    max_s: float | None
    """longest call; null: unknown: local calls are timed only in total (s)."""

class MatrixRow(NamedTuple):
    """One row per pair of ranks that exchanged messages or one-sided operations."""

    process: int
    """the source's row in `ranks()`, counted from 0."""
    world: int | None
    """number of its MPI_COMM_WORLD (0 unless spawned); null: unknown."""
    source: int | None
    """source or origin rank in its MPI_COMM_WORLD; null: unknown."""
    target: int | None
    """destination or target rank in the same MPI_COMM_WORLD; null: unknown."""
    messages: int
    """messages from source to target."""
    bytes: int
    """bytes of these messages (bytes)."""
    one_sided_operations: int
    """puts, gets and accumulates from source to target."""
    bytes_put: int
    """bytes of these operations, source to target (bytes)."""
    bytes_got: int
    """bytes of these operations, target to source (bytes)."""

class RanksRow(NamedTuple):
    """One row per recorded rank."""

    process: int
    """the rank's row in `ranks()`, from 0."""
    world: int | None
    """number of its MPI_COMM_WORLD (0 unless spawned); null: unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    host: str
    """host name."""
    pid: int
    """process id."""
    threads: int
    """threads that called MPI."""
    duration_s: float
    """from MPI_Init to MPI_Finalize (s)."""
    time_s: float
    """thread time without pauses: computation, MPI, file I/O and overhead (s)."""
    computation_s: float
    """part of `time_s` outside MPI, file I/O and overhead (s)."""
    mpi_s: float
    """part of `time_s` in MPI: sum of the categories below (s)."""
    io_s: float
    """part of `time_s` in libc's file calls (s)."""
    own_between_s: float
    """part of `time_s` that is Leadline's overhead, between calls (s)."""
    startup_s: float
    """in MPI_Init, MPI_Finalize and related calls (s)."""
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
    """in calls that create or free communicators, datatypes and groups (s)."""
    local_s: float
    """in local functions (s)."""
    calls: int
    """MPI calls."""
    messages: int
    """messages sent (MPI_PROC_NULL excluded)."""
    bytes: int
    """bytes sent, put, or written by MPI_File_* (bytes)."""
    bytes_received: int
    """bytes received, got, or read by MPI_File_* (bytes)."""
    collective_bytes: int
    """bytes contributed to collectives (bytes)."""
    collective_bytes_received: int
    """bytes received from collectives (bytes)."""
    one_sided_operations: int
    """puts, gets and accumulates (MPI_PROC_NULL targets excluded)."""
    bytes_put: int
    """bytes put (bytes)."""
    bytes_got: int
    """bytes got (bytes)."""
    own_s: float
    """Leadline's measured overhead on this rank (s)."""
    trace_bytes: int
    """bytes of its trace file (bytes)."""
    finalized: bool
    """MPI_Finalize was called."""
    complete: bool
    """the trace was closed."""

class IterationsRow(NamedTuple):
    """One row per iteration of the main loop, or per block of iterations if there are more than 512."""

    first: int
    """first iteration of the row, counted from 0."""
    last: int
    """last iteration of the row."""
    mean_s: float
    """mean over iterations and ranks (s)."""
    min_s: float
    """shortest iteration on any rank (s)."""
    max_s: float
    """longest iteration on any rank (s)."""
    max_process: int
    """row in `ranks()` of the rank of the longest iteration."""
    max_world: int | None
    """number of its MPI_COMM_WORLD; null: unknown."""
    max_rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    max_iteration: int
    """number of the longest iteration."""

class TimelineRow(NamedTuple):
    """One row per call of an iteration of the main loop."""

    process: int
    """the rank's row in `ranks()`, from 0."""
    world: int | None
    """number of its MPI_COMM_WORLD (0 unless spawned); null: unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    iteration: int
    """the iteration, from 0."""
    site: int | None
    """the call site's row in `sites()`, from 0; null: a file call of libc, or unknown."""
    function: str
    """MPI function, or libc's."""
    role: str
    """direction: `send`, `receive`, `both`, `collective`, `other`."""
    begin_s: float
    """start time, from the first rank's start (s)."""
    end_s: float
    """end time (s)."""
    gap_s: float
    """gap since the rank's previous call: computation, unless `polled` (s)."""
    polled: bool
    """whether failed polls occurred in the gap."""
    waited_s: float | None
    """time from the start in which the call waited for another rank; null: unknown (s)."""
    wait: str
    """kind of wait, as in `waits()`; `none`, `unknown`."""
    waited_process: int | None
    """row in `ranks()` of the rank waited for; null: did not wait, or unknown."""
    partner_process: int | None
    """the partner's row in `ranks()`; null: no message in this call, or partner unknown."""
    partner_rank: int | None
    """the partner's rank in its MPI_COMM_WORLD; null: no message in this call, or unknown."""
    partner_row: int | None
    """row of this table: matching call at the partner; for collectives, the next rank's call; if `role` is `both`, the
    receive that matches its send; null: none in this iteration."""
    source_row: int | None
    """row of this table: matching send; null: none in this iteration."""
    completion_row: int | None
    """row of this table: call that completes its requests, if it is a single one; null: none in this iteration."""
    completed_s: float | None
    """end of the completing call (in any iteration), or of the call itself if it is blocking; null: unknown (s)."""
    bytes: int | None
    """bytes leaving the rank: sent (as posted), contributed, put or written; null: unknown (bytes)."""
    bytes_received: int | None
    """bytes reaching the rank; for nonblocking receives, counted at completion; null: unknown (bytes)."""

class PhasesRow(NamedTuple):
    """One row per phase: initialisation, the main loop, its recurring parts and inner loops, finalisation."""

    name: str
    """routine, or initialisation or finalisation."""
    kind: str
    """init, loop, output or final."""
    parent: int | None
    """row of the parent phase; null: the run."""
    iterations: int
    """main-loop iterations that contain it; for an inner loop, its own iterations (median rank)."""
    every: int
    """n: in every n-th iteration; 0: otherwise."""
    period_s: float | None
    """one iteration on the median rank; null: does not repeat (s)."""
    computation_s: float
    """computation, summed over ranks (s)."""
    mpi_s: float
    """MPI without MPI-IO, MPI_Init and MPI_Finalize (s)."""
    wait_s: float | None
    """part of `mpi_s` spent waiting for other ranks; null: waiting is unknown (the report says why) (s)."""
    io_s: float
    """file I/O (MPI_File_* and libc) (s)."""
    startup_s: float
    """in MPI_Init and MPI_Finalize (s)."""
    bound_by: str
    """computation, communication, io, imbalanced or empty."""
    load_balance: float | None
    """mean / max computation over ranks; null: no computation in the phase."""
    communication: float | None
    """max computation / time of the slowest rank; null: no computation in the phase."""

class WaitsRow(NamedTuple):
    """One row per kind of wait, call site and rank, longest first."""

    kind: str
    """late_sender, late_receiver, wait_at_barrier, wait_at_n_to_n, early_reduce, late_broadcast, wait_at_fence,
    late_post or late_complete."""
    process: int
    """row in `ranks()` of the waiting rank."""
    world: int | None
    """number of its MPI_COMM_WORLD; null: unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    function: str
    """waiting MPI function."""
    routine: str
    """calling routine."""
    wait_s: float
    """waiting time in the whole run (s)."""
    error_s: float
    """half the width of the 95 % CI; 0 if exact (s)."""
    cause: str | None
    """main cause, what the late rank was doing: computation, io, mpi or unknown; null: unknown."""
    cause_rank: str | None
    """late rank; null: unknown."""
    cause_function: str | None
    """call of the late rank: the one it was in, or the next after its computation; null: unknown."""
    cause_share: float | None
    """share of the wait; null: unknown."""

class PatternsRow(NamedTuple):
    """One row per pattern, most time first. A call may be in several patterns."""

    pattern: str
    """pattern name (see the page on patterns)."""
    routines: str
    """common call path, outermost first."""
    files: str
    """file names (I/O patterns)."""
    ranks: int
    """participating ranks."""
    messages: int
    """messages in the whole run."""
    bytes: int
    """bytes in the whole run (bytes)."""
    messages_per_step: float | None
    """messages per iteration of the main loop, summed over ranks; null: outside the main loop."""
    bytes_per_step: float | None
    """bytes per iteration of the main loop, summed over ranks; null: outside the main loop."""
    time_s: float
    """time in its calls, summed over ranks (s)."""
    evidence: str
    """evidence, as a JSON object."""

class FindingsRow(NamedTuple):
    """One row per finding, most important first."""

    finding: str
    """rule id."""
    severity: str
    """error, warning or notice."""
    text: str
    """the finding, with its numbers."""
    cost_s: float | None
    """cost, summed over ranks; null: the finding has no cost in time (s)."""
    help: str | None
    """general advice; null: no general advice."""
    section: str
    """report section with details."""
    in_verdict: bool
    """whether it leads the verdict."""
    evidence: str
    """evidence, as a JSON object."""

class IoRow(NamedTuple):
    """One row per file, rank and software layer."""

    file: str
    """absolute path; (other files): beyond the table's capacity."""
    process: int
    """the rank's row in `ranks()`, from 0."""
    world: int | None
    """number of its MPI_COMM_WORLD (0 unless spawned); null: unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: unknown."""
    layer: str
    """layer: program, outside, mpi-io or beneath."""
    opens: int
    """open calls."""
    closes: int
    """close calls."""
    reads: int
    """read calls."""
    writes: int
    """write calls."""
    others: int
    """other calls (seek, sync, …)."""
    bytes_read: int
    """bytes read, from return values (bytes)."""
    bytes_written: int
    """bytes written, from return values (bytes)."""
    time_s: float
    """time in these calls (s)."""
    sequential: int
    """sequential transfers: start where the previous one on this descriptor ended."""
    strided: int
    """strided transfers: at the same distance as the previous one."""
    random: int
    """other transfers (the first per descriptor is not counted)."""
    size_bytes: int | None
    """largest file size seen by any rank; null: unknown (bytes)."""
    fraction_read: float | None
    """distinct bytes read by the rank in any layer / file size; null: unknown."""

class LossesRow(NamedTuple):
    """One row per kind of missing data, per rank or for the whole run."""

    code: str
    """kind (stable identifier)."""
    amount: int
    """amount; its unit is in the message."""
    message: str
    """what is missing, where and why."""
    process: int | None
    """row in `ranks()` of the rank whose data is missing; null: the whole run."""
    world: int | None
    """number of its MPI_COMM_WORLD; null: the whole run, or unknown."""
    rank: int | None
    """its rank in that MPI_COMM_WORLD; null: the whole run, or unknown."""
