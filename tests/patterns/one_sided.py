"""Pieces as in pieces.py, of one-sided operations at the window NAME_window over the memory NAME_memory."""

from __future__ import annotations

import random
from dataclasses import replace

from .pieces import Maker, Piece, grid_of, irregular_graph

OVER_ALL = "MPI_COMM_WORLD"
LAST_FENCE = "\n  MPI_Win_fence(0, NAME_window);"


def piece(
    kind: str,
    how: str,
    operations: str,
    required: set[str],
    *,
    evidence: dict[str, dict[str, object]] | None = None,
    messages: int | None = None,
    setup: str = "",
    over: str = OVER_ALL,
    made_of: str = "puts",
) -> Piece:
    """The operations in one epoch. how: "fences", "fence" (the one before ends the last epoch), "flush" or "groups"."""
    begin, end, locked = {
        "fences": (
            "MPI_Win_fence(MPI_MODE_NOPRECEDE, NAME_window);",
            "MPI_Win_fence(MPI_MODE_NOSUCCEED, NAME_window);",
            0,
        ),
        "fence": ("", "MPI_Win_fence(0, NAME_window);", 0),
        "flush": ("", "MPI_Win_flush_all(NAME_window); MPI_Barrier(comm);", 1),
        "groups": (
            "MPI_Win_post(NAME_group, 0, NAME_window); MPI_Win_start(NAME_group, 0, NAME_window);",
            "MPI_Win_complete(NAME_window); MPI_Win_wait(NAME_window);",
            0,
        ),
    }[how]
    setup += f" MPI_Win_allocate(160000, 8, MPI_INFO_NULL, {over}, &NAME_memory, &NAME_window);"
    setup += f" MPI_Comm_group({over}, &NAME_group);" if how == "groups" else ""
    setup += " MPI_Win_lock_all(0, NAME_window);" if locked else ""
    setup += " MPI_Win_fence(0, NAME_window);" if how == "fence" else ""
    known = {name: {"one_sided": made_of} | (evidence or {}).get(name, {}) for name in required}
    return Piece(
        f"{kind}-{how}",
        # If the last call were made a jump, its call path would lack the routine.
        f'\n  {begin}{operations}\n  {end}\n  __asm__ volatile("");',
        frozenset(required),
        frozenset(required & {"packable_messages"}),
        evidence=known,
        messages=messages,
        setup=setup,
        teardown=("MPI_Win_unlock_all(NAME_window); " if locked else "") + "MPI_Win_free(&NAME_window);",
        one_sided=True,
    )


def any_way(rng: random.Random) -> str:
    return rng.choice(["fences", "fence", "flush", "groups"])


def put_or_get(rng: random.Random) -> tuple[str, str]:
    """The function and what the report calls such operations."""
    return rng.choice([("Put", "puts"), ("Get", "gets")])


