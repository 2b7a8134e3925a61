"""What the paper claims, and what the intervals measured here say to each claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from leadline.campaign.results import Comparison
from leadline.statistics.welch import LEVEL, Ratio
from leadline.studies.libraries.messages import LATENCY, Messages

ALIKE = 0.05  # candidates whose whole interval is within that are called alike
HOLDS, NOT, UNKNOWN = "holds here", "does not hold here", "cannot be said here"
LARGE = 4 << 20
NO_CRAY = "there is no Cray MPI on this machine"


@dataclass(frozen=True)
class Verdict:
    """claim: the paper's.   published: its figures.   verdict: one of the three.   why: figures measured here."""

    claim: str
    published: str
    verdict: str
    why: str

    def as_dict(self) -> dict[str, str]:
        return dict(vars(self))


@dataclass(frozen=True)
class Found:
    """A comparison of two candidates. ratio: second / first.   claimed: whether a difference is proven."""

    ratio: Ratio
    claimed: bool
    where: str


def between(comparisons: Sequence[Comparison], first: str, second: str, program: str, part: str = "") -> list[Found]:
    """At each number of ranks, ascending. first, second: candidates."""
    found = []
    for each in comparisons:
        cell, names = each.of[0].cell, [one.cell.candidate for one in each.of]
        if (cell.program.name, each.of[0].part) != (program, part) or not {first, second} <= set(names):
            continue
        a, b = names.index(first), names.index(second)
        ratio = each.ratios.get((min(a, b), max(a, b)))
        if ratio is None:
            continue
        if a > b:
            ratio = Ratio(ratio.b, ratio.a, 1 / ratio.high, 1 / ratio.low, ratio.p, ratio.repeats)
        claimed = (min(a, b), max(a, b)) in each.claimed
        found.append((cell.ranks, Found(ratio, claimed, f"{cell.ranks} {'rank' if cell.ranks == 1 else 'ranks'}")))
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]


def faster(found: Sequence[Found]) -> tuple[str, str]:
    """Whether the first is faster: proven at one number of ranks at least, and the opposite proven at none."""
    return _judged(found, lambda each: each.ratio.value > 1)


def alike(found: Sequence[Found]) -> tuple[str, str]:
    """Whether the two take the same time within 5 %: the whole interval says so at one number of ranks at least, and a
    larger difference is proven at none."""
    if not found:
        return UNKNOWN, "not measured"
    words = "; ".join(map(_said, found))
    if any(each.claimed and not 1 - ALIKE <= each.ratio.value <= 1 + ALIKE for each in found):
        return NOT, words
    if any(each.ratio.low >= 1 - ALIKE and each.ratio.high <= 1 + ALIKE for each in found):
        return HOLDS, words
    return UNKNOWN, f"within noise: {words}"


def _judged(found: Sequence[Found], supports: Callable[[Found], bool]) -> tuple[str, str]:
    if not found:
        return UNKNOWN, "not measured"
    words = "; ".join(map(_said, found))
    proven = [supports(each) for each in found if each.claimed]
    if not proven:
        return UNKNOWN, f"within noise: {words}"
    if all(proven):
        return HOLDS, words
    return (NOT, words) if not any(proven) else (UNKNOWN, f"differs by number of ranks: {words}")


def _said(each: Found) -> str:
    low, high = each.ratio.low, each.ratio.high
    return f"{each.where}: {each.ratio.value:.2f}× (95 % CI {low:.2f} to {high:.2f})"


def of_messages(messages: Messages, first: str, second: str, size: int) -> list[Found]:
    ratio = messages.ratio(first, second, size)
    return [Found(ratio, ratio.p <= LEVEL, f"{size} B")] if ratio is not None else []


