"""python benchmarks/compare/pairs.py [--mpi NAME] [--pairs N] [--repeats N] [--keep DIR]

What `leadline compare` says of pairs of runs: identical ones, of which no difference may be claimed, and pairs made to
differ in one thing, which must be named first. Runs are recorded in turn; docs/compare/compare.md has the result.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline.compare import Comparison, Group, compare
from leadline.compare.from_run import open_subject
from leadline.compare.words import verdict
from leadline.mpi import Library, find
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.order import Order, turns
from leadline.workloads import build
from leadline.workloads import find as workload

PROGRAM = Path(__file__).resolve().parent / "steps.c"
TIMEOUT_S = 600
GROUP = 4  # repeats of identical runs
OPATM = ("--grid", "64x32x12", "--steps", "200", "--cost", "light")
STEPS = ("300", "4000000", "-1", "0", "65536")
LARGE = ("1000", "100000", "-1", "0", "262144")


@dataclass(frozen=True)
class Case:
    """expected: a word of the verdict that names the thing."""

    name: str
    a: Sequence[str]
    b: Sequence[str]
    expected: str
    ranks: tuple[int, int] = (2, 2)
    b_environment: dict[str, str] = field(default_factory=dict)


# The broadcast in small pieces along a tree or chain, which takes much longer than any default: MPICH's variables, then
# Open MPI's. Each library ignores the other's.
BCAST = {
    "MPIR_CVAR_BCAST_DEVICE_COLLECTIVE": "0",
    "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "pipelined_tree",
    "MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE": "256",
    "OMPI_MCA_coll_tuned_priority": "100",
    "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
    "OMPI_MCA_coll_tuned_bcast_algorithm": "3",
    "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize": "256",
}


def cases(opatm: Path, steps: Path) -> list[Case]:
    def tracers(n: int) -> list[str]:
        return [str(opatm), *OPATM, "--tracers", str(n)]

    return [
        Case("one more field", tracers(8), tracers(9), "12.5 % more messages"),
        Case(
            "a rank 10 % slower", [str(steps), *STEPS], [str(steps), *STEPS[:2], "1", "10", STEPS[4]], "Rank 1 computes"
        ),
        Case("another broadcast", [str(steps), *LARGE], [str(steps), *LARGE], "MPI_Bcast", b_environment=BCAST),
        Case("twice the ranks", tracers(8), tracers(8), "2 ranks instead of 1", ranks=(1, 2)),
    ]


def record(library: Library, words: Sequence[str], ranks: int, more: dict[str, str], into: Path) -> Path:
    command = [*library.launch(ranks, oversubscribe=True), *words]
    recording = (sys.executable, "-m", "leadline", "record", "-o", str(into), "--", *command)
    environment = {**os.environ, **library.env(), **library.kind.unbound, **more}
    execute(Launch(into.name, recording, environment, limit_s=TIMEOUT_S)).required()
    return into


def claims(comparison: Comparison) -> int:
    return len(comparison.pairs[0].claims)


def compared(a: Sequence[Path], b: Sequence[Path]) -> Comparison:
    groups = [Group(",".join(path.name for path in side), [open_subject(path) for path in side]) for side in (a, b)]
    return compare(groups)


def identical(library: Library, words: Sequence[str], name: str, pairs: int, folder: Path) -> None:
    claimed = 0
    runs: list[tuple[Path, Path]] = []
    pair: dict[str, Path] = {}
    for turn in turns("ab", pairs, Order.BACK_AND_FORTH):
        side, number = turn.candidate, turn.round
        pair[side] = record(library, words, 2, {}, folder / f"same-{name}-{number}{side}")
        if turn.place == 0:
            continue
        runs.append((pair["a"], pair["b"]))
        comparison = compared([pair["a"]], [pair["b"]])
        claimed += bool(claims(comparison))
        print(f"  {number:2}: {verdict(comparison)}", flush=True)
    print(f"identical runs of {name}, one each: a difference claimed in {claimed} of {pairs} pairs")
    groups = [runs[at : at + GROUP] for at in range(0, len(runs) - GROUP + 1, GROUP)]
    found = [claims(compared([a for a, _ in group], [b for _, b in group])) for group in groups]
    print(
        f"identical runs of {name}, {GROUP} each: a difference claimed in {sum(map(bool, found))} of {len(found)} pairs"
    )


def made(library: Library, case: Case, repeats: int, folder: Path) -> None:
    runs: tuple[list[Path], list[Path]] = ([], [])
    sides: tuple[tuple[Sequence[str], dict[str, str]], ...] = ((case.a, {}), (case.b, case.b_environment))
    stem = case.name.replace(" ", "-").replace("%", "percent")
    for turn in turns([0, 1], repeats, Order.BACK_AND_FORTH):
        words, environment = sides[turn.candidate]
        into = folder / f"{stem}-{'ab'[turn.candidate]}{turn.round}"
        runs[turn.candidate].append(record(library, words, case.ranks[turn.candidate], environment, into))
    every = [*singles(runs), (f"{repeats} runs each", compared(*runs))]
    for which, comparison in every:
        said = verdict(comparison)
        others = claims(comparison) - 1
        named = "named first" if case.expected in said else "not named"
        print(f"{case.name}, {which}: {named}, {max(others, 0)} other differences claimed\n    {said}", flush=True)


def singles(runs: tuple[list[Path], list[Path]]) -> Iterator[tuple[str, Comparison]]:
    for a, b in zip(*runs, strict=True):
        yield "one run each", compared([a], [b])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--keep", type=Path, help="keep the runs there")
    chosen = parser.parse_args()
    library = find(chosen.mpi)
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        steps = Path(temporary) / "steps" if chosen.keep is None else folder / "steps"
        subprocess.run([str(library.mpicc), "-O1", "-g", str(PROGRAM), "-o", str(steps)], check=True, env=library.env())
        opatm = build(workload("opatm"), library)
        for case in cases(opatm, steps):
            made(library, case, chosen.repeats, folder)
        if chosen.pairs:
            identical(library, [str(opatm), *OPATM, "--tracers", "8"], "opatm", chosen.pairs, folder)
            identical(library, [str(steps), *STEPS], "steps", chosen.pairs, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
