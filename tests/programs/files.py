"""Python's own file I/O, and MPI-IO of mpi4py, with bytes known by construction.   files.py DIRECTORY"""

import os
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
directory = sys.argv[1]


def write_and_read() -> None:
    path = f"{directory}/python-{rank}"
    with open(path, "wb") as file:
        for _ in range(20):
            file.write(b"x" * 50_000)
    with open(path, "rb") as file:
        assert len(file.read()) == 1_000_000


def read_a_part() -> None:
    descriptor = os.open(f"{directory}/python-0", os.O_RDONLY)
    assert len(os.pread(descriptor, 100_000, 100_000 * rank)) == 100_000
    os.close(descriptor)


def write_together() -> None:
    file = MPI.File.Open(world, f"{directory}/together", MPI.MODE_CREATE | MPI.MODE_WRONLY)
    file.Write_at_all(rank * 3000, bytearray(3000))
    file.Close()


write_and_read()
world.Barrier()
read_a_part()
write_together()
