"""The cases, in the order of the table, and what is wanted of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One loop of benchmarks/programs. `added_ns`, `ratio`: the most that is wanted per call; None: not limited."""

    name: str
    what: str
    added_ns: float | None = None
    ratio: float | None = None
    main: bool = False  # measured with every library, the others with the first one only


CASES = (
    Case("proc-null", "sends to MPI_PROC_NULL", added_ns=40, main=True),
    Case("ping-pong", "ping-pong of 8 bytes", added_ns=40, main=True),
    Case("step-1kB", "step of 409 calls, messages of 1 kB", added_ns=40, main=True),
    Case("step-72kB", "step of 409 calls, messages of 72 kB", ratio=1.03, main=True),
    Case("distinct-409", "409 distinct calls from one call site", added_ns=40),
    Case("distinct-10000", "10,000 distinct calls from one call site", added_ns=40, main=True),
    Case("sites-100", "100 call sites", added_ns=40),
    Case("sites-1000", "1000 call sites", added_ns=40),
    Case("sites-10000", "10,000 call sites", added_ns=40),
    Case("one-path", "one routine, one path to it", added_ns=40),
    Case("call-paths", "one routine from 8 callers, 6 frames deep", added_ns=40),
    Case("frames-10", "sends 10 frames deep", added_ns=40),
    Case("frames-50", "sends 50 frames deep", added_ns=60),  # half a nanosecond for each further frame
    Case("random-tags", "random 24-bit tags", added_ns=100, main=True),
    Case("random-waits", "16 requests, waited for in random order", added_ns=100),
    Case("random-calls", "8 calls, drawn at random", added_ns=100, main=True),
    Case("random-trips", "loop with a random trip count", added_ns=100),
    Case("comm-rank", "MPI_Comm_rank", added_ns=25),
    Case("cart-shift", "MPI_Cart_shift", added_ns=25),
    Case("wtime", "MPI_Wtime", added_ns=25),
    Case("dup-self", "MPI_Comm_dup of MPI_COMM_SELF, and MPI_Comm_free", added_ns=2000, main=True),
    Case("pwrite", "pwrite of 8 bytes"),
    Case("pread", "pread of 8 bytes"),
    Case("fwrite", "fwrite of 8 bytes"),
    Case("fread", "fread of 8 bytes"),
    Case("fgets", "fgets of 16 bytes"),
    Case("fprintf", "fprintf of 16 bytes"),
    Case("fputc", "fputc"),
    Case("open-close", "open and close"),
)
# Under the shim as `leadline apply` preloads it, with a table of one rule that fits the last. That may take the least
# that a tuning asks of a rule (tuning/choosing.py).
SHIM_CASES = (
    Case("empty-bcast", "broadcast of nothing, left alone", added_ns=50),
    Case("empty-allreduce", "allreduce of nothing, left alone", added_ns=50),
    Case("bcast-16", "broadcast of 16 bytes, left alone", added_ns=50),
    Case("bcast-8", "broadcast of 8 bytes, served by the library's own", added_ns=250),
)
BY_NAME = {case.name: case for case in CASES}

MEMORY_CASES = ("proc-null", "step-1kB", "sites-10000", "random-tags")
MEMORY_WANTED_KB = 32 * 1024

SIZE_CASE = "step-1kB"
SIZE_STEPS = (5000, 50000)
SIZE_WANTED_BYTES = 60_000
SIZE_WANTED_RATIO = 1.3
