"""A ring of ranks, around the example of docs/build-in/segments.md."""

import sys

import numpy as np
from mpi4py import MPI

# LIBRARY

comm = MPI.COMM_WORLD
rank_west, rank_east = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size


def cells(rank: int, number: int) -> np.ndarray:
    return np.arange(36.0).reshape(6, 3, 2) + 1e6 * rank + 1e3 * number


fields = {name: cells(comm.rank, number) for number, name in enumerate(("nitrate", "phosphate", "oxygen"))}
# EXAMPLE
wrong = 0
for number, c in enumerate(fields.values()):
    wrong += not np.array_equal(c[0], cells(rank_west, number)[-2])
    wrong += not np.array_equal(c[-1], cells(rank_east, number)[1])
sys.stdout.write(f"rank {comm.rank}: {wrong} wrong\n")  # at once: ranks print at the same time
