"""The library's own algorithms for collectives that take time, each for all sizes."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Collective, Facts
from leadline.improve.setting import Setting
from leadline.libraries.rule import Rule, Table
from leadline.libraries.settings import MOST_BYTES
from leadline.operations import operations
from leadline.text import format as fmt

WHAT = "algorithms of the library"
RISK = "the algorithm holds for all sizes and communicators, those of other phases too"
REORDERS = "sums may be made in another order, which can change results: --reorder"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if facts.library is None:
        yield NotTried(WHAT, "the MPI library is unknown")
        return
    if not facts.collectives:
        yield NotTried(WHAT, "the program makes no collective call")
    for used in facts.collectives:
        what = f"{WHAT}: {used.function}"
        if used.share < WORTH:
            yield NotTried(what, f"it takes {fmt.percent(used.share)} of the time")
        elif not used.operation:
            yield NotTried(what, "no setting is known for it")
        elif operations()[used.operation].reduces and not asked.reorder:
            yield NotTried(what, REORDERS)
        else:
            yield from _of(used, facts, asked)


def _of(used: Collective, facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    library = facts.library
    assert library is not None
    for algorithm in library.algorithms[used.operation]:
        table = Table((Rule(used.operation, (2, max(facts.ranks, 2)), (0, MOST_BYTES), algorithm),))
        found = library.settings(table, facts.ranks, fill=True, file=asked.libmpi)
        if not found.set:
            why = found.not_set[0].why if found.not_set else "the library has no setting for it"
            yield NotTried(f"{used.function} by {algorithm}", why)
            continue
        set_already = {**found.variables, **found.files}
        hiding = [name for name in facts.set_variables if used.operation in name.lower() and name not in set_already]
        yield Setting(
            f"{used.operation}-{algorithm.replace('_', '-')}",
            f"algorithm-{used.operation}",
            f"{used.function} by the library's {algorithm}",
            RISK,
            used.share,
            variables=found.variables,
            files=found.files,
            files_for_more=found.files_for_more,
            without=tuple(hiding),
            table=table,
        )
