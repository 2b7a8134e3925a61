"""Random programs whose steps are made by one of several commands, go one of two ways, and rarely write output."""

from __future__ import annotations

import random

from .pieces import COMMUNICATION, a_file_each, written_by_one
from .programs import HEAD, RANKS, TIMED, Program, Routine, main_of, parts_of

# Rank 0 knows what is next, as that of a program that reads commands from its input.
COMMANDS = """
__attribute__((noinline)) static int next_command(int number) {
  static const int script[] = {0, 1, 0, 0, 2, 1, 0, 3, 0, 1};
  int command = script[number];
  MPI_Bcast(&command, 1, MPI_INT, 0, comm);
  work(30);
  return command;
}
__attribute__((noinline)) static void carry_out(int command) {
  if (command == 1) {
    double sum;
    MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    out[0] = sum;
  } else if (command == 2) {
    run_steps();
  } else {
    work(200);
  }
}
"""


def driven_program(seed: int) -> Program:
    rng = random.Random(seed)
    ranks, steps = rng.choice(RANKS), rng.randrange(30, 90)
    every, rare = rng.choice([2, 3, 5]), rng.choice([10, 25])
    makers = rng.sample(COMMUNICATION, rng.randrange(3, 5))
    pieces = sorted((maker(rng, ranks) for maker in makers), key=lambda piece: piece.kind in TIMED)
    routines = [Routine(f"part{number}", piece, 1) for number, piece in enumerate(pieces)]
    if not any(piece.kind in TIMED for piece in pieces[:2]):
        routines[0] = Routine("part0", pieces[0], every)
        routines[1] = Routine("part1", pieces[1], every, otherwise=True)
    if rng.random() < 0.6:
        output = rng.choice([written_by_one, a_file_each])(rng, ranks)
        routines.append(Routine(f"part{len(routines)}", output, rare))
    parts = parts_of(rng, routines, apart=True)
    steps_text = "\n".join([f"  for (int step = 0; step < {steps}; ++step) {{", *parts.calls, "  }"])
    run_steps = f"__attribute__((noinline)) static void run_steps(void) {{\n{steps_text}\n}}"
    loop = "  for (int number = 0; number < 10; ++number) carry_out(next_command(number));"
    body = "\n".join([*parts.setups, loop, *parts.teardowns])
    text = "".join([HEAD, *parts.functions, run_steps, COMMANDS, main_of(body)])
    level = rng.choice(["-O0", "-O1", "-O2"])
    return Program(seed, ranks, steps, level, tuple(routines), text, driven=True)
