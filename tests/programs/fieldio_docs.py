"""Strips of a field in start.nc, around the example of docs/build-in/fieldio.md."""

import sys

import numpy as np
from mpi4py import MPI

from leadline.fieldio import FieldFile

NX, NZ, NY = 7, 3, 4
comm = MPI.COMM_WORLD
whole = np.arange(NX * NZ * NY, dtype=np.float64).reshape(NX, NZ, NY)
x_first = NX * comm.rank // comm.size
nx = NX * (comm.rank + 1) // comm.size - x_first
if comm.rank == 0:
    with FieldFile(MPI.COMM_SELF, "start.nc", "w", way="gathered") as made:
        sizes = [made.dimension(name, length) for name, length in (("x", NX), ("level", NZ), ("y", NY))]
        number = made.define("temperature", "float64", sizes)
        made.end_definitions()
        made.put(number, (0, 0, 0), whole)
comm.barrier()
# EXAMPLE
expected = np.pad(whole, ((1, 1), (0, 0), (0, 0)))[x_first : x_first + nx + 2]
sys.stdout.write(f"rank {comm.rank}: {np.count_nonzero(temperature != expected)} wrong\n")  # noqa: F821
