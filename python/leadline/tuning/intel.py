"""Intel MPI's settings: I_MPI_ADJUST_<OPERATION>, algorithms by number with the sizes they are for.

Found by watching which of its routines run: 0 is not "default" but one of the algorithms; a size in none of the ranges
takes the last algorithm that is listed, not the default; and 2021.18 does not obey conditions on the process number
(@). So what is written here is for the job's number of processes, and every size is in a range.
"""

from __future__ import annotations

from leadline.tuning.native import MOST_BYTES, NotSet, Own, Settings, only_one, unable
from leadline.tuning.table import Table

VARIABLE = "I_MPI_ADJUST_{}"

ALGORITHMS: dict[str, dict[str, Own]] = {
    "bcast": {
        "binomial": Own("1", "MPIR_Bcast_intra_binomial"),
        "scatter_recursive_doubling": Own("2", "MPIR_Bcast_intra_scatter_recursive_doubling_allgather"),
        "scatter_ring": Own("3", "MPIR_Bcast_intra_scatter_ring_allgather"),
        "knomial": Own("8", "MPIR_Bcast_intra_knomial"),
    },
    "reduce": {
        "binomial": Own("2", "MPIR_Reduce_intra_binomial"),
        "rabenseifner": Own("5", "MPIR_Reduce_intra_redscat_gather"),
    },
    "allreduce": {
        "recursive_doubling": Own("1", "MPIR_Allreduce_intra_recursive_doubling"),
        "rabenseifner": Own("2", "MPIR_Allreduce_intra_rabenseifner"),
        "ring": Own("8", "MPIR_Allreduce_intra_nb_ring"),
    },
}


def settings(table: Table, processes: int, *, fill: bool = False) -> Settings:
    """For a job of so many processes. fill: as in native.only_one."""
    out = Settings()
    for operation, known in ALGORITHMS.items():
        line, not_set = only_one(table, operation, processes, fill)
        out.not_set += not_set
        reasons = {rule: unable(rule, known, "Intel MPI") for _, _, rule in line}
        failed = next((why for why in reasons.values() if why), "")
        if failed:  # a part of the sizes can't be left alone
            out.not_set += [
                NotSet.whole(rule, why or f"of the same setting: {failed}") for rule, why in reasons.items()
            ]
            continue
        if line:
            out.variables[VARIABLE.format(operation.upper())] = ";".join(
                f"{known[rule.algorithm].setting}:{first}-{MOST_BYTES if last is None else last}"
                for first, last, rule in line
            )
            out.set += list(reasons)
    return out
