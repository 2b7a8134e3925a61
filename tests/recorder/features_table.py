"""The calls of tests/programs/features.c, sessions.c and large.c on two ranks: both ranks together, by construction.

Function: calls, messages, bytes (for a receive those that came), bytes received. Local functions are left out.
"""

INT, DOUBLE, LONG = 4, 8, 8

FEATURES: dict[str, tuple[int, int, int, int]] = {
    "MPI_Init": (2, 0, 0, 0),
    "MPI_Finalize": (2, 0, 0, 0),
    # 10 ints, 64 bytes of a vector type, 7 ints between two groups
    "MPI_Sendrecv": (6, 6, 2 * (10 * INT + 64 + 7 * INT), 2 * (10 * INT + 64 + 7 * INT)),
    # 20 ints; one int to nobody
    "MPI_Send": (4, 2, 2 * 20 * INT, 0),
    "MPI_Isend": (6, 6, 2 * (30 + 40 + 50) * INT, 0),
    # 20 and 30 ints came; the third was cancelled
    "MPI_Irecv": (6, 0, 2 * (20 + 30) * INT, 2 * (20 + 30) * INT),
    "MPI_Recv": (2, 0, 2 * 40 * INT, 2 * 40 * INT),
    "MPI_Mprobe": (2, 0, 0, 0),
    "MPI_Mrecv": (2, 0, 2 * 50 * INT, 2 * 50 * INT),
    "MPI_Cancel": (2, 0, 0, 0),
    "MPI_Wait": (12, 0, 0, 0),
    "MPI_Waitall": (10, 0, 0, 0),
    "MPI_Send_init": (2, 0, 0, 0),
    "MPI_Recv_init": (2, 0, 2 * 4 * 6 * DOUBLE, 2 * 4 * 6 * DOUBLE),
    "MPI_Startall": (6, 6, 6 * 6 * DOUBLE, 0),
    "MPI_Start": (4, 2, 2 * 6 * DOUBLE, 0),
    "MPI_Request_free": (4, 0, 0, 0),
    "MPI_Win_create": (4, 0, 0, 0),
    "MPI_Win_allocate": (2, 0, 0, 0),
    "MPI_Win_free": (6, 0, 0, 0),
    "MPI_Win_fence": (10, 0, 0, 0),
    "MPI_Put": (6, 0, 2 * (10 + 3 + 4) * DOUBLE, 0),
    "MPI_Accumulate": (2, 0, 2 * 5 * DOUBLE, 0),
    "MPI_Get": (2, 0, 0, 2 * 20 * DOUBLE),
    "MPI_Rput": (2, 0, 2 * 6 * DOUBLE, 0),
    "MPI_Fetch_and_op": (2, 0, 2 * DOUBLE, 2 * DOUBLE),
    "MPI_Compare_and_swap": (2, 0, 2 * LONG, 2 * LONG),
    "MPI_Win_lock": (2, 0, 0, 0),
    "MPI_Win_unlock": (2, 0, 0, 0),
    "MPI_Win_lock_all": (2, 0, 0, 0),
    "MPI_Win_unlock_all": (2, 0, 0, 0),
    "MPI_Win_flush": (2, 0, 0, 0),
    "MPI_Win_post": (2, 0, 0, 0),
    "MPI_Win_start": (2, 0, 0, 0),
    "MPI_Win_complete": (2, 0, 0, 0),
    "MPI_Win_wait": (2, 0, 0, 0),
    "MPI_Comm_split": (2, 0, 0, 0),
    "MPI_Intercomm_create": (2, 0, 0, 0),
    "MPI_Intercomm_merge": (2, 0, 0, 0),
    # Between two groups: from rank 0 to rank 1 both times.
    "MPI_Bcast": (2, 0, 8 * INT, 8 * INT),
    "MPI_Reduce": (2, 0, 2 * DOUBLE, 2 * DOUBLE),
    "MPI_Allreduce": (4, 0, 2 * (4 + 9) * DOUBLE, 2 * (4 + 9) * DOUBLE),
    "MPI_Gather": (2, 0, 2 * 2 * INT, 2 * 2 * INT),
    "MPI_Dist_graph_create_adjacent": (2, 0, 0, 0),
    "MPI_Neighbor_allgather": (2, 0, 2 * 3 * INT, 2 * 3 * INT),
    "MPI_Neighbor_alltoallv": (2, 0, 2 * 5 * INT, 2 * 5 * INT),
    "MPI_Comm_split_type": (2, 0, 0, 0),
    "MPI_Comm_idup": (2, 0, 0, 0),
    "MPI_Comm_create_group": (2, 0, 0, 0),
    "MPI_Barrier": (4, 0, 0, 0),
    "MPI_Comm_free": (14, 0, 0, 0),
}

SESSIONS: dict[str, tuple[int, int, int, int]] = {
    "MPI_Session_init": (2, 0, 0, 0),
    "MPI_Comm_create_from_group": (2, 0, 0, 0),
    "MPI_Sendrecv": (10, 10, 10 * 6 * INT, 10 * 6 * INT),
    "MPI_Allreduce": (2, 0, 2 * INT, 2 * INT),
    "MPI_Comm_disconnect": (2, 0, 0, 0),
    "MPI_Session_finalize": (2, 0, 0, 0),
}

MANY = 2**31 + 8
LARGE: dict[str, tuple[int, int, int, int]] = {
    "MPI_Init": (2, 0, 0, 0),
    "MPI_Send": (2, 0, 0, 0),
    "MPI_Sendrecv": (2, 2, 0, 0),
    "MPI_Bcast": (2, 0, 2 * MANY, 0),
    "MPI_Finalize": (2, 0, 0, 0),
}
