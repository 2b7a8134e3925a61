"""The programs of the suite: what each does wrong, and what Leadline should say first and propose first.

A case is a routine of the same name in the program's source, with one loop over `steps`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """fault: "": it is healthy.   found: first findings that name the fault: a pattern's name, or a rule's.
    proposed: first kinds of proposals that mend it; empty: no change that can be predicted does.   from_ranks: the
    fewest ranks with which there is a fault, or with which a record can show it.   trips: False: the loop has no fixed
    number of iterations on each rank.   calls_every: in the mended form, one step in so many makes a call; the others
    do not count as iterations.   silent: no step makes a call, so there is no loop."""

    name: str
    program: str
    steps: int
    fault: str = ""
    found: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    from_ranks: int = 2
    trips: bool = True
    calls_every: int = 1
    silent: bool = False

    def steps_on(self, ranks: int) -> int:
        """Fewer where ranks are likely to share cores."""
        return self.steps if ranks <= 2 else max(self.steps // 5, 20)

    def trips_on(self, ranks: int, *, mended: bool) -> int:
        return self.steps_on(ranks) // (self.calls_every if mended else 1)

    @property
    def healthy(self) -> bool:
        return not self.fault


UNEVEN = (("imbalance",), ("balance",))
PACKED = (("packable_messages",), ("pack",))
SUMS = (("consecutive_reductions",), ("merge-reductions",))
MADE = (("repeated_creation",), ("create-once",))
BARRIER = ("remove-barrier",)
OVERTAKE = ("nonblocking", "overlap")
COLLECTIVE = ("collective",)
TO_ALL, TO_ONE = ("one_to_all", "handmade_broadcast"), ("all_to_one",)
ALL_TO_ALL = ("handmade_alltoall", "all_with_all")

FAULTS = (
    Case("slow_rank", "balance", 100, "the last rank computes 1.6 times as long", *UNEVEN),
    Case("idle_rank", "balance", 100, "rank 0 computes nothing", *UNEVEN),
    Case("triangle", "balance", 100, "each rank has more to do than the one before", *UNEVEN),
    Case("wandering_load", "balance", 100, "another rank has more in each step", *UNEVEN),
    Case("drifting_load", "balance", 100, "what takes long moves over the ranks", *UNEVEN),
    Case("serial_part", "balance", 150, "one rank alone computes in every tenth step", *UNEVEN),
    Case("slow_in_parts", "balance", 100, "another rank is slow in each part of a step", ("waiting",), ("balance",)),
    Case("many_small", "exchanges", 500, "60 rows, each a message", *PACKED),
    Case("number_by_number", "exchanges", 600, "64 numbers, each a message", *PACKED),
    Case("fields_in_a_loop", "exchanges", 400, "24 fields in a loop", *PACKED),
    Case("fields_in_a_row", "exchanges", 800, "eight fields", ("consecutive_exchanges",), ("merge-exchanges",)),
    Case("no_overlap", "exchanges", 150, "faces are waited for too early", ("no_overlap",), ("overlap",)),
    Case("send_chain", "order", 400, "large sends before receives", ("serialised_order",), OVERTAKE, 3),
    Case("receive_chain", "order", 250, "receives before it computes", ("serialised_order", "waiting"), OVERTAKE),
    Case("synchronous_sends", "order", 200, "MPI_Ssend", ("synchronous-sends",), ("relax-sends",)),
    Case("late_receive", "order", 100, "receive posted late", ("unexpected_large", "waiting"), OVERTAKE),
    Case("late_sender", "order", 200, "rank 0 writes before it sends", ("write_by_one", "waiting"), ("less-output",)),
    Case("polling", "order", 500, "1,000 probes in vain", ("polling",), ("poll-once",)),
    Case("tiny_tasks", "order", 50000, "tasks shorter than messages", ("small-tasks",), trips=False),
    Case("barrier_each_step", "collectives", 3000, "a barrier", ("redundant_barrier",), BARRIER),
    Case("barrier_before_sum", "collectives", 2500, "a barrier", ("redundant_barrier",), BARRIER),
    Case("sums_in_a_row", "collectives", 3000, "six sums", *SUMS),
    Case("sums_in_a_loop", "collectives", 600, "40 sums in a loop", *SUMS),
    Case("broadcasts_in_a_row", "collectives", 3000, "six broadcasts", ("consecutive_broadcasts",), SUMS[1]),
    Case("checked_too_often", "collectives", 20000, "a sum in each iteration", ("allreduce_bound",), calls_every=10),
    Case("own_broadcast", "collectives", 500, "by sends", TO_ALL, COLLECTIVE, 3),
    Case("own_gather", "collectives", 500, "by sends", TO_ONE, COLLECTIVE, 3),
    Case("own_scatter", "collectives", 500, "by sends", TO_ALL, COLLECTIVE, 3),
    Case("own_allreduce", "collectives", 1000, "by rank 0", (*TO_ALL, *TO_ONE), COLLECTIVE, 3),
    Case("own_alltoall", "collectives", 300, "by sends", ALL_TO_ALL, COLLECTIVE, 4),
    Case("own_allgather", "collectives", 300, "by sends", ALL_TO_ALL, COLLECTIVE, 4),
    Case("idle_in_exchange", "collectives", 1000, "ranks without data", ("waiting",), ("smaller-communicator",), 3),
    Case("few_partners", "collectives", 500, "an MPI_Alltoallv for neighbours", (), ("sparse-exchange",), 4),
    Case("gather_of_everything", "collectives", 300, "all data on one rank", ("costliest-site",)),
    Case("communicator_each_step", "objects", 1000, "MPI_Comm_dup", *MADE),
    Case("split_each_step", "objects", 1000, "MPI_Comm_split", *MADE),
    Case("window_each_step", "objects", 300, "MPI_Win_create", *MADE),
    Case("datatype_each_step", "objects", 200, "8,000 blocks committed", *MADE),
    Case("read_by_all", "files", 600, "each rank reads all", ("read_all_by_all",), ("read-once",)),
    Case(
        "root_reads",
        "files",
        500,
        "rank 0 reads and sends",
        ("one_to_all", "read_by_one", "file-time", "waiting"),
        ("parallel-io",),
    ),
    Case("serial_output", "files", 400, "rank 0 writes", ("write_by_one",), ("parallel-io",)),
    Case("small_writes", "files", 150, "8 bytes each", ("small_io",), ("larger-io",)),
    Case("opened_each_step", "files", 200, "opened for each line", ("small_io",), ("larger-io",)),
    Case("file_per_step", "files", 500, "a file per rank and step", ("file_per_rank",), ("larger-io",)),
    Case("reopened_input", "files", 400, "opened in each step", ("reopened_files",), ("keep-open",)),
    Case("flushed_lines", "files", 20, "fsync after each line", ("file-time", "waiting")),
    Case("independent_pieces", "files", 200, "64 pieces through MPI-IO", ("small_io",), ("larger-io",)),
)

HEALTHY = (
    Case("healthy_sum", "balance", 100),
    Case("healthy_alone", "balance", 100, silent=True),
    Case("healthy_halo", "exchanges", 100),
    Case("healthy_ring", "exchanges", 100),
    Case("healthy_textbook", "exchanges", 100),
    Case("healthy_red_black", "exchanges", 100),
    Case("healthy_levels", "exchanges", 100),
    Case("healthy_persistent", "exchanges", 100),
    Case("healthy_systolic", "exchanges", 100),
    Case("healthy_puts", "exchanges", 100),
    Case("healthy_tasks", "order", 100, trips=False),
    Case("healthy_sweep", "order", 40),
    Case("healthy_even_odd", "order", 100),
    Case("healthy_transpose", "collectives", 100),
    Case("healthy_gradients", "collectives", 100),
    Case("healthy_hidden_sum", "collectives", 100),
    Case("healthy_panels", "collectives", 100),
    Case("healthy_output", "files", 100),
    Case("healthy_input", "files", 100),
    Case("healthy_snapshots", "files", 100),
    Case("healthy_redistribution", "collectives", 100),
    Case("healthy_meeting", "exchanges", 100),
)

CASES = (*FAULTS, *HEALTHY)
