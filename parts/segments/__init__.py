"""Packed exchanges: what many fields send to the same neighbours, in few messages (docs/build-in/segments.md).

plan = Plan(MPI.COMM_WORLD)                       # of mpi4py
east = plan.neighbour(rank_of_east, outgoing=0, incoming=1)
salt = plan.field("salt")
plan.face(salt, east, send=s[-2], receive=s[-1])  # views of NumPy arrays; they are not copied
plan.commit(segments=1)                           # or sizes=[30, 21], or segments="auto"
plan.exchange()
"""

from leadline.segments.plan import Plan, SegmentsError

__all__ = ["Plan", "SegmentsError"]
