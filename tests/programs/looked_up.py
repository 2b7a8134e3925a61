"""MPI by ctypes, as programs in languages without a binding call it: looked_up.py FILE."""

import ctypes
import sys

mpi = ctypes.CDLL(sys.argv[1])
if hasattr(mpi, "ompi_mpi_comm_world"):
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
    byte = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_byte")))
else:
    world, byte = ctypes.c_int(0x44000000), ctypes.c_int(0x4C00010D)

data, status, rank = ctypes.create_string_buffer(100), ctypes.create_string_buffer(64), ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
for _ in range(7):
    if rank.value == 0:
        mpi.MPI_Send(data, 100, byte, 1, 5, world)
    if rank.value == 1:
        mpi.MPI_Recv(data, 100, byte, 0, 5, world, status)
for _ in range(3):
    mpi.PMPI_Barrier(world)
mpi.MPI_Finalize()
