"""Random programs of pieces.py, and what is true of each of their routines."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from .fortran import FORTRAN, text_of
from .one_sided import ONE_SIDED
from .pieces import COMMUNICATION, FILES, Piece, remade
from .rare import LAZY, RARE, RARE_FILES, RAREST, RAREST_RANKS, READERS, SELDOM, WRITERS
from .rows import APART_US, ROWS
from .wrappers import c_declarations, c_functions, wrapped

RANKS = (4, 6, 8, 9, 12)
# Pieces that are recognised by the times of a step, or by how often they are called.
TIMED = ("barrier", "busy-polling", "lazy", "lazy-sum", "late-receives")


@dataclass(frozen=True)
class Routine:
    """every: in how many steps it is called once.   otherwise: it is called in all the others instead."""

    name: str
    piece: Piece
    every: int
    otherwise: bool = False

    def calls(self, steps: int) -> int:
        once = len(range(0, steps, self.every))
        return steps - once if self.otherwise else once

    @property
    def rare(self) -> bool:
        """It is not in most pairs of steps."""
        return self.every > 2 and not self.otherwise

    @property
    def condition(self) -> str:
        if self.every == 1:
            return ""
        return f"if (step % {self.every} {'!=' if self.otherwise else '=='} 0) "


@dataclass(frozen=True)
class Program:
    """library: a second source file, with functions of the program's own around MPI; "": there is none.
    driven: its steps are made by one of several commands (driven.py)."""

    seed: int
    ranks: int
    steps: int
    level: str
    routines: tuple[Routine, ...]
    text: str
    library: str = ""
    fortran: bool = False
    driven: bool = False

    def required(self, routine: Routine) -> frozenset[str]:
        """A barrier is redundant only if nothing in the steps has to be ordered by it, and if they communicate.
        Beside files it is redundant in some (test_barriers.py).

        The order of operations is read in one step, which may lack what recurs in some.
        """
        if routine.piece.kind == "barrier" and (self.ordered or not self.communicates):
            return frozenset()
        rows = {"consecutive_exchanges", "consecutive_reductions", "consecutive_broadcasts"}
        if routine.every > 1 and routine.piece.kind == "remade":
            return frozenset()  # not in nine of ten iterations
        if routine.rare:
            return routine.piece.required - rows - ({"packable_messages"} if routine.piece.one_sided else set())
        return routine.piece.required

    def allowed(self, routine: Routine) -> frozenset[str]:
        return routine.piece.required | routine.piece.allowed

    @property
    def communicates(self) -> bool:
        return any(r.piece.kind != "barrier" for r in self.routines)

    @property
    def ordered(self) -> bool:
        return any(r.piece.files or r.piece.wildcards or r.piece.one_sided for r in self.routines)


HEAD = """#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static int rank, ranks;
static MPI_Comm comm;
static double out[200000], in[200000];
/* Computes, or rests, for so many microseconds. */
__attribute__((noinline)) static void work(int us) {
  for (int i = 0; i < 200 * us; ++i) out[i % 1000] += 1e-9 * i;
}
static void rest(int us) {
  struct timespec t = {0, 1000L * us};
  nanosleep(&t, NULL);
}
"""


def random_program(
    seed: int,
    *,
    fortran: bool = False,
    one_sided: bool = False,
    rows: bool = False,
    rare: bool = False,
    rarest: bool = False,
    seldom: bool = False,
    pieces: int | None = None,
) -> Program:
    """pieces: routines that communicate, instead of a few; not in Fortran or with one-sided operations."""
    rng = random.Random(seed)
    ranks = rng.choice(RANKS)
    steps = rng.randrange(8, 30)
    if fortran:
        return _in_fortran(rng, seed, ranks, steps)
    if rows:
        makers = rng.sample(ROWS, pieces or rng.randrange(3, 6))
    elif rarest:
        ranks = RAREST_RANKS
        makers = [*RAREST, rng.choice(READERS), rng.choice(WRITERS)]
    elif seldom:
        makers = [*SELDOM, rng.choice(LAZY)]
    elif rare:
        makers = [*rng.sample(RARE, pieces or 5), rng.choice(RARE_FILES)]
    elif one_sided:
        makers = [*rng.sample(ONE_SIDED, rng.randrange(2, 4)), *rng.sample(COMMUNICATION, rng.randrange(0, 2))]
    else:
        makers = rng.sample(COMMUNICATION, pieces or rng.randrange(2, 5))
    if not (rare or rarest or seldom) and rng.random() < 0.4:
        makers.append(rng.choice(FILES))
    rng.shuffle(makers)
    routines = []
    for number, maker in enumerate(makers):
        piece = maker(rng, ranks)
        every = rng.choice([2, 4]) if rng.random() < 0.2 and piece.kind not in TIMED else 1
        routines.append(Routine(f"part{number}", piece, every))
    also = random.Random(seed + 1_000_000)
    if also.random() < 0.15:
        routines.append(Routine(f"part{len(routines)}", remade(also, ranks), 1))
    level = rng.choice(["-O0", "-O1", "-O2"])
    text = _text(rng, steps, routines, f" work({APART_US});" if rows else "", apart=rare or rarest)
    library = ""
    if rng.random() < 0.3:
        # A routine whose last call is made a jump is missing in the call path, and so the piece would be.
        text = wrapped(text).replace("\n}\nstatic", '\n  __asm__ volatile("");\n}\nstatic')
        text = text.replace("\n}\nint main", '\n  __asm__ volatile("");\n}\nint main')
        text = text.replace("/* Computes", c_declarations() + "/* Computes")
        library = c_functions(counting=rng.random() < 0.7)
        if rng.random() < 0.3:  # in the same file
            text, library = text + library, ""
    return Program(seed, ranks, steps, level, tuple(routines), text, library)


def _in_fortran(rng: random.Random, seed: int, ranks: int, steps: int) -> Program:
    routines = []
    for number, maker in enumerate(rng.sample(FORTRAN, rng.randrange(2, 5))):
        piece = maker(rng, ranks)
        routines.append(Routine(f"part{number}", piece, rng.choice([1, 1, 1, 2]) if piece.kind not in TIMED else 1))
    level = rng.choice(["-O0", "-O1", "-O2"])
    parts = [(routine.name, routine.piece, routine.every) for routine in routines]
    text = text_of(steps, parts, f08=rng.random() < 0.5, own=rng.random() < 0.3)
    return Program(seed, ranks, steps, level, tuple(routines), text, fortran=True)


@dataclass
class Parts:
    """Of a program's text: functions, their calls in a step, and what comes before and after all steps."""

    functions: list[str]
    calls: list[str]
    setups: list[str]
    teardowns: list[str]


