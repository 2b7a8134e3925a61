"""Reductions of what may be a solver, apart from one another, that a rearranged solver makes as one."""

from __future__ import annotations

from leadline.advice.candidate import Candidate, Kind
from leadline.advice.places import of_pattern
from leadline.figures.content import Content
from leadline.figures.patterns import PatternEntry
from leadline.predict import Computation, Without

LONGER = 1.1
"""Of the loop's computation, assumed. Chronopoulos and Gear's form updates one vector more: 24 B a row, beside some 200
of a matrix with 7 diagonals and the updates of CG, and 440 of one with 27."""


def candidates(content: Content) -> list[Candidate]:
    return [_candidate(entry) for entry in content.patterns if entry.name == "separate_reductions" and entry.sites]


def _candidate(entry: PatternEntry) -> Candidate:
    where, number = of_pattern(entry), int(entry.evidence["reductions"])
    left_out = entry.sites[:-1]
    return Candidate(
        "merge-later",
        f"Make one reduction in each iteration of {where} in place of {number}",
        "Chronopoulos and Gear's form of the conjugate gradient method computes its sums at once. The pipelined form "
        "(Ghysels and Vanroose) also computes while that reduction is made (MPI_Iallreduce).",
        entry.sites,
        Without(where, tuple(member for site in left_out for member in site.members)),
        (
            "the loop is such a solver (one exchange and these reductions in each iteration is all that the record "
            "shows), and may round somewhat more",
            f"the vectors that it updates besides take {LONGER - 1:.0%} of the loop's computation",
        ),
        together=number,
        also=(Computation(where, LONGER, (int(entry.evidence["loop"]),)),),
    )


KIND = Kind(id="merge-later", order=37, candidates=candidates, patterns=("separate_reductions",))
