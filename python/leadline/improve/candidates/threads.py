"""How many threads a rank of a program with OpenMP has."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import Asked, NotTried
from leadline.improve.facts import OMP_THREADS, Facts
from leadline.improve.setting import Setting
from leadline.text import format as fmt

WHAT = "threads of ranks"
RISK = "sums of threads may be made in another order"
REORDERS = "sums of threads may then be made in another order, which can change results: --reorder"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if not facts.openmp:
        yield NotTried(WHAT, "the program is linked with no OpenMP library that Leadline knows")
        return
    numbers = sorted({1, max(int(facts.cores / facts.ranks), 1)} - {facts.threads})
    if not numbers:
        yield NotTried(WHAT, f"each rank has {fmt.plural(facts.threads, 'busy thread')}, as many as cores")
    elif not asked.reorder:
        yield NotTried(WHAT, REORDERS)
    else:
        for number in numbers:
            what = f"{fmt.plural(number, 'thread')} for each rank ({facts.openmp}), instead of {facts.threads}"
            variables = {OMP_THREADS: str(number)}
            yield Setting(f"threads-{number}", "threads", what, RISK, 1.0, variables=variables)