def verdicts(comparisons: Sequence[Comparison], messages: Messages, openmpi: str) -> list[Verdict]:
    """openmpi: the name of the Open MPI that OB1 and CM are compared of."""
    ob1, cm = f"{openmpi} OB1", f"{openmpi} CM"

    def of(program: str, part: str = "") -> list[Found]:
        return between(comparisons, cm, ob1, program, part)

    def reversed_(program: str, part: str = "") -> list[Found]:
        return between(comparisons, ob1, cm, program, part)

    rows: list[tuple[str, str, tuple[str, str]]] = [
        ("CM has a lower latency than OB1", "4.91 and 6.16 µs", faster(of_messages(messages, cm, ob1, LATENCY))),
        (
            "CM has a higher bandwidth than OB1 for large messages",
            "NetPIPE: CM above Cray, Cray above OB1",
            faster(of_messages(messages, cm, ob1, LARGE)),
        ),
        ("VH-1 takes the same time with OB1 and CM", "OB1 ≈ CM, 16 to 256 processes", alike(of("vh1"))),
        ("GTC is faster with OB1 on few processes", "3 % on 4 processes", faster(reversed_("gtc"))),
        ("POP is faster with CM than with OB1", "18 % on 256 processes", faster(of("pop"))),
        ("POP's barotropic phase is faster with CM than with OB1", "60 %", faster(of("pop", "barotropic"))),
        _allreduce(comparisons, openmpi),
        (
            "long messages that arrive unexpected are received faster with OB1, by rendezvous",
            "in words",
            faster(reversed_("unexpected", "unexpected")),
        ),
        (
            "long messages whose receives are posted are faster with CM, which sends everything at once",
            "in words",
            faster(of("unexpected", "posted")),
        ),
        _misleads(comparisons, messages),
    ]
    cray = (
        ("VH-1 is faster with OB1 than with Cray MPI", "4 % (16) to 0.5 % (256)"),
        ("GTC is faster with Cray MPI on 1024 processes", "3 % than CM, 15 % than OB1"),
        ("POP's baroclinic phase is faster with Cray MPI", "up to 2 %"),
        ("S3D is faster with CM than with Cray MPI from 256 processes on", "12 % on 1024"),
    )
    rows += [(claim, published, (UNKNOWN, NO_CRAY)) for claim, published in cray]
    return [Verdict(claim, published, *judged) for claim, published, judged in rows]


def _allreduce(comparisons: Sequence[Comparison], openmpi: str) -> tuple[str, str, tuple[str, str]]:
    tree = f"{openmpi} allreduce tree reduce and broadcast"
    others = [
        each
        for name in ("recursive doubling", "ring")
        for each in between(comparisons, tree, f"{openmpi} allreduce {name}", "pop")
    ]
    claim = "under POP, tree reduce and tree broadcast beat recursive doubling and ring"
    return claim, "12 % per step on 256 processes", faster(others)


def _misleads(comparisons: Sequence[Comparison], messages: Messages) -> tuple[str, str, tuple[str, str]]:
    """Whether the candidate that wins with messages alone is proven slower than another under an application."""
    claim, published = "a ping-pong misleads: which library is better depends on the application", "in words"
    best = {size: messages.best(size) for size in (LATENCY, LARGE)}
    known = {name for name in best.values() if name is not None}
    wrong, right = [], 0
    for each in comparisons:
        if each.of[0].part or each.of[0].cell.program.name == "unexpected":  # that is no application
            continue
        names = [one.cell.candidate for one in each.of]
        for name in sorted(known & set(names)):
            cell, place = each.of[0].cell, names.index(name)
            if place and (0, place) in each.claimed:
                ratio = each.ratios[0, place]
                where = f"{cell.program.name} on {cell.ranks}"
                wrong.append(f"{where}: {names[0]} beats {name} by {ratio.value:.2f}×")
            elif place == 0 and len(each.claimed):
                right += 1
    if wrong:
        return claim, published, (HOLDS, "; ".join(wrong))
    if right:
        words = f"the ping-pong's winners lead in {right} comparisons, and are never proven slower"
        return claim, published, (NOT, words)
    return claim, published, (UNKNOWN, "no difference is proven" if known else "messages alone were not measured")


def winners(comparisons: Sequence[Comparison], messages: Messages) -> list[dict[str, Any]]:
    """Of each program and number of ranks: the candidates that nothing is proven to beat; and those that a ping-pong
    would have named, though they are beaten."""
    alone = {words: messages.best(size) for words, size in (("0 B", LATENCY), ("4 MiB", LARGE))}
    rows: list[dict[str, Any]] = []
    for each in comparisons:
        names = [one.cell.candidate for one in each.of]
        best = [name for p, name in enumerate(names) if p == 0 or (0, p) not in each.claimed]
        wrong = [f"{name} ({size})" for size, name in alone.items() if name in names and name not in best]
        cell = each.of[0].cell
        rows.append(
            {
                **{"program": cell.program.name, "part": each.of[0].part, "ranks": cell.ranks},
                **{"best": best, "wrong_by_messages": wrong},
            }
        )
    return rows
