"""How often each rank of traffic.c, traffic.F90 and traffic.py calls each function: known by construction.

A section here is a routine of the same name there. Counts are per round unless said otherwise.
"""

from collections import Counter

# Once in a run: the functions around the rounds.
ONCE = {"Init": 1, "Comm_rank": 1, "Comm_size": 1, "Finalize": 1}

MODES = {
    "Irecv": 16,
    "Send": 10,
    "Ssend": 1,
    "Bsend": 1,
    "Rsend": 1,
    "Isend": 1,
    "Issend": 1,
    "Ibsend": 1,
    "Irsend": 1,
    "Recv": 1,
    "Wait": 14,
    "Waitall": 3,
    "Barrier": 2,
    "Sendrecv": 3,
    "Sendrecv_replace": 2,
    "Buffer_attach": 1,
    "Buffer_detach": 1,
}
NOBODY = {"Send": 4, "Recv": 4, "Sendrecv": 1, "Irecv": 1, "Isend": 1, "Waitall": 1}
PERSISTENT = {
    "Recv_init": 2,
    "Send_init": 1,
    "Ssend_init": 1,
    "Bsend_init": 1,
    "Rsend_init": 1,
    "Startall": 6,
    "Waitall": 6,
    "Start": 8,
    "Wait": 8,
    "Request_free": 6,
}
PROBES = {
    "Iprobe": 6,
    "Isend": 3,
    "Probe": 1,
    "Get_count": 2,
    "Recv": 1,
    "Wait": 2,
    "Mprobe": 2,
    "Mrecv": 2,
    "Imrecv": 1,
    "Waitall": 1,
    "Improbe": 4,
}
COMPLETIONS = {
    "Irecv": 5,
    "Test": 8,
    "Testall": 3,
    "Testany": 2,
    "Testsome": 2,
    "Request_get_status": 2,
    "Barrier": 1,
    "Send": 3,
    "Waitany": 2,
    "Waitsome": 1,
    "Isend": 1,
    "Wait": 3,
    "Cancel": 1,
    "Test_cancelled": 1,
}
WILDCARDS = {"Irecv": 3, "Send": 3, "Wait": 5, "Isend": 2, "Recv": 2, "Get_count": 1}
BLOCKING_COLLECTIVES = [
    "Gather",
    "Gatherv",
    "Scatter",
    "Scatterv",
    "Allgather",
    "Allgatherv",
    "Alltoall",
    "Alltoallv",
    "Alltoallw",
    "Reduce",
    "Reduce_scatter",
    "Reduce_scatter_block",
    "Scan",
    "Exscan",
]
COLLECTIVES = {
    **dict.fromkeys(BLOCKING_COLLECTIVES, 1),
    "Barrier": 1,
    "Bcast": 5,
    "Allreduce": 4,
    "Reduce_local": 1,
    "Op_create": 1,
    "Op_free": 1,
}
NONBLOCKING_COLLECTIVES = {
    **{f"I{name.lower()}": 1 for name in [*BLOCKING_COLLECTIVES, "Barrier", "Bcast", "Allreduce"]},
    "Wait": 17,
}
COMMUNICATORS = {
    "Comm_dup": 1,
    "Comm_idup": 1,
    "Wait": 1,
    "Comm_split": 1,
    "Comm_group": 1,
    "Group_size": 1,
    "Group_rank": 1,
    "Group_incl": 1,
    "Group_translate_ranks": 1,
    "Comm_create": 1,
    "Group_free": 2,
    "Comm_compare": 1,
    "Comm_set_name": 1,
    "Comm_get_name": 1,
    "Sendrecv": 3,
    "Comm_rank": 1,
    "Allreduce": 2,
    "Intercomm_create": 1,
    "Comm_test_inter": 1,
    "Comm_remote_size": 1,
    "Barrier": 1,
    "Intercomm_merge": 1,
    "Comm_free": 6,
}
TOPOLOGIES = {
    "Dims_create": 1,
    "Cart_create": 1,
    "Cartdim_get": 1,
    "Cart_get": 1,
    "Cart_coords": 10,
    "Cart_rank": 1,
    "Cart_shift": 1000,
    "Sendrecv": 1,
    "Topo_test": 1,
    "Cart_sub": 1,
    "Allreduce": 1,
    "Neighbor_allgather": 1,
    "Neighbor_alltoall": 1,
    "Dist_graph_create_adjacent": 1,
    "Dist_graph_neighbors_count": 1,
    "Ineighbor_alltoall": 1,
    "Wait": 1,
    "Comm_free": 3,
}
ENQUIRIES = {
    "Comm_rank": 100,
    "Comm_size": 100,
    "Wtime": 100,
    "Wtick": 1,
    "Initialized": 1,
    "Finalized": 1,
    "Query_thread": 1,
    "Is_thread_main": 1,
    "Get_version": 1,
    "Get_library_version": 1,
    "Get_processor_name": 1,
}
DATATYPES = {
    "Type_contiguous": 1,
    "Type_vector": 1,
    "Type_indexed": 1,
    "Type_create_subarray": 1,
    "Get_address": 2,
    "Type_create_struct": 1,
    "Type_create_resized": 1,
    "Type_dup": 1,
    "Type_commit": 3,
    "Type_size": 1,
    "Type_get_extent": 1,
    "Irecv": 2,
    "Send": 2,
    "Wait": 2,
    "Get_elements": 1,
    "Pack_size": 1,
    "Pack": 2,
    "Unpack": 2,
    "Type_free": 7,
}
WINDOWS = {
    "Win_create": 1,
    "Win_fence": 3,
    "Put": 3,
    "Get": 1,
    "Accumulate": 1,
    "Win_lock": 1,
    "Win_flush": 1,
    "Win_unlock": 1,
    "Win_lock_all": 1,
    "Fetch_and_op": 1,
    "Win_flush_all": 1,
    "Rput": 1,
    "Wait": 1,
    "Win_unlock_all": 1,
    "Barrier": 1,
    "Win_get_group": 1,
    "Group_incl": 2,
    "Win_post": 1,
    "Win_start": 1,
    "Win_complete": 1,
    "Win_wait": 1,
    "Group_free": 3,
    "Win_free": 1,
}
FILES = {
    "File_open": 1,
    "File_set_view": 1,
    "File_write_at": 3,
    "File_write_at_all": 1,
    "File_iwrite_at": 1,
    "Wait": 1,
    "File_sync": 1,
    "Barrier": 2,
    "File_read_at": 1,
    "File_read_at_all": 1,
    "File_seek": 1,
    "File_read": 1,
    "File_get_size": 1,
    "File_close": 1,
}
ATTRIBUTES = {
    "Comm_get_attr": 3,
    "Comm_dup": 1,
    "Comm_create_keyval": 1,
    "Comm_set_attr": 1,
    "Comm_delete_attr": 1,
    "Comm_free_keyval": 1,
    "Comm_get_errhandler": 1,
    "Comm_set_errhandler": 1,
    "Errhandler_free": 1,
    "Comm_free": 1,
    "Info_create": 1,
    "Info_set": 2,
    "Info_get_nkeys": 1,
    "Info_get_nthkey": 1,
    "Info_delete": 1,
    "Info_free": 1,
    "Pcontrol": 1,
}
ERRORS = {"Comm_dup": 1, "Comm_set_errhandler": 1, "Send": 1, "Error_class": 1, "Error_string": 1, "Comm_free": 1}

SECTIONS = (
    MODES,
    NOBODY,
    PERSISTENT,
    PROBES,
    COMPLETIONS,
    WILDCARDS,
    COLLECTIVES,
    NONBLOCKING_COLLECTIVES,
    COMMUNICATORS,
    TOPOLOGIES,
    ENQUIRIES,
    DATATYPES,
    WINDOWS,
    FILES,
    ATTRIBUTES,
    ERRORS,
)


def calls_in_rounds(rank: int, rounds: int = 1) -> dict[str, int]:
    """Calls per function ("MPI_Send") of one rank in that many rounds, without what happens once."""
    total: Counter[str] = Counter()
    for section in SECTIONS:
        total.update(section)
    # Ranks differ: each sends to itself as often as its number says, and rank 0 deletes the file.
    total["Sendrecv"] += rank
    if rank == 0:
        total["File_delete"] += 1
    return {f"MPI_{name}": calls * rounds for name, calls in total.items()}


def calls(rank: int, rounds: int = 1) -> dict[str, int]:
    """Calls per function ("MPI_Send") of one rank in the whole run."""
    total = Counter(calls_in_rounds(rank, rounds))
    total.update({f"MPI_{name}": times for name, times in ONCE.items()})
    return dict(total)
