"""Pieces as in pieces.py, of exchanges and reductions in a row: what could be one, what depends on the one before, and
textbook orders that are healthy."""

from __future__ import annotations

import random

from .pieces import Maker, Piece

APART_US = 300  # long beside the packing of a few hundred numbers
RING = "int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;"
# If the last call were made a jump, its call path would lack the routine.
KEPT = '\n  __asm__ volatile("");'


def swap(how: str, first: int, count: int) -> str:
    """Both neighbours' faces of the field that begins at `first`, complete at the end."""
    a, b = f"out + {first}", f"out + {first + count}"
    x, y = f"in + {first}", f"in + {first + count}"
    if how == "sendrecv":
        return f"""
  MPI_Sendrecv({a}, {count}, MPI_DOUBLE, left, 3, {y}, {count}, MPI_DOUBLE, right, 3, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv({b}, {count}, MPI_DOUBLE, right, 4, {x}, {count}, MPI_DOUBLE, left, 4, comm, MPI_STATUS_IGNORE);"""
    send, ends = ("Isend", ", &all[2]"), ", &all[3]"
    if how == "send":
        send, ends = ("Send", ""), ""
    name, end = send
    made = 4 if how == "isend" else 2
    return f"""
  MPI_Irecv({x}, {count}, MPI_DOUBLE, left, 5, comm, &all[0]);
  MPI_Irecv({y}, {count}, MPI_DOUBLE, right, 6, comm, &all[1]);
  MPI_{name}({a}, {count}, MPI_DOUBLE, left, 6, comm{end});
  MPI_{name}({b}, {count}, MPI_DOUBLE, right, 5, comm{ends});
  MPI_Waitall({made}, all, MPI_STATUSES_IGNORE);"""


def exchanges(kind: str, ranks: int, parts: list[str], between: str, required: set[str], **evidence: int) -> Piece:
    body = f"\n  {RING}\n  MPI_Request all[4];\n  (void)all;" + between.join(parts) + KEPT
    known: dict[str, dict[str, object]] = {"nearest_neighbour": {"dims": [ranks]}}
    if evidence:
        known["consecutive_exchanges"] = dict(evidence)
    return Piece(kind, body, frozenset({"nearest_neighbour"} | required), evidence=known)


def _fields(rng: random.Random) -> list[str]:
    how, count = rng.choice(["isend", "send", "sendrecv"]), rng.choice([10, 60, 120])
    return [swap(how, 1000 * number, count) for number in range(rng.choice([2, 3, 5]))]


def fields_in_a_row(rng: random.Random, ranks: int) -> Piece:
    parts = _fields(rng)
    return exchanges("row", ranks, parts, "", {"consecutive_exchanges"}, together=len(parts))


def fields_apart(rng: random.Random, ranks: int) -> Piece:
    """Each field is computed from the one before."""
    return exchanges("apart", ranks, _fields(rng), f"\n  work({APART_US});", set())


def fields_with_sums(rng: random.Random, ranks: int) -> Piece:
    """What is sent depends on a sum over all ranks."""
    between = "\n  double sum;\n  MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);\n  out[0] = sum;"
    parts = _fields(rng)
    body = f"\n  {RING}\n  MPI_Request all[4];\n  (void)all;"
    body += "".join(f"{{{part}{between}}}" for part in parts) + KEPT
    known: dict[str, dict[str, object]] = {"nearest_neighbour": {"dims": [ranks]}}
    allowed = frozenset({"allreduce_bound"})
    return Piece("with-sums", body, frozenset({"nearest_neighbour"}), allowed, known)


def relaxations(rng: random.Random, ranks: int) -> Piece:
    sweeps, part = rng.choice([3, 6]), _fields(rng)[0]
    body = f"""
  {RING}
  MPI_Request all[4];
  (void)all;
  for (int k = 0; k < {sweeps}; ++k) {{{part}
  work({APART_US});
  }}{KEPT}"""
    known: dict[str, dict[str, object]] = {
        "nearest_neighbour": {"dims": [ranks]},
        "packable_messages": {"assumes": "independent trips"},  # the record cannot tell them from fields
    }
    return Piece("relaxations", body, frozenset({"nearest_neighbour"}), frozenset({"packable_messages"}), known)


def numbers(rng: random.Random, ranks: int) -> Piece:
    """The faces of a block number by number, one of them longer than the other."""
    shorter, longer = rng.choice([(20, 35), (30, 30), (12, 100)])
    body = f"\n  {RING}"
    for to, of, tag, times in (("right", "left", 9, shorter), ("left", "right", 10, longer)):
        body += f"""
  for (int k = 0; k < {times}; ++k)
    MPI_Sendrecv(out + k, 1, MPI_DOUBLE, {to}, {tag}, in + k, 1, MPI_DOUBLE, {of}, {tag}, comm, MPI_STATUS_IGNORE);"""
    known: dict[str, dict[str, object]] = {
        "nearest_neighbour": {"dims": [ranks]},
        "packable_messages": {"together": shorter} | ({"together_at_least": True} if longer > shorter else {}),
    }
    return Piece("numbers", body + KEPT, frozenset({"nearest_neighbour", "packable_messages"}), evidence=known)


def _sums(rng: random.Random, between: str) -> tuple[int, str]:
    times, count = rng.choice([2, 3, 4]), rng.choice([1, 1, 41])
    sums = [
        f"\n  MPI_Allreduce(out + {50 * k}, in + {50 * k}, {count}, MPI_DOUBLE, MPI_SUM, comm);" for k in range(times)
    ]
    return times, between.join(sums) + KEPT


def sums_in_a_row(rng: random.Random, ranks: int) -> Piece:
    times, body = _sums(rng, "")
    needed = frozenset({"consecutive_reductions"})
    known: dict[str, dict[str, object]] = {"consecutive_reductions": {"together": times}}
    return Piece("sums-row", body, needed, frozenset({"allreduce_bound"}), known)


def sums_apart(rng: random.Random, ranks: int) -> Piece:
    _, body = _sums(rng, f"\n  work({APART_US});")
    return Piece("sums-apart", body, frozenset(), frozenset({"allreduce_bound", "separate_reductions"}))


def posted_first(rng: random.Random, ranks: int) -> Piece:
    """Large blocking sends, after the receives were posted: no rank waits for a chain of others."""
    parts = [swap("send", 0, 20000) for _ in range(rng.choice([1, 2]))]
    return exchanges("posted-first", ranks, parts, f"\n  work({APART_US});", set())


def shifts(rng: random.Random, ranks: int) -> Piece:
    """One direction, then the other, each with its receive posted before the send."""
    count = rng.choice([100, 20000])
    body = f"\n  {RING}\n  MPI_Request one;"
    for to, of, tag in (("right", "left", 7), ("left", "right", 8)):
        body += f"""
  MPI_Irecv(in, {count}, MPI_DOUBLE, {of}, {tag}, comm, &one);
  MPI_Send(out, {count}, MPI_DOUBLE, {to}, {tag}, comm);
  MPI_Wait(&one, MPI_STATUS_IGNORE);"""
    known: dict[str, dict[str, object]] = {"nearest_neighbour": {"dims": [ranks]}}
    return Piece("shifts", body + KEPT, frozenset({"nearest_neighbour"}), evidence=known)


ROWS: list[Maker] = [
    fields_in_a_row,
    fields_apart,
    fields_with_sums,
    relaxations,
    sums_in_a_row,
    sums_apart,
    posted_first,
    shifts,
    numbers,
]
