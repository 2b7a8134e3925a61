"""What the paper claims, and what the intervals measured here say to each claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from leadline.campaign.results import Comparison
from leadline.statistics.welch import LEVEL, Ratio, holm
from leadline.studies.libraries.messages import LATENCY, Messages

ALIKE = 0.05  # candidates whose whole interval is within that are called alike
HOLDS, NOT, UNKNOWN = "holds here", "does not hold here", "cannot be said here"
LARGE = 4 << 20
APPLICATIONS = ("vh1", "gtc", "pop", "s3d")
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
            ratio = _reversed(ratio)
        claimed = (min(a, b), max(a, b)) in each.claimed
        found.append((cell.ranks, Found(ratio, claimed, f"{cell.ranks} {'rank' if cell.ranks == 1 else 'ranks'}")))
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]


def together(groups: Mapping[str, Sequence[Found]]) -> dict[str, list[Found]]:
    """With Holm's correction over all of these: they were asked for before anything ran, unlike most pairs of the
    campaign."""
    sure = iter(holm([each.ratio.p for group in groups.values() for each in group]))
    return {name: [Found(each.ratio, next(sure), each.where) for each in group] for name, group in groups.items()}


def faster(found: Sequence[Found]) -> tuple[str, str]:
    """Whether the first is faster: proven at one number of ranks at least, and the opposite proven at none."""
    return _judged(found, lambda each: each.ratio.value > 1)


def alike(found: Sequence[Found]) -> tuple[str, str]:
    """Whether the two take the same time within 5 %: the whole interval says so at one number of ranks at least, and a
    larger difference is proven at none."""
    if not found:
        return UNKNOWN, "not measured"
    words = "; ".join(map(_said, found))
    if any(each.claimed and (each.ratio.low > 1 + ALIKE or each.ratio.high < 1 - ALIKE) for each in found):
        return NOT, words
    if any(each.ratio.low >= 1 - ALIKE and each.ratio.high <= 1 + ALIKE for each in found):
        return HOLDS, words
    return UNKNOWN, f"{_unproven(found)}: {words}"


def _judged(found: Sequence[Found], supports: Callable[[Found], bool]) -> tuple[str, str]:
    if not found:
        return UNKNOWN, "not measured"
    words = "; ".join(map(_said, found))
    proven = [supports(each) for each in found if each.claimed]
    if not proven:
        return UNKNOWN, f"{_unproven(found)}: {words}"
    if all(proven):
        return HOLDS, words
    return (NOT, words) if not any(proven) else (UNKNOWN, f"differs by number of ranks: {words}")


def _unproven(found: Sequence[Found]) -> str:
    """An interval is of one comparison alone: it may exclude 1 although nothing is proven of all together."""
    alone = any(each.ratio.low > 1 or each.ratio.high < 1 for each in found)
    return "not proven, of so many comparisons" if alone else "within noise"


def _said(each: Found) -> str:
    low, high = each.ratio.low, each.ratio.high
    return f"{each.where}: {each.ratio.value:.2f}× (95 % CI {low:.2f} to {high:.2f})"


def of_messages(messages: Messages, first: str, second: str, size: int) -> list[Found]:
    ratio = messages.ratio(first, second, size)
    return [Found(ratio, ratio.p <= LEVEL, f"{size} B")] if ratio is not None else []


def asked(comparisons: Sequence[Comparison], messages: Messages, openmpi: str) -> dict[str, list[Found]]:
    """What the claims are about, corrected together. Ratios are above 1 where the claim is right; of vh1 OB1's by
    CM's, of s3d CM's by OB1's.   openmpi: the name of the Open MPI that has both."""
    ob1, cm = f"{openmpi} OB1", f"{openmpi} CM"
    tree = f"{openmpi} allreduce tree reduce and broadcast"
    others = ("recursive doubling", "ring")
    return together(
        {
            "latency": of_messages(messages, cm, ob1, LATENCY),
            "bandwidth": of_messages(messages, cm, ob1, LARGE),
            "vh1": between(comparisons, cm, ob1, "vh1"),
            "gtc": between(comparisons, ob1, cm, "gtc"),
            "pop": between(comparisons, cm, ob1, "pop"),
            "barotropic": between(comparisons, cm, ob1, "pop", "barotropic"),
            "allreduce": [
                each for name in others for each in _over(comparisons, tree, f"{openmpi} allreduce {name}", name)
            ],
            "unexpected": between(comparisons, ob1, cm, "unexpected", "unexpected"),
            "posted": between(comparisons, cm, ob1, "unexpected", "posted"),
            "s3d": between(comparisons, ob1, cm, "s3d"),
        }
    )


