"""Programs drawn at random: steps of healthy pieces with computation between them, and one planted fault.

A fault is a routine `planted` of its own, which is called in each step, and has its mended form beside it (FORM 1), so
that its gain can be measured. What it costs is drawn as a share of a step; its numbers follow from what calls roughly
take.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

STEPS_S = 0.3  # all steps together, roughly
STEP_US = (250, 900)
SHARE = (0.1, 0.4)  # of a step that the fault costs, roughly
MESSAGE_US = 0.8  # roughly: what each of these costs that is one too many
EXCHANGE_US = 2.0
SUM_US = 1.5
POLL_US = 0.03
WRITE_US = 1.2
PER_KB_US = 0.2  # to write
PER_BLOCK_US = 0.02  # of a datatype that is committed
COMMUNICATOR_US = 12.0


@dataclass(frozen=True)
class Fault:
    """kinds: of proposals, the first of which is right (any of them).   code: the statements of `planted` in C."""

    name: str
    kinds: tuple[str, ...]
    code: str
    before: str = ""


@dataclass(frozen=True)
class Program:
    """routine: in which the fault is.   case: to be run as those of the suite are."""

    fault: Fault
    text: str
    steps: int
    case: str = "drawn"
    routine: str = "planted"


Draw = random.Random


def _balance(cost_us: float, draw: Draw) -> Fault:
    who, us = draw.choice(("0", "size - 1")), round(cost_us)
    return Fault("uneven", ("balance",), f"compute(mended ? {us} : rank == {who} ? size * {us} : 0);\n  sum();")


def _pack(cost_us: float, draw: Draw) -> Fault:
    fields, n = max(round(cost_us / EXCHANGE_US), 4), draw.randint(2, 60)
    return Fault(
        "fields",
        ("pack",),
        f"if (mended)\n    swap_faces(out, {fields * n});\n  else\n"
        f"    for (int f = 0; f < {fields}; ++f) swap_faces(out + f * {2 * n}, {n});",
    )


def _rows(cost_us: float, draw: Draw) -> Fault:
    rows, n = max(round(cost_us / MESSAGE_US), 8), draw.randint(2, 60)
    return Fault(
        "rows",
        ("pack",),
        f"int to = rank ^ 1, number = mended ? 1 : {rows}, n = mended ? {rows * n} : {n};\n"
        "  if (to >= size) return;\n"
        "  if (rank % 2)\n    for (int i = 0; i < number; ++i) MPI_Send(out + i * n, n, MPI_DOUBLE, to, 3, COMM);\n"
        "  else\n    for (int i = 0; i < number; ++i) "
        "MPI_Recv(in + i * n, n, MPI_DOUBLE, to, 3, COMM, NO_STATUS);",
    )


def _merge_exchanges(cost_us: float, draw: Draw) -> Fault:
    fields, n = min(max(round(cost_us / EXCHANGE_US), 3), 40), draw.randint(2, 60)
    each = "".join(f"\n    swap_faces(out + {2 * n * f}, {n});" for f in range(fields))
    return Fault(
        "exchanges in a row",
        ("merge-exchanges", "pack"),
        f"if (mended) {{\n    swap_faces(out, {fields * n});\n  }} else {{{each}\n  }}",
    )


def _merge_reductions(cost_us: float, draw: Draw) -> Fault:
    number = min(max(round(cost_us / SUM_US), 4), 60)
    one = "MPI_Allreduce(out{at}, in{at}, {n}, MPI_DOUBLE, MPI_SUM, COMM);"
    if draw.random() < 0.5:
        several = f"for (int i = 0; i < {number}; ++i) " + one.format(at=" + i", n=1)
    else:
        several = "{" + "".join("\n    " + one.format(at=f" + {i}", n=1) for i in range(number)) + "\n  }"
    return Fault("sums", ("merge-reductions",), f"if (mended)\n    {one.format(at='', n=number)}\n  else {several}")


def _overlap(cost_us: float, draw: Draw) -> Fault:
    n, us = draw.randint(10, 1000), round(cost_us)
    return Fault(
        "chain",
        ("overlap",),
        "MPI_Request one = MPI_REQUEST_NULL;\n"
        f"  if (mended)\n    MPI_Irecv(in, {n}, MPI_DOUBLE, below, 4, COMM, &one);\n"
        f"  else\n    MPI_Recv(in, {n}, MPI_DOUBLE, below, 4, COMM, NO_STATUS);\n"
        f"  compute({us});\n  MPI_Send(out, {n}, MPI_DOUBLE, above, 4, COMM);\n  MPI_Wait(&one, NO_STATUS);\n  sum();",
    )


def _relax(cost_us: float, draw: Draw) -> Fault:
    n, us = draw.randint(1, 20), round(cost_us)
    return Fault(
        "synchronous",
        ("relax-sends",),
        "int partner = rank ^ 1, sends = rank % 2 == step % 2;\n"
        f"  compute(sends ? {us} : {3 * us});\n  if (partner >= size) return;\n"
        f"  if (!sends)\n    MPI_Recv(in, {n}, MPI_DOUBLE, partner, 5, COMM, NO_STATUS);\n"
        f"  else if (mended)\n    MPI_Send(out, {n}, MPI_DOUBLE, partner, 5, COMM);\n"
        f"  else\n    MPI_Ssend(out, {n}, MPI_DOUBLE, partner, 5, COMM);",
    )


def _communicator(cost_us: float, draw: Draw) -> Fault:
    number = max(round(cost_us / COMMUNICATOR_US), 1)
    return Fault(
        "communicators",
        ("create-once",),
        f"if (!mended)\n    for (int i = 0; i < {number}; ++i) {{\n      MPI_Comm mine;\n"
        "      MPI_Comm_dup(COMM, &mine);\n      MPI_Comm_free(&mine);\n    }",
    )


def _datatype(cost_us: float, draw: Draw) -> Fault:
    blocks = min(max(round(cost_us / PER_BLOCK_US), 100), 9000)
    return Fault(
        "datatypes",
        ("create-once",),
        "static MPI_Datatype kept = MPI_DATATYPE_NULL;\n  MPI_Datatype one = kept;\n"
        "  if (!mended || kept == MPI_DATATYPE_NULL) one = irregular();\n  kept = one;\n"
        f"  MPI_Sendrecv(out, 1, one, right, 6, in, {blocks}, MPI_DOUBLE, left, 6, COMM, NO_STATUS);\n"
        "  if (!mended) MPI_Type_free(&one);",
        f"OWN MPI_Datatype irregular(void) {{\n  static int at[{blocks}];\n"
        f"  for (int i = 0; i < {blocks}; ++i) at[i] = 3 * i + i % 2;\n  MPI_Datatype made;\n"
        f"  MPI_Type_create_indexed_block({blocks}, 1, at, MPI_DOUBLE, &made);\n"
        "  MPI_Type_commit(&made);\n  return made;\n}\n",
    )


def _poll(cost_us: float, draw: Draw) -> Fault:
    polls = max(round(cost_us / POLL_US), 200)
    return Fault(
        "polling",
        ("poll-once",),
        f"int there = 0;\n  for (int i = 0; i < (mended ? 1 : {polls}); ++i) "
        "MPI_Iprobe(MPI_ANY_SOURCE, 77, COMM, &there, NO_STATUS);\n  sum();",
    )


FILE = (
    'char name[64];\n  static int file = -1;\n  sprintf(name, "planted-%d.dat", rank);\n'
    "  if (file < 0) file = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);\n  "
)


def _small_writes(cost_us: float, draw: Draw) -> Fault:
    number, n = max(round(cost_us / WRITE_US), 10), draw.randint(64, 200)
    return Fault(
        "small writes",
        ("larger-io",),
        f"{FILE}if (mended)\n    pwrite(file, out, {number * n * 8}, 0);\n  else\n"
        f"    for (int i = 0; i < {number}; ++i) pwrite(file, out + i * {n}, {n * 8}, i * {n * 8}L);\n  sum();",
    )


def _output(cost_us: float, draw: Draw) -> Fault:
    kb = min(max(round(cost_us / PER_KB_US), 40), 3000)
    return Fault(
        "output",
        ("less-output",),
        f"{FILE}if (!rank && (!mended || step % 20 == 0)) pwrite(file, out, {kb * 1024}, 0);\n  sum();",
    )


FAULTS: tuple[Callable[[float, Draw], Fault], ...] = (
    _balance,
    _pack,
    _rows,
    _merge_exchanges,
    _merge_reductions,
    _overlap,
    _relax,
    _communicator,
    _datatype,
    _poll,
    _small_writes,
    _output,
)


def _healthy(draw: Draw) -> str:
    """The body of a healthy piece, after which the step computes."""
    n = round(10 ** draw.uniform(0, 3.5))
    return draw.choice(
        (
            f"swap_faces(out, {n});",
            f"MPI_Sendrecv(out, {n}, MPI_DOUBLE, right, 7, in, {n}, MPI_DOUBLE, left, 7, COMM, NO_STATUS);",
            f"MPI_Allreduce(out, in, {min(n, 100)}, MPI_DOUBLE, MPI_MAX, COMM);",
            f"MPI_Bcast(in, {min(n, 100)}, MPI_DOUBLE, 0, COMM);",
            f"MPI_Allgather(out, {n}, MPI_DOUBLE, in, {n}, MPI_DOUBLE, COMM);",
            "MPI_Request all[2];\n"
            f"  MPI_Irecv(in, {n}, MPI_DOUBLE, left, 8, COMM, &all[0]);\n"
            f"  MPI_Isend(out, {n}, MPI_DOUBLE, right, 8, COMM, &all[1]);\n"
            f"  compute({draw.randint(40, 120)});\n  MPI_Waitall(2, all, NO_STATUSES);",
        )
    )


def drawn(seed: int) -> Program:
    """Seeds in a row go through all faults."""
    draw = random.Random(seed)
    step_us = draw.uniform(*STEP_US)
    cost_us = step_us * draw.uniform(*SHARE)
    fault = FAULTS[seed % len(FAULTS)](cost_us, draw)
    pieces = draw.randint(2, 4)
    routines = [f"OWN void piece{i}(void) {{\n  {_healthy(draw)}\n  KEEP;\n}}\n" for i in range(pieces)]
    calls = [f"piece{i}();" for i in range(pieces)]
    calls.insert(draw.randint(0, pieces), "planted(mended, step);")
    parts = [draw.uniform(0.5, 1.5) for _ in calls]
    times = [max(round((step_us - cost_us) * part / sum(parts)), 20) for part in parts]
    body = "\n".join(f"    {call}\n    compute({us});" for call, us in zip(calls, times, strict=True))
    planted = f"OWN void planted(int mended, int step) {{\n  (void)mended, (void)step;\n  {fault.code}\n  KEEP;\n}}\n"
    loop = f"CASE(drawn) {{\n  for (int step = 0; step < steps; ++step) {{\n{body}\n  }}\n}}\n"
    text = '#include "suite.h"\n\n' + "\n".join((*routines, fault.before, planted, loop, "PROGRAM(IS(drawn))\n"))
    return Program(fault, text, round(STEPS_S * 1e6 / step_us))
