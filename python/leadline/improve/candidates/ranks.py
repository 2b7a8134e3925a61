"""Other numbers of ranks, those that were asked for: the program then divides its work differently."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import Asked, NotTried
from leadline.improve.facts import OMP_THREADS, Facts
from leadline.improve.setting import RANKS, Setting
from leadline.text import format as fmt

WHAT = "numbers of ranks"
RISK = "the work is divided differently: results and output may differ, and are not compared"


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if not asked.ranks:
        yield NotTried(WHAT, "none is asked for: --ranks 32,48")
    elif not facts.count_option:
        yield NotTried(WHAT, "the command has no option of its launcher, known to Leadline, for the number of ranks")
    else:
        for number in asked.ranks:
            what, options = fmt.plural(number, "rank"), (facts.count_option, str(number))
            if number != facts.ranks:
                yield Setting(f"ranks-{number}", RANKS, what, RISK, 1.0, options=options)
            threads = int(facts.cores / number)
            if facts.openmp and threads > 1 and (number != facts.ranks or threads != facts.threads):
                yield Setting(
                    f"ranks-{number}-threads-{threads}",
                    RANKS,
                    f"{what} with {fmt.plural(threads, 'thread')} each ({facts.openmp})",
                    RISK,
                    1.0,
                    options=options,
                    variables={OMP_THREADS: str(threads)},
                )