def _over(comparisons: Sequence[Comparison], first: str, second: str, words: str) -> list[Found]:
    """Under pop, with words for the second."""
    return [replace(each, where=f"{words}, {each.where}") for each in between(comparisons, first, second, "pop")]


def verdicts(comparisons: Sequence[Comparison], messages: Messages, openmpi: str) -> list[Verdict]:
    found = asked(comparisons, messages, openmpi)
    rows: list[tuple[str, str, tuple[str, str]]] = [
        ("CM has a lower latency than OB1", "4.91 and 6.16 µs", faster(found["latency"])),
        (
            "CM has a higher bandwidth than OB1 for large messages",
            "NetPIPE: CM above Cray, Cray above OB1",
            faster(found["bandwidth"]),
        ),
        ("VH-1 takes the same time with OB1 and CM", "OB1 ≈ CM, 16 to 256 processes", alike(found["vh1"])),
        ("GTC is faster with OB1 on few processes", "3 % on 4 processes", faster(found["gtc"])),
        ("POP is faster with CM than with OB1", "18 % on 256 processes", faster(found["pop"])),
        ("POP's barotropic phase is faster with CM than with OB1", "60 %", faster(found["barotropic"])),
        (
            "under POP, tree reduce and tree broadcast beat recursive doubling and ring",
            "12 % per step on 256 processes",
            faster(found["allreduce"]),
        ),
        (
            "long messages that arrive unexpected are received faster with OB1, by rendezvous",
            "in words",
            faster(found["unexpected"]),
        ),
        (
            "long messages whose receives are posted are faster with CM, which sends everything at once",
            "in words",
            faster(found["posted"]),
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


def _misleads(comparisons: Sequence[Comparison], messages: Messages) -> tuple[str, str, tuple[str, str]]:
    """Whether the candidate that wins with messages alone is proven slower than another under an application. It is
    compared with all others, with Holm's correction over these."""
    claim, published = "a ping-pong misleads: which library is better depends on the application", "in words"
    known = {name for size in (LATENCY, LARGE) if (name := messages.best(size)) is not None}
    pairs: list[tuple[str, str, str, Ratio]] = []  # where, the faster, the slower
    for each in comparisons:
        if each.of[0].part or each.of[0].cell.program.name not in APPLICATIONS:
            continue
        names = [one.cell.candidate for one in each.of]
        where = f"{each.of[0].cell.program.name} on {each.of[0].cell.ranks}"
        pairs += [
            (where, names[a], names[b], ratio)
            for (a, b), ratio in sorted(each.ratios.items())
            if known & {names[a], names[b]}
        ]
    sure = holm([ratio.p for *_, ratio in pairs])
    proven = [
        (where, winner, loser, ratio) if ratio.value > 1 else (where, loser, winner, ratio)
        for (where, winner, loser, ratio), claimed in zip(pairs, sure, strict=True)
        if claimed
    ]
    wrong: dict[tuple[str, str], str] = {}
    for where, winner, loser, ratio in proven:
        if loser in known:
            wrong.setdefault((where, loser), f"{where}: {winner} beats {loser} by {_above_1(ratio):.2f}×")
    if wrong:
        return claim, published, (HOLDS, "; ".join(wrong.values()))
    if proven:
        words = (
            f"the ping-pong's winners beat others in {len(proven)} of {len(pairs)} pairs, and are never proven slower"
        )
        return claim, published, (NOT, words)
    of = f" of {' or '.join(sorted(known))}" if known else ""
    words = f"within noise: no difference{of} is proven under an application"
    return claim, published, (UNKNOWN, words if known else "messages alone were not measured")


def _above_1(ratio: Ratio) -> float:
    return max(ratio.value, 1 / ratio.value)


def by_application(comparisons: Sequence[Comparison], messages: Messages, openmpi: str) -> list[dict[str, Any]]:
    """OB1 against CM under each application. verdict: in words."""
    found = asked(comparisons, messages, openmpi)
    rows = []
    for name in APPLICATIONS:
        for each in found[name]:
            ratio = each.ratio if name in ("gtc", "s3d") else _reversed(each.ratio)
            verdict = "cannot be told apart"
            if each.claimed:
                verdict = f"{'OB1' if ratio.value > 1 else 'CM'} is faster"
            elif ratio.low >= 1 - ALIKE and ratio.high <= 1 + ALIKE:
                verdict = "the same within 5 %"
            ends = {"low": ratio.low, "high": ratio.high}
            rows.append({"program": name, "where": each.where, "cm_by_ob1": ratio.value, **ends, "verdict": verdict})
    return rows


def _reversed(ratio: Ratio) -> Ratio:
    return Ratio(ratio.b, ratio.a, 1 / ratio.high, 1 / ratio.low, ratio.p, ratio.repeats)


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
