"""What the two papers on OPATM-BFM report.

S. Svjatnyj, A. Cheptsov, R. Keller, S. Salon: Investigation of message-passing communication patterns (case study for
the opatm-bfm application). A. Cheptsov, K. Dichev, R. Keller, P. Lazzari, S. Salon: Porting the OPATM-BFM Application
to a Grid e-Infrastructure – Optimization of Communication and I/O Patterns.
"""

from __future__ import annotations

from dataclasses import dataclass

PROCESSES = (32, 64)
STEPS = 3
REAL_STEPS = 816  # 17 days
STEPS_PER_OUTPUT = 48


@dataclass(frozen=True)
class PublishedPhase:
    """Seconds at 32 and 64 processes: (computation, MPI) before, and in all after the optimisation."""

    before: tuple[tuple[float, float], tuple[float, float]]
    after_s: tuple[float, float]


PHASES = {
    "input": PublishedPhase(((939, 6), (2238, 6)), (300, 360)),
    "loop": PublishedPhase(((3, 5), (2, 5)), (7, 6)),
    "output": PublishedPhase(((7, 204), (3, 170)), (207.5, 172)),
}
# Messages that all 32 processes send in a step, by routine.
MESSAGES = {"trcadv": 25_296, "trchdf": 224_502, "trcnxt": 3_162}
# What the changed part takes, as a share of what it took.
ONE_SEGMENT = 0.5  # communication of trcnxt and of trcadv
COLLECTIVES = 0.5  # communication of the output
PARALLEL_INPUT = (0.32, 0.16)  # time of the input, at 32 and 64 processes
# Minutes of the real case, at 32 and 64 processes.
REAL_BEFORE = (309, 213)
REAL_AFTER = (293, 185)
