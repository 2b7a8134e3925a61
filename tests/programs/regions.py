"""The regions of regions.c, with mpi4py; `halo` as a decorator."""

import sys

from mpi4py import MPI

import leadline

steps = int(sys.argv[1])
comm = MPI.COMM_WORLD
partner = 1 - comm.rank


def swap(n_bytes: int) -> None:
    comm.Sendrecv(bytearray(n_bytes), partner, 1, bytearray(n_bytes), partner, 1)


@leadline.region("halo")
def halo() -> None:
    swap(100)
    swap(100)


with leadline.region("setup"):
    comm.Barrier()
for _ in range(steps):
    with leadline.region("step"):
        halo()
        with leadline.region("physics"):
            swap(50)
halo()
sys.stdout.write(f"rank {comm.rank} done\n")  # in one piece, which print does not promise