def halo(rng: random.Random, ranks: int) -> Piece:
    dims = grid_of(rng, ranks, rng.choice([1, 2, 2, 3]))
    periodic = [int(size > 2 and rng.random() < 0.5) for size in dims]
    count, fields, n = rng.choice([20, 100]), rng.choice([1, 1, 3]), len(dims)
    call, made_of = put_or_get(rng)
    own = "out" if call == "Put" else "in"
    setup = (
        f"int dims[] = {{{', '.join(map(str, dims))}}}, wraps[] = {{{', '.join(map(str, periodic))}}}; "
        f"MPI_Cart_create(MPI_COMM_WORLD, {n}, dims, wraps, 0, &NAME_grid);"
    )
    operations = f"""
  for (int f = 0; f < {fields}; ++f)
    for (int d = 0; d < {n}; ++d) {{
      int low, high, at = {count} * 2 * (f * {n} + d);
      MPI_Cart_shift(NAME_grid, d, 1, &low, &high);
      MPI_{call}({own} + at, {count}, MPI_DOUBLE, low, at, {count}, MPI_DOUBLE, NAME_window);
      MPI_{call}({own} + at + {count}, {count}, MPI_DOUBLE, high, at + {count}, {count}, MPI_DOUBLE, NAME_window);
    }}"""
    edges = 2 * sum((ranks // size) * (size - (0 if wraps else 1)) for size, wraps in zip(dims, periodic, strict=True))
    return piece(
        "one-sided-halo",
        any_way(rng),
        operations,
        {"nearest_neighbour"} | ({"packable_messages"} if fields > 1 else set()),
        evidence={"nearest_neighbour": {"dims": dims}, "packable_messages": {"together": fields}},
        messages=edges * fields,
        setup=setup,
        over=rng.choice(["NAME_grid", OVER_ALL]),
        made_of=made_of,
    )


def field_by_field(rng: random.Random, ranks: int) -> Piece:
    """Each field has a fence of its own."""
    fields = rng.choice([4, 7])
    operations = f"""
  int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  for (int f = 0; f < {fields}; ++f) {{
    MPI_Put(out, 50, MPI_DOUBLE, left, 100 * f, 50, MPI_DOUBLE, NAME_window);
    MPI_Put(out, 50, MPI_DOUBLE, right, 100 * f + 50, 50, MPI_DOUBLE, NAME_window);
    MPI_Win_fence(0, NAME_window);
    work(5);
  }}"""
    found = piece(
        "one-sided-fields",
        "fence",
        operations,
        {"nearest_neighbour", "packable_messages"},
        evidence={"nearest_neighbour": {"dims": [ranks]}, "packable_messages": {"together": fields}},
        messages=2 * (ranks - 1) * fields,
    )
    return replace(found, body=found.body.replace(LAST_FENCE, ""))


def relaxation(rng: random.Random, ranks: int) -> Piece:
    """Each trip depends on the one before: there is a sum over all ranks in between."""
    operations = """
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  for (int f = 0; f < 3; ++f) {
    MPI_Put(out, 50, MPI_DOUBLE, left, 0, 50, MPI_DOUBLE, NAME_window);
    MPI_Put(out, 50, MPI_DOUBLE, right, 50, 50, MPI_DOUBLE, NAME_window);
    MPI_Win_fence(0, NAME_window);
    work(50);
    double all;
    MPI_Allreduce(out, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  }"""
    found = piece(
        "one-sided-relaxation",
        "fence",
        operations,
        {"nearest_neighbour"},
        evidence={"nearest_neighbour": {"dims": [ranks]}},
        messages=2 * ranks * 3,
    )
    return replace(
        found,
        body=found.body.replace(LAST_FENCE, ""),
        allowed=frozenset({"allreduce_bound"}),
    )


def to_one(rng: random.Random, ranks: int) -> Piece:
    root = rng.randrange(ranks)
    made_of = rng.choice(["puts", "accumulates", "gets"])
    operations = {
        "puts": f"if (rank != {root}) MPI_Put(out, 64, MPI_DOUBLE, {root}, 64 * rank, 64, MPI_DOUBLE, NAME_window);",
        "accumulates": f"if (rank != {root}) "
        f"MPI_Accumulate(out, 64, MPI_DOUBLE, {root}, 0, 64, MPI_DOUBLE, MPI_SUM, NAME_window);",
        "gets": f"for (int r = 0; r < ranks && rank == {root}; ++r) "
        f"if (r != {root}) MPI_Get(in + 64 * r, 64, MPI_DOUBLE, r, 0, 64, MPI_DOUBLE, NAME_window);",
    }[made_of]
    return piece(
        "one-sided-to-one",
        any_way(rng),
        f"\n  {operations}",
        {"all_to_one"},
        evidence={"all_to_one": {"root": root}},
        messages=ranks - 1,
        made_of=made_of,
    )


def from_one(rng: random.Random, ranks: int) -> Piece:
    root = rng.randrange(ranks)
    made_of = rng.choice(["puts", "gets"])
    operations = {
        "gets": f"if (rank != {root}) MPI_Get(in, 64, MPI_DOUBLE, {root}, 64 * rank, 64, MPI_DOUBLE, NAME_window);",
        "puts": f"for (int r = 0; r < ranks && rank == {root}; ++r) "
        f"if (r != {root}) MPI_Put(out + 64 * r, 64, MPI_DOUBLE, r, 0, 64, MPI_DOUBLE, NAME_window);",
    }[made_of]
    return piece(
        "one-sided-from-one",
        any_way(rng),
        f"\n  {operations}",
        {"one_to_all"},
        evidence={"one_to_all": {"root": root}},
        messages=ranks - 1,
        made_of=made_of,
    )


def all_to_all(rng: random.Random, ranks: int) -> Piece:
    call, made_of = put_or_get(rng)
    own = "out" if call == "Put" else "in"
    access = f"MPI_{call}({own} + 8 * r, 8, MPI_DOUBLE, r, 8 * rank, 8, MPI_DOUBLE, NAME_window);"
    if rng.random() < 0.3:  # a lock for each target
        operations = f"""
  for (int r = 0; r < ranks; ++r) if (r != rank) {{
    MPI_Win_lock(MPI_LOCK_SHARED, r, 0, NAME_window);
    {access}
    MPI_Win_unlock(r, NAME_window);
  }}"""
        found = piece("one-sided-all", "fence", operations, {"handmade_alltoall"}, messages=ranks * (ranks - 1))
        return replace(
            found,
            kind="one-sided-all-locked",
            evidence={"handmade_alltoall": {"one_sided": made_of}},
            setup=found.setup.replace("MPI_Win_fence(0, NAME_window);", ""),
            body=found.body.replace("MPI_Win_fence(0, NAME_window);", "MPI_Barrier(comm);"),
        )
    operations = f"\n  for (int r = 0; r < ranks; ++r) if (r != rank) {access}"
    return piece(
        "one-sided-all",
        any_way(rng),
        operations,
        {"handmade_alltoall"},
        messages=ranks * (ranks - 1),
        made_of=made_of,
    )


def transposition(rng: random.Random, ranks: int) -> Piece:
    rows = [r for r in range(2, ranks // 3 + 1) if ranks % r == 0]
    if not rows:
        return all_to_all(rng, ranks)
    row = ranks // rng.choice(rows)  # ranks of a row
    split = rng.choice([f"rank / {row}", f"rank % {ranks // row}"])
    call, made_of = put_or_get(rng)
    own = "out" if call == "Put" else "in"
    operations = f"""
  int own, among;
  MPI_Comm_rank(NAME_grid, &own), MPI_Comm_size(NAME_grid, &among);
  for (int r = 0; r < among; ++r)
    if (r != own) MPI_{call}({own} + 8 * r, 8, MPI_DOUBLE, r, 8 * own, 8, MPI_DOUBLE, NAME_window);"""
    return piece(
        "one-sided-transposition",
        any_way(rng),
        operations,
        {"transpose"},
        messages=ranks * (row - 1),
        setup=f"MPI_Comm_split(MPI_COMM_WORLD, {split}, rank, &NAME_grid);",
        over="NAME_grid",
        made_of=made_of,
    )


def ring(rng: random.Random, ranks: int) -> Piece:
    fields = rng.choice([1, 1, 3])
    operations = f"""
  for (int f = 0; f < {fields}; ++f)
    MPI_Put(out, 30, MPI_DOUBLE, (rank + 1) % ranks, 30 * f, 30, MPI_DOUBLE, NAME_window);"""
    return piece(
        "one-sided-ring",
        any_way(rng),
        operations,
        {"ring"} | ({"packable_messages"} if fields > 1 else set()),
        evidence={"packable_messages": {"together": fields}},
        messages=ranks * fields,
    )


def doubling(rng: random.Random, ranks: int) -> Piece:
    """A fence before each stage but the first, which the one of the step before precedes."""
    if ranks & (ranks - 1):
        return ring(rng, ranks)
    operations = """
  for (int mask = 1; mask < ranks; mask <<= 1) {
    MPI_Put(out, 4, MPI_DOUBLE, rank ^ mask, 4 * mask, 4, MPI_DOUBLE, NAME_window);
    MPI_Win_fence(0, NAME_window);
  }"""
    return piece(
        "one-sided-doubling",
        "fence",
        operations,
        {"handmade_reduction"},
        messages=ranks * (ranks.bit_length() - 1),
    )


def graph(rng: random.Random, ranks: int) -> Piece:
    if ranks < 6:
        return halo(rng, ranks)
    edges, partners = irregular_graph(rng, ranks)
    operations = f"""
  static const int partners[][{ranks + 1}] = {{{partners}}};
  for (const int* p = partners[rank]; *p >= 0; ++p)
    MPI_Put(out, 40, MPI_DOUBLE, *p, 40 * rank, 40, MPI_DOUBLE, NAME_window);"""
    return piece("one-sided-graph", any_way(rng), operations, {"irregular"}, messages=2 * edges)


def one_way(kind: str, stages: int, body: str, pattern: str, ranks: int) -> Piece:
    """Puts to the next rank, whose epochs are for the rank before it. POST, WAIT and PUT stand for these."""
    post = "if (rank) MPI_Win_post(NAME_before, 0, NAME_window);"
    wait = "if (rank) MPI_Win_wait(NAME_window);"
    put = """if (rank + 1 < ranks) {
      MPI_Win_start(NAME_group, 0, NAME_window);
      MPI_Put(out, 10, MPI_DOUBLE, rank + 1, 10 * k, 10, MPI_DOUBLE, NAME_window);
      MPI_Win_complete(NAME_window);
    }"""
    trips = body.replace("POST", post).replace("WAIT", wait).replace("PUT", put)
    setup = """ MPI_Group all;
    int before = rank - 1, after = rank + 1;
    MPI_Comm_group(comm, &all);
    if (rank) MPI_Group_incl(all, 1, &before, &NAME_before);
    if (rank + 1 < ranks) MPI_Group_incl(all, 1, &after, &NAME_group);"""
    found = piece(
        kind,
        "fence",
        f"\n  for (int k = 0; k < {stages}; ++k) {{{trips}\n  }}",
        {pattern},
        evidence={pattern: {"dims": [ranks]}},
        messages=(ranks - 1) * stages,
        setup=setup,
    )
    return replace(
        found, body=found.body.replace(LAST_FENCE, ""), setup=found.setup.replace("MPI_Win_fence(0, NAME_window);", "")
    )


def pipeline(rng: random.Random, ranks: int) -> Piece:
    return one_way(
        "one-sided-pipeline",
        rng.choice([3, 8]),
        """
    POST
    WAIT
    work(20);
    PUT""",
        "pipeline",
        ranks,
    )


def shift(rng: random.Random, ranks: int) -> Piece:
    """No rank needs what it got before it puts."""
    return one_way(
        "one-sided-shift",
        1,
        """
    POST
    PUT
    WAIT
    work(20);""",
        "nearest_neighbour",
        ranks,
    )


def counter(rng: random.Random, ranks: int) -> Piece:
    """A counter that all ranks read and increase is no exchange."""
    operations = """
  for (int k = 0; k < 3; ++k) {
    double one = 1, before;
    MPI_Fetch_and_op(&one, &before, MPI_DOUBLE, 0, 0, MPI_SUM, NAME_window);
    MPI_Win_flush(0, NAME_window);
  }"""
    return piece("one-sided-counter", "flush", operations, set())


ONE_SIDED: tuple[Maker, ...] = (
    halo,
    halo,
    halo,
    field_by_field,
    relaxation,
    to_one,
    from_one,
    all_to_all,
    transposition,
    ring,
    doubling,
    graph,
    pipeline,
    shift,
    counter,
)
