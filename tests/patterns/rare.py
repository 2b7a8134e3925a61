"""Pieces as in pieces.py that programs seldom have, beside those that random programs seldom draw."""

from __future__ import annotations

import random

from .pieces import (
    Maker,
    Piece,
    a_file_each,
    all_to_all,
    barriers,
    broadcast_tree,
    busy_polling,
    doubling,
    field_by_field,
    graph,
    halo,
    late_receives,
    lazy,
    lazy_sum,
    masters,
    mirrored,
    pipeline,
    read_by_all,
    reduction_tree,
    remade,
    serialised,
    sums,
    to_one,
    transposition,
    written_by_one,
)

KEPT = '\n  __asm__ volatile("");'  # the last call is not made a jump, which would leave the routine out of the path
TIMES = 3  # ways in which ranks are paired


def _matchings(rng: random.Random, ranks: int) -> list[list[int]]:
    """Partners by step and rank, -1 for one that is left over. Together they have no regular shape."""
    while True:
        found = []
        for _ in range(TIMES):
            order = rng.sample(range(ranks), ranks)
            partners = [-1] * ranks
            for a, b in zip(order[::2], order[1::2], strict=False):
                partners[a], partners[b] = b, a
            found.append(partners)
        degrees = [len({m[rank] for m in found} - {-1}) for rank in range(ranks)]
        if len(set(degrees)) > 1 and max(degrees) == TIMES:
            return found


def changing_pairs(rng: random.Random, ranks: int) -> Piece:
    """In each step, a rank exchanges with one other, which changes from step to step."""
    if ranks < 8:
        return halo(rng, ranks)
    table = ", ".join("{" + ", ".join(map(str, partners)) + "}" for partners in _matchings(rng, ranks))
    body = f"""
  static const int partners[{TIMES}][{ranks}] = {{{table}}};
  int partner = partners[step % {TIMES}][rank];
  if (partner >= 0)
    MPI_Sendrecv(out, 50, MPI_DOUBLE, partner, 23, in, 50, MPI_DOUBLE, partner, 23, comm, MPI_STATUS_IGNORE);{KEPT}"""
    return Piece("changing-pairs", body, frozenset({"changing_pairs"}))


def with_everyone(rng: random.Random, ranks: int) -> Piece:
    """Everybody is everybody's neighbour, with a border of another length. Two such routines in turn are a row."""
    if ranks < 6:
        return all_to_all(rng, ranks)
    least, more = rng.choice([(20, 13), (100, 40)])
    body = f"""
  MPI_Request all[64];
  int made = 0;
  for (int r = 0; r < ranks; ++r)
    if (r != rank) MPI_Irecv(in + 400 * r, 400, MPI_DOUBLE, r, 24, comm, &all[made++]);
  for (int r = 0; r < ranks; ++r)
    if (r != rank) MPI_Isend(out, {least} + {more} * ((r + rank) % 5), MPI_DOUBLE, r, 24, comm, &all[made++]);
  MPI_Waitall(made, all, MPI_STATUSES_IGNORE);{KEPT}"""
    pattern = "all_with_all" if ranks <= 8 else "handmade_alltoall"
    allowed = frozenset({"consecutive_exchanges"})
    return Piece("with-everyone", body, frozenset({pattern}), allowed, messages=ranks * (ranks - 1))


def broadcasts_in_a_row(rng: random.Random, ranks: int) -> Piece:
    times, root, count = rng.choice([2, 3, 5]), rng.randrange(ranks), rng.choice([1, 20])
    calls = [f"\n  MPI_Bcast(in + {50 * k}, {count}, MPI_DOUBLE, {root}, comm);" for k in range(times)]
    known: dict[str, dict[str, object]] = {"consecutive_broadcasts": {"together": times}}
    return Piece("broadcasts", "".join(calls) + KEPT, frozenset({"consecutive_broadcasts"}), evidence=known)


def read_by_one(rng: random.Random, ranks: int) -> Piece:
    setup = """
  char* text = calloc(1, 200000);
  if (rank == 0) {
    int fd = open("input.dat", O_RDONLY);
    if (read(fd, text, 200000) < 0) abort();
    close(fd);
  }
  MPI_Bcast(text, 200000, MPI_BYTE, 0, comm);
  free(text);"""
    return Piece("read-by-one", "", frozenset({"read_by_one"}), setup=setup, in_setup=True)


RARE: tuple[Maker, ...] = (
    changing_pairs,
    with_everyone,
    broadcasts_in_a_row,
    masters,
    to_one,
    broadcast_tree,
    reduction_tree,
    doubling,
    transposition,
    mirrored,
    serialised,
    remade,
)
READERS: tuple[Maker, ...] = (read_by_one, read_by_all)
WRITERS: tuple[Maker, ...] = (written_by_one, a_file_each)
RARE_FILES = (*READERS, *WRITERS)
# Those that random programs of these have least often, and for how many ranks they all are what their names say.
RAREST: tuple[Maker, ...] = (changing_pairs, with_everyone, with_everyone, to_one, halo)
RAREST_RANKS = 8
# Pieces of messages that few of the other programs have, and one of two that wait without need.
SELDOM: tuple[Maker, ...] = (late_receives, field_by_field, sums, busy_polling, pipeline, graph, barriers)
LAZY: tuple[Maker, ...] = (lazy, lazy_sum)
