"""Routines with a known pattern, in C, for random programs.

A piece is the body of a routine `void NAME(int step)`. It may use `rank`, `ranks`, `comm`, the buffers `out` and `in`,
and `work(microseconds)`. What it is and what may be said of it besides are stated with it: any other pattern is wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

# Facts about how messages are sent: true or not true depending on the machine at that moment.
BY_CHANCE = frozenset({"no_overlap", "unexpected_large"})
# What is recognised by times: a busy machine may change it.
TIMED_PATTERNS = BY_CHANCE | {"allreduce_bound", "polling"}
# Of files that every step opens, where there are steps enough.
REOPENED = frozenset({"reopened_files"})


@dataclass(frozen=True)
class Piece:
    """required: patterns that it is.   allowed: others that are true as well.   evidence: expected, by pattern.

    messages: of all ranks in one call of the routine, None if that is not fixed.   setup, teardown: run once before
    and after the steps.
    """

    kind: str
    body: str
    required: frozenset[str]
    allowed: frozenset[str] = frozenset()
    evidence: dict[str, dict[str, object]] = field(default_factory=dict)
    messages: int | None = None
    setup: str = ""
    teardown: str = ""
    in_setup: bool = False
    files: bool = False
    wildcards: bool = False
    one_sided: bool = False


Maker = Callable[[random.Random, int], Piece]


def grid_of(rng: random.Random, ranks: int, most: int) -> list[int]:
    """Dimensions whose product is `ranks`, each two or more."""
    dims: list[int] = []
    left = ranks
    while left > 1:
        factors = [f for f in range(2, left + 1) if left % f == 0]
        f = left if len(dims) == most - 1 else rng.choice(factors)
        dims.append(f)
        left //= f
    return dims


def halo(rng: random.Random, ranks: int) -> Piece:
    """An exchange with the neighbours in a grid, in one of several ways."""
    dims = grid_of(rng, ranks, rng.choice([1, 2, 2, 3]))
    periodic = [int(size > 2 and rng.random() < 0.5) for size in dims]
    count = rng.choice([1, 100, 1000])
    how = rng.choice(["isend", "sendrecv", "persistent"])
    fields = rng.choice([1, 1, 3]) if how == "isend" else 1
    n = len(dims)
    edges = 2 * sum((ranks // size) * (size - (0 if wraps else 1)) for size, wraps in zip(dims, periodic, strict=True))
    setup = (
        f"int dims[] = {{{', '.join(map(str, dims))}}}, wraps[] = {{{', '.join(map(str, periodic))}}}; "
        f"MPI_Cart_create(MPI_COMM_WORLD, {n}, dims, wraps, 0, &NAME_grid);"
    )
    shift = "int low, high; MPI_Cart_shift(NAME_grid, d, 1, &low, &high);"
    if how == "sendrecv":
        body = f"""
  for (int d = 0; d < {n}; ++d) {{
    {shift}
    MPI_Sendrecv(out, {count}, MPI_DOUBLE, high, d, in, {count}, MPI_DOUBLE, low, d, NAME_grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, {count}, MPI_DOUBLE, low, d, in, {count}, MPI_DOUBLE, high, d, NAME_grid, MPI_STATUS_IGNORE);
  }}"""
    elif how == "isend":
        body = f"""
  MPI_Request all[{4 * n * fields}];
  int made = 0;
  for (int f = 0; f < {fields}; ++f)
    for (int d = 0; d < {n}; ++d) {{
      {shift}
      MPI_Irecv(in + {count} * made, {count}, MPI_DOUBLE, low, 9, NAME_grid, &all[made]), ++made;
      MPI_Irecv(in + {count} * made, {count}, MPI_DOUBLE, high, 9, NAME_grid, &all[made]), ++made;
      MPI_Isend(out, {count}, MPI_DOUBLE, low, 9, NAME_grid, &all[made]), ++made;
      MPI_Isend(out, {count}, MPI_DOUBLE, high, 9, NAME_grid, &all[made]), ++made;
    }}
  MPI_Waitall(made, all, MPI_STATUSES_IGNORE);"""
    else:
        setup += f""" for (int d = 0; d < {n}; ++d) {{
    {shift}
    MPI_Recv_init(in + {count} * 4 * d, {count}, MPI_DOUBLE, low, 9, NAME_grid, &NAME_all[4 * d]);
    MPI_Recv_init(in + {count} * (4 * d + 1), {count}, MPI_DOUBLE, high, 9, NAME_grid, &NAME_all[4 * d + 1]);
    MPI_Send_init(out, {count}, MPI_DOUBLE, low, 9, NAME_grid, &NAME_all[4 * d + 2]);
    MPI_Send_init(out, {count}, MPI_DOUBLE, high, 9, NAME_grid, &NAME_all[4 * d + 3]);
  }}"""
        body = f"""
  MPI_Startall({4 * n}, NAME_all);
  MPI_Waitall({4 * n}, NAME_all, MPI_STATUSES_IGNORE);"""
    required = {"nearest_neighbour"} | ({"packable_messages"} if fields > 1 and count < 1000 else set())
    allowed = {"packable_messages"} if fields > 1 else set()
    return Piece(
        f"halo-{how}",
        body,
        frozenset(required),
        frozenset(allowed),
        {"nearest_neighbour": {"dims": dims}} | ({"packable_messages": {"together": fields}} if fields > 1 else {}),
        edges * fields,
        setup,
    )


def field_by_field(rng: random.Random, ranks: int) -> Piece:
    """A ring of neighbours, one field after another, each completed before the next."""
    fields = rng.choice([4, 7, 12])
    body = f"""
  int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  for (int f = 0; f < {fields}; ++f) {{
    MPI_Request all[4];
    MPI_Irecv(in, 50, MPI_DOUBLE, left, 1, comm, &all[0]);
    MPI_Irecv(in + 50, 50, MPI_DOUBLE, right, 1, comm, &all[1]);
    MPI_Isend(out, 50, MPI_DOUBLE, left, 1, comm, &all[2]);
    MPI_Isend(out, 50, MPI_DOUBLE, right, 1, comm, &all[3]);
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    work(5);
  }}"""
    return Piece(
        "fields",
        body,
        frozenset({"nearest_neighbour", "packable_messages"}),
        evidence={"nearest_neighbour": {"dims": [ranks]}, "packable_messages": {"together": fields}},
        messages=2 * (ranks - 1) * fields,
    )


def relaxation(rng: random.Random, ranks: int) -> Piece:
    """The same with a sum over all ranks in between: each exchange depends on the one before."""
    sweeps = rng.choice([3, 6])
    body = f"""
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  for (int f = 0; f < {sweeps}; ++f) {{
    MPI_Sendrecv(out, 50, MPI_DOUBLE, right, 1, in, 50, MPI_DOUBLE, left, 1, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 50, MPI_DOUBLE, left, 2, in, 50, MPI_DOUBLE, right, 2, comm, MPI_STATUS_IGNORE);
    work(50);
    double all;
    MPI_Allreduce(in, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  }}"""
    return Piece(
        "relaxation",
        body,
        frozenset({"nearest_neighbour"}),
        frozenset({"allreduce_bound"}),
        {"nearest_neighbour": {"dims": [ranks]}},
        2 * ranks * sweeps,
    )


def to_one(rng: random.Random, ranks: int) -> Piece:
    root, anyone = rng.randrange(ranks), rng.random() < 0.4
    source = "MPI_ANY_SOURCE" if anyone else "r"
    body = f"""
  if (rank != {root}) MPI_Send(out, 64, MPI_DOUBLE, {root}, 3, comm);
  else for (int r = 0; r < ranks; ++r)
    if (r != {root}) MPI_Recv(in, 64, MPI_DOUBLE, {source}, 3, comm, MPI_STATUS_IGNORE);
  if (step < 0) MPI_Barrier(comm);"""
    required = {"all_to_one"} | ({"wildcard_receive"} if anyone else set())
    return Piece(
        "to-one",
        body,
        frozenset(required),
        evidence={"all_to_one": {"root": root}},
        messages=ranks - 1,
        wildcards=anyone,
    )


def from_one(rng: random.Random, ranks: int) -> Piece:
    root = rng.randrange(ranks)
    body = f"""
  if (rank == {root}) {{
    for (int r = 0; r < ranks; ++r) if (r != {root}) MPI_Send(out + r, 1 + 10 * (r % 3), MPI_DOUBLE, r, 4, comm);
  }} else MPI_Recv(in, 64, MPI_DOUBLE, {root}, 4, comm, MPI_STATUS_IGNORE);"""
    return Piece(
        "from-one", body, frozenset({"one_to_all"}), evidence={"one_to_all": {"root": root}}, messages=ranks - 1
    )


def library_gather(rng: random.Random, ranks: int) -> Piece:
    return Piece("library-gather", "\n  MPI_Gather(out, 16, MPI_DOUBLE, in, 16, MPI_DOUBLE, 0, comm);", frozenset())


def broadcast_tree(rng: random.Random, ranks: int) -> Piece:
    body = """
  int mask = 1;
  for (; mask < ranks; mask <<= 1)
    if (rank & mask) { MPI_Recv(in, 200, MPI_DOUBLE, rank - mask, 5, comm, MPI_STATUS_IGNORE); break; }
  for (mask >>= 1; mask > 0; mask >>= 1)
    if (rank + mask < ranks) MPI_Send(in, 200, MPI_DOUBLE, rank + mask, 5, comm);"""
    return Piece("broadcast-tree", body, frozenset({"handmade_broadcast"}), messages=ranks - 1)


def reduction_tree(rng: random.Random, ranks: int) -> Piece:
    body = """
  for (int mask = 1; mask < ranks; mask <<= 1) {
    if (rank & mask) { MPI_Send(out, 20, MPI_DOUBLE, rank - mask, 6, comm); break; }
    if (rank + mask < ranks) MPI_Recv(in, 20, MPI_DOUBLE, rank + mask, 6, comm, MPI_STATUS_IGNORE);
  }"""
    return Piece("reduction-tree", body, frozenset({"handmade_reduction"}), messages=ranks - 1)


def doubling(rng: random.Random, ranks: int) -> Piece:
    if ranks & (ranks - 1):
        return reduction_tree(rng, ranks)
    body = """
  for (int mask = 1; mask < ranks; mask <<= 1)
    MPI_Sendrecv(out, 4, MPI_DOUBLE, rank ^ mask, 7, in, 4, MPI_DOUBLE, rank ^ mask, 7, comm, MPI_STATUS_IGNORE);"""
    return Piece("doubling", body, frozenset({"handmade_reduction"}), messages=ranks * (ranks.bit_length() - 1))


def all_to_all(rng: random.Random, ranks: int) -> Piece:
    if rng.random() < 0.5:
        body = """
  MPI_Request all[64];
  int made = 0;
  for (int r = 0; r < ranks; ++r) if (r != rank) MPI_Irecv(in + 8 * r, 8, MPI_DOUBLE, r, 8, comm, &all[made++]);
  for (int r = 0; r < ranks; ++r) if (r != rank) MPI_Isend(out, 8, MPI_DOUBLE, r, 8, comm, &all[made++]);
  MPI_Waitall(made, all, MPI_STATUSES_IGNORE);"""
    else:
        body = """
  for (int i = 1; i < ranks; ++i)
    MPI_Sendrecv(out, 8, MPI_DOUBLE, (rank + i) % ranks, 8, in, 8, MPI_DOUBLE, (rank + ranks - i) % ranks, 8, comm,
                 MPI_STATUS_IGNORE);"""
    return Piece("all-to-all", body, frozenset({"handmade_alltoall"}), messages=ranks * (ranks - 1))


def transposition(rng: random.Random, ranks: int) -> Piece:
    rows = [r for r in range(2, ranks // 3 + 1) if ranks % r == 0]
    if not rows:
        return all_to_all(rng, ranks)
    row = ranks // rng.choice(rows)  # ranks of a row
    split = rng.choice([f"rank / {row}", f"rank % {ranks // row}"])
    body = """
  int own, among;
  MPI_Comm_rank(NAME_grid, &own), MPI_Comm_size(NAME_grid, &among);
  MPI_Request all[64];
  int made = 0;
  for (int r = 0; r < among; ++r) if (r != own) MPI_Irecv(in + 8 * r, 8, MPI_DOUBLE, r, 8, NAME_grid, &all[made++]);
  for (int r = 0; r < among; ++r) if (r != own) MPI_Isend(out, 8, MPI_DOUBLE, r, 8, NAME_grid, &all[made++]);
  MPI_Waitall(made, all, MPI_STATUSES_IGNORE);"""
    setup = f"MPI_Comm_split(MPI_COMM_WORLD, {split}, rank, &NAME_grid);"
    return Piece("transposition", body, frozenset({"transpose"}), messages=ranks * (row - 1), setup=setup)


def mirrored(rng: random.Random, ranks: int) -> Piece:
    """Each rank exchanges with its mirror image in a square of processes, or of pairs or triples of them."""
    if ranks not in (8, 9, 12):
        return transposition(rng, ranks)
    side, block = (3, 1) if ranks == 9 else (2, ranks // 4)
    body = f"""
  int partner = (rank / {block} % {side} * {side} + rank / {block} / {side}) * {block} + rank % {block};
  MPI_Request request;
  MPI_Irecv(in, 100, MPI_DOUBLE, partner, 22, comm, &request);
  MPI_Send(out, 100, MPI_DOUBLE, partner, 22, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);"""
    return Piece("mirrored", body, frozenset({"transpose"}), evidence={"transpose": {"side": side}})


def ring(rng: random.Random, ranks: int) -> Piece:
    rounds = rng.choice([1, ranks - 1])
    body = f"""
  for (int i = 0; i < {rounds}; ++i)
    MPI_Sendrecv(out, 30, MPI_DOUBLE, (rank + 1) % ranks, 9, in, 30, MPI_DOUBLE, (rank + ranks - 1) % ranks, 9, comm,
                 MPI_STATUS_IGNORE);"""
    return Piece("ring", body, frozenset({"ring"}), messages=ranks * rounds)


def pipeline(rng: random.Random, ranks: int) -> Piece:
    stages = rng.choice([3, 8])
    if rng.random() < 0.5 or ranks < 6:
        body = f"""
  for (int k = 0; k < {stages}; ++k) {{
    if (rank) MPI_Recv(in, 10, MPI_DOUBLE, rank - 1, 10, comm, MPI_STATUS_IGNORE);
    work(20);
    if (rank + 1 < ranks) MPI_Send(out, 10, MPI_DOUBLE, rank + 1, 10, comm);
  }}"""
        return Piece("pipeline", body, frozenset({"pipeline"}), messages=(ranks - 1) * stages)
    width = (
        next(w for w in range(2, ranks) if ranks % w == 0) if any(ranks % w == 0 for w in range(2, ranks)) else ranks
    )
    height = ranks // width
    body = f"""
  int x = rank % {width}, y = rank / {width};
  for (int k = 0; k < {stages}; ++k) {{
    if (x) MPI_Recv(in, 10, MPI_DOUBLE, rank - 1, 10, comm, MPI_STATUS_IGNORE);
    if (y) MPI_Recv(in, 10, MPI_DOUBLE, rank - {width}, 11, comm, MPI_STATUS_IGNORE);
    work(20);
    if (x + 1 < {width}) MPI_Send(out, 10, MPI_DOUBLE, rank + 1, 10, comm);
    if (y + 1 < {height}) MPI_Send(out, 10, MPI_DOUBLE, rank + {width}, 11, comm);
  }}"""
    messages = stages * ((width - 1) * height + (height - 1) * width)
    return Piece("wavefront", body, frozenset({"pipeline"}), messages=messages)


def irregular_graph(rng: random.Random, ranks: int) -> tuple[int, str]:
    """A random graph that is no regular shape, of at least six ranks: its edges' number, and for each rank its
    neighbours and -1, as an array in C."""
    while True:
        joined = {(a, b) for a in range(ranks) for b in range(a) if rng.random() < 0.45}
        degrees = [sum(r in pair for pair in joined) for r in range(ranks)]
        if min(degrees) >= 1 and max(degrees) >= 3 and len(set(degrees)) > 1 and max(degrees) < ranks - 1:
            break
    rows = [sorted({a + b - r for a, b in joined if r in (a, b)}) for r in range(ranks)]
    table = ", ".join("{" + ", ".join(map(str, [*row, -1])) + "}" for row in rows)
    return len(joined), table


def graph(rng: random.Random, ranks: int) -> Piece:
    """Neighbours in a random graph that is no regular shape; it takes six ranks."""
    if ranks < 6:
        return halo(rng, ranks)
    edges, partners = irregular_graph(rng, ranks)
    body = f"""
  static const int partners[][{ranks + 1}] = {{{partners}}};
  MPI_Request all[64];
  int made = 0;
  for (const int* p = partners[rank]; *p >= 0; ++p) {{
    MPI_Irecv(in + 40 * made, 40, MPI_DOUBLE, *p, 12, comm, &all[made]), ++made;
    MPI_Isend(out, 40, MPI_DOUBLE, *p, 12, comm, &all[made]), ++made;
  }}
  MPI_Waitall(made, all, MPI_STATUSES_IGNORE);"""
    return Piece("graph", body, frozenset({"irregular"}), messages=2 * edges)


def masters(rng: random.Random, ranks: int) -> Piece:
    tasks = 4 * ranks
    body = f"""
  if (rank == 0) {{
    int given = 0, busy = 0;
    MPI_Status status;
    for (int r = 1; r < ranks; ++r) MPI_Send(&given, 1, MPI_INT, r, 13, comm), ++given, ++busy;
    while (busy) {{
      MPI_Recv(in, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 14, comm, &status);
      int task = given < {tasks} ? given++ : -1;
      busy -= task < 0;
      MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 13, comm);
    }}
  }} else {{
    for (int task;;) {{
      MPI_Recv(&task, 1, MPI_INT, 0, 13, comm, MPI_STATUS_IGNORE);
      if (task < 0) break;
      work(10 * (task % 3));
      MPI_Send(out, 4, MPI_DOUBLE, 0, 14, comm);
    }}
  }}"""
    return Piece("masters", body, frozenset({"master_worker", "wildcard_receive"}), wildcards=True)


def serialised(rng: random.Random, ranks: int) -> Piece:
    """Each rank sends a large message to the right before it receives from the left."""
    body = """
  if (rank + 1 < ranks) MPI_Send(out, 20000, MPI_DOUBLE, rank + 1, 15, comm);
  if (rank) MPI_Recv(in, 20000, MPI_DOUBLE, rank - 1, 15, comm, MPI_STATUS_IGNORE);"""
    return Piece(
        "serialised", body, frozenset({"serialised_order"}), frozenset({"nearest_neighbour"}), messages=ranks - 1
    )


def even_and_odd(rng: random.Random, ranks: int) -> Piece:
    """Blocking, but no rank waits for a chain of others."""
    body = """
  int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  if (rank % 2 == 0) {
    MPI_Send(out, 2000, MPI_DOUBLE, right, 16, comm);
    MPI_Recv(in, 2000, MPI_DOUBLE, right, 16, comm, MPI_STATUS_IGNORE);
    MPI_Send(out, 2000, MPI_DOUBLE, left, 16, comm);
    MPI_Recv(in, 2000, MPI_DOUBLE, left, 16, comm, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, 2000, MPI_DOUBLE, left, 16, comm, MPI_STATUS_IGNORE);
    MPI_Send(out, 2000, MPI_DOUBLE, left, 16, comm);
    MPI_Recv(in, 2000, MPI_DOUBLE, right, 16, comm, MPI_STATUS_IGNORE);
    MPI_Send(out, 2000, MPI_DOUBLE, right, 16, comm);
  }"""
    return Piece(
        "even-odd",
        body,
        frozenset({"nearest_neighbour"}),
        evidence={"nearest_neighbour": {"dims": [ranks]}},
        messages=2 * (ranks - 1),
    )


def ping_pong(rng: random.Random, ranks: int) -> Piece:
    """Each message depends on the one received before: nothing can travel together."""
    turns = rng.choice([3, 5])
    body = f"""
  int partner = rank ^ 1;
  if (partner < ranks)
    for (int k = 0; k < {turns}; ++k) {{
      if (rank & 1) MPI_Recv(in, 20, MPI_DOUBLE, partner, 17, comm, MPI_STATUS_IGNORE);
      MPI_Send(in, 20, MPI_DOUBLE, partner, 17, comm);
      if (!(rank & 1)) MPI_Recv(in, 20, MPI_DOUBLE, partner, 17, comm, MPI_STATUS_IGNORE);
    }}"""
    return Piece("ping-pong", body, frozenset(), frozenset({"packable_messages"}))


def barriers(rng: random.Random, ranks: int) -> Piece:
    return Piece("barrier", "\n  MPI_Barrier(comm);\n  work(1);", frozenset({"redundant_barrier"}))


def sums(rng: random.Random, ranks: int) -> Piece:
    """Nothing but small sums. The record cannot tell whether one needs another."""
    times = rng.choice([20, 40])
    body = f"""
  for (int k = 0; k < {times}; ++k) {{
    double sum;
    MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  }}"""
    return Piece("sums", body, frozenset({"allreduce_bound"}), frozenset({"consecutive_reductions"}))


def lazy(rng: random.Random, ranks: int) -> Piece:
    """Posts, and waits at once for a rank that is late, although there is work to do."""
    body = """
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Request all[4];
  if (rank == 0) rest(2000);
  MPI_Irecv(in, 50, MPI_DOUBLE, left, 18, comm, &all[0]);
  MPI_Irecv(in + 50, 50, MPI_DOUBLE, right, 18, comm, &all[1]);
  MPI_Isend(out, 50, MPI_DOUBLE, left, 18, comm, &all[2]);
  MPI_Isend(out, 50, MPI_DOUBLE, right, 18, comm, &all[3]);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  work(100);"""
    return Piece(
        "lazy",
        body,
        frozenset({"nearest_neighbour", "no_overlap"}),
        evidence={"nearest_neighbour": {"dims": [ranks]}},
        messages=2 * ranks,
    )


def overlapping(rng: random.Random, ranks: int) -> Piece:
    """Computes for long while its messages are under way."""
    body = """
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Request all[4];
  MPI_Irecv(in, 50, MPI_DOUBLE, left, 19, comm, &all[0]);
  MPI_Irecv(in + 50, 50, MPI_DOUBLE, right, 19, comm, &all[1]);
  MPI_Isend(out, 50, MPI_DOUBLE, left, 19, comm, &all[2]);
  MPI_Isend(out, 50, MPI_DOUBLE, right, 19, comm, &all[3]);
  rest(3000);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);"""
    return Piece(
        "overlapping",
        body,
        frozenset({"nearest_neighbour"}),
        evidence={"nearest_neighbour": {"dims": [ranks]}},
        messages=2 * ranks,
    )


def lazy_sum(rng: random.Random, ranks: int) -> Piece:
    """A nonblocking sum that is waited for at once, although a rank is late and there is work to do."""
    body = """
  MPI_Request request;
  if (rank == 0) rest(2000);
  MPI_Iallreduce(out, in, 100, MPI_DOUBLE, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  work(100);"""
    return Piece("lazy-sum", body, frozenset({"no_overlap"}))


def overlapping_sum(rng: random.Random, ranks: int) -> Piece:
    body = """
  MPI_Request request;
  MPI_Iallreduce(out, in, 100, MPI_DOUBLE, MPI_SUM, comm, &request);
  rest(3000);
  MPI_Wait(&request, MPI_STATUS_IGNORE);"""
    return Piece("overlapping-sum", body, frozenset())


def busy_polling(rng: random.Random, ranks: int) -> Piece:
    body = """
  MPI_Request request;
  int done = 0;
  if (rank == 0) {
    rest(3000);
    for (int r = 1; r < ranks; ++r) MPI_Send(out, 1, MPI_DOUBLE, r, 20, comm);
  } else {
    MPI_Irecv(in, 1, MPI_DOUBLE, 0, 20, comm, &request);
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }"""
    return Piece("busy-polling", body, frozenset({"one_to_all", "polling"}), messages=ranks - 1)


def late_receives(rng: random.Random, ranks: int) -> Piece:
    """Large messages are there long before their receive is posted."""
    body = """
  MPI_Request request;
  MPI_Isend(out, 20000, MPI_DOUBLE, (rank + 1) % ranks, 21, comm, &request);
  rest(2000);
  MPI_Recv(in, 20000, MPI_DOUBLE, (rank + ranks - 1) % ranks, 21, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);"""
    return Piece("late-receives", body, frozenset({"ring", "unexpected_large"}), messages=ranks)


def remade(rng: random.Random, ranks: int) -> Piece:
    """A communicator or a window that lives for one step."""
    made = rng.choice(["communicators", "windows"])
    communicator = """
  MPI_Comm half;
  MPI_Comm_split(comm, rank % 2, rank, &half);
  work(5);
  MPI_Comm_free(&half);"""
    window = """
  MPI_Win window;
  MPI_Win_create(in, 8000, 8, MPI_INFO_NULL, comm, &window);
  work(5);
  MPI_Win_free(&window);"""
    return Piece(
        "remade",
        communicator if made == "communicators" else window,
        frozenset({"repeated_creation"}),
        evidence={"repeated_creation": {"what": made, "made_per_step": 1.0}},
    )


def read_by_all(rng: random.Random, ranks: int) -> Piece:
    setup = """
  char* text = malloc(200000);
  int fd = open("input.dat", O_RDONLY);
  while (read(fd, text, 50000) > 0) {}
  close(fd), free(text);"""
    return Piece("read-by-all", "", frozenset({"read_all_by_all"}), setup=setup, in_setup=True)


def read_in_parts(rng: random.Random, ranks: int) -> Piece:
    setup = """
  char* text = malloc(200000);
  int fd = open("input.dat", O_RDONLY);
  if (pread(fd, text, 200000 / ranks, 200000 / ranks * rank) < 0) abort();
  close(fd), free(text);"""
    return Piece("read-in-parts", "", frozenset(), setup=setup, in_setup=True)


def written_by_one(rng: random.Random, ranks: int) -> Piece:
    body = """
  MPI_Gather(out, 4000, MPI_DOUBLE, in, 4000, MPI_DOUBLE, 0, comm);
  if (rank == 0) {
    int fd = open("output.dat", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (write(fd, in, 4000 * sizeof(double) * ranks) < 0) abort();
    close(fd);
  }"""
    return Piece("written-by-one", body, frozenset({"write_by_one"}), REOPENED, files=True)


def a_file_each(rng: random.Random, ranks: int) -> Piece:
    small = rng.random() < 0.5
    size, times = (64, 200) if small else (65536, 2)
    body = f"""
  char name[40];
  snprintf(name, sizeof name, "part.%04d.dat", rank);
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  for (int k = 0; k < {times}; ++k) if (write(fd, out, {size}) < 0) abort();
  close(fd);"""
    required = {"file_per_rank"} | ({"small_io"} if small else set())
    return Piece("file-each", body, frozenset(required), REOPENED, files=True)


COMMUNICATION: tuple[Maker, ...] = (
    halo,
    halo,
    halo,
    field_by_field,
    relaxation,
    to_one,
    from_one,
    library_gather,
    broadcast_tree,
    reduction_tree,
    doubling,
    all_to_all,
    transposition,
    mirrored,
    ring,
    pipeline,
    graph,
    masters,
    serialised,
    even_and_odd,
    ping_pong,
    barriers,
    sums,
    lazy,
    overlapping,
    lazy_sum,
    overlapping_sum,
    busy_polling,
    late_receives,
)
FILES: tuple[Maker, ...] = (read_by_all, read_in_parts, written_by_one, a_file_each)