def parts_of(rng: random.Random, routines: Sequence[Routine], after: str = "", *, apart: bool = False) -> Parts:
    """after: statements after each call.   apart: compilers neither make the last call of a routine a jump, which
    leaves the routine out of the call path, nor merge the last calls of two routines of which a step takes one."""
    teardowns = [f"  {r.piece.teardown.replace('NAME', r.name)}" for r in routines if r.piece.teardown]
    parts = Parts([], [], [], teardowns)
    for routine in routines:
        piece, name = routine.piece, routine.name
        inlined = "" if rng.random() < 0.3 else "__attribute__((noinline)) "
        parts.functions.append(f"static MPI_Comm {name}_grid;\nstatic MPI_Request {name}_all[64];\n")
        if piece.one_sided:
            parts.functions.append(
                f"static MPI_Win {name}_window;\nstatic MPI_Group {name}_group, {name}_before;\n"
                f"static double* {name}_memory;\n"
            )
        if piece.in_setup:
            parts.functions.append(f"{inlined}static void {name}(void) {{{piece.setup}\n}}\n")
            parts.setups.append(f"  {name}();")
            continue
        if piece.setup:
            parts.setups.append(f"  {{ {piece.setup.replace('NAME', name)} }}")
        end = f'\n  __asm__ volatile("# {name}");' if apart else ""
        parts.functions.append(f"{inlined}static void {name}(int step) {{{piece.body.replace('NAME', name)}{end}\n}}\n")
        parts.calls.append(f"    {routine.condition}{name}(step);{after}")
    parts.calls.append(f"    work({rng.choice([20, 100])});")
    return parts


def main_of(body: str) -> str:
    return (
        "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n  comm = MPI_COMM_WORLD;\n"
        "  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);\n"
        f"{body}\n  MPI_Finalize();\n}}\n"
    )


def _text(rng: random.Random, steps: int, routines: list[Routine], after: str, *, apart: bool) -> str:
    parts = parts_of(rng, routines, after, apart=apart)
    loop = [f"  for (int step = 0; step < {steps}; ++step) {{", *parts.calls, "  }"]
    body = "\n".join([*parts.setups, *loop, *parts.teardowns])
    return "".join([HEAD, *parts.functions, main_of(body)])
