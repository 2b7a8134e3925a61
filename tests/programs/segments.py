"""Packed exchanges from Python: two arrays on a ring of ranks, every element of their halos known in advance.

The argument: "right", or "size" for a plan that is wrong on rank 0.
"""

import sys

import numpy as np
from mpi4py import MPI

from leadline.segments import Plan, SegmentsError

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
west, east = (rank - 1) % ranks, (rank + 1) % ranks
salt = np.zeros((6, 4, 3))
ice = np.zeros((4, 6), dtype=np.int32)


def fill(owner: int, step: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(72.0).reshape(6, 4, 3) + 1000 * owner + step, np.arange(24).reshape(4, 6) + 100 * owner + step


def plan_of(segments: int | str) -> tuple[Plan, list[int]]:
    plan = Plan(comm)
    sides = [plan.neighbour(west, outgoing=0, incoming=1), plan.neighbour(east, outgoing=1, incoming=0)]
    plan.neighbour(-1, outgoing=2, incoming=3)
    fields = [plan.field("salt"), plan.field("ice")]
    thin = 2 if sys.argv[1] == "size" and rank == 0 else 3
    plan.face(fields[0], sides[0], send=salt[1], receive=salt[0])
    plan.face(fields[0], sides[1], send=salt[4, :, :thin], receive=salt[5])
    plan.face(fields[1], sides[0], receive=ice[:, 0])
    plan.face(fields[1], sides[1], send=ice[:, 4])
    plan.commit(segments)
    return plan, fields


wrong = 0
try:
    for segments in (1, 2, "auto"):
        plan, fields = plan_of(segments)
        for step in range(30):
            salt[:], ice[:] = fill(rank, step)
            plan.start()
            plan.ready(fields[1])
            plan.ready(fields[0])
            plan.wait_field(fields[0])
            plan.wait()
            expected_salt, expected_ice = fill(rank, step)
            expected_salt[0], expected_salt[5] = fill(west, step)[0][4], fill(east, step)[0][1]
            expected_ice[:, 0] = fill(west, step)[1][:, 4]
            wrong += not np.array_equal(salt, expected_salt) or not np.array_equal(ice, expected_ice)
        wrong += sum(plan.sizes()) != 2
        plan.free()
    said = f"{wrong} wrong"
except SegmentsError as error:
    said = str(error)
sys.stdout.write(f"rank {rank}: {said}\n")  # at once: ranks print at the same time
