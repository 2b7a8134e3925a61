"""A computation as people write it with mpi4py: conjugate gradients on strips of a grid, then a sample sort.

Prints every digit of its results, the same for each run on as many ranks.
"""

import itertools

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
ROWS, COLUMNS = 24, 48
UP = rank - 1 if rank > 0 else MPI.PROC_NULL
DOWN = rank + 1 if rank < size - 1 else MPI.PROC_NULL


def laplace(u: np.ndarray) -> np.ndarray:
    """The five-point operator on this rank's rows; u has a row of ghosts above and below and zeros left and right."""
    requests = [comm.Irecv(u[0], UP, 1), comm.Irecv(u[-1], DOWN, 2)]
    requests += [comm.Isend(u[1], UP, 2), comm.Isend(u[-2], DOWN, 1)]
    MPI.Request.Waitall(requests)
    return 4 * u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]


def dot(a: np.ndarray, b: np.ndarray) -> float:
    total = np.zeros(1)
    comm.Allreduce(np.array([np.vdot(a, b)]), total)
    return float(total[0])


def conjugate_gradients(rhs: np.ndarray, tolerance: float) -> tuple[int, float]:
    x, r = np.zeros_like(rhs), rhs.copy()
    p = np.zeros((rhs.shape[0] + 2, rhs.shape[1] + 2))
    p[1:-1, 1:-1] = r
    rr = dot(r, r)
    steps = 0
    while rr > tolerance:
        q = laplace(p)
        alpha = rr / dot(p[1:-1, 1:-1], q)
        x += alpha * p[1:-1, 1:-1]
        r -= alpha * q
        previous, rr = rr, dot(r, r)
        p[1:-1, 1:-1] = r + rr / previous * p[1:-1, 1:-1]
        steps += 1
    return steps, dot(x, x)


def sample_sort(values: np.ndarray) -> np.ndarray:
    values = np.sort(values)
    samples = comm.allgather(values[:: max(1, len(values) // size)][:size])
    splitters = np.sort(np.concatenate(samples))[size::size][: size - 1]
    parts = np.split(values, np.searchsorted(values, splitters))
    counts = np.array([len(part) for part in parts])
    arriving = np.empty(size, dtype=counts.dtype)
    comm.Alltoall(counts, arriving)
    gathered = np.empty(arriving.sum())
    comm.Alltoallv([values, counts], [gathered, arriving])
    return np.sort(gathered)


def main() -> None:
    random = np.random.default_rng(1234 + rank)
    setting = comm.bcast({"tolerance": 1e-16, "values": 5000} if rank == 0 else None)
    rhs = np.sin(np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) + rank)
    steps, norm = conjugate_gradients(rhs, setting["tolerance"])
    part = sample_sort(random.normal(size=setting["values"]))
    ends = comm.gather((len(part), float(part[0]), float(part[-1])))
    if rank == 0:
        assert ends is not None
        assert all(one[2] <= other[1] for one, other in itertools.pairwise(ends))
        print(f"conjugate gradients: {steps} steps, norm {norm.hex()}")
        for n, low, high in ends:
            print(f"sorted: {n} values from {low.hex()} to {high.hex()}")


main()
