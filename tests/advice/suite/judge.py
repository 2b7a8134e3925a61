"""What Leadline says of a recorded case, beside what is true of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from leadline import predict as predicting
from leadline.advice import advise
from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.figures.run import Run
from leadline.findings import findings_of
from leadline.findings.finding import Finding

from .cases import Case

CLOSE = 0.05  # of the time, between a predicted and a measured gain
NOISE = 0.01  # of the time: runs of one program differ by it
LITTLE = 0.02  # of the time: less is not held against a statement about a healthy program


@dataclass
class Verdict:
    """loop: "right" (or none, where no step makes a call, or where ranks make unlike numbers of steps and the report
    says so), "at least" (with fewer trips than there are, which is said), "part" (a loop within the steps, and their
    number is reported as unknown), "wrong", or "none".
    first: the first statement that costs time, as in `Case.found`.   said: all of them, with their shares.
    proposals: kinds with their gains, best first.   taken: other processes had the ranks' cores, so that Leadline gives
    no advice but to record again.   shared: ranks share cores, and the first line says so, in place of advice."""

    loop: str
    trips: int | None
    place: str
    first: str
    text: str
    said: list[tuple[str, float]]
    proposals: list[tuple[str, float, float, float]]
    not_worth_it: list[tuple[str, float, float, float]]
    note: str = ""
    taken: bool = False
    shared: bool = False

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


def name_of(finding: Finding) -> str:
    return str(finding.evidence["pattern"]) if finding.id == "pattern" else finding.id


def judged(case: Case, run: Run, ranks: int, *, mended: bool = False, proposals: bool = True) -> Verdict:
    content = Content(run)
    loop, trips, place = _loop(case, content, case.trips_on(ranks, mended=mended))
    found = findings_of(content)
    stated = [each for each in found if not each.in_verdict and not each.part_of]
    costly = [each for each in stated if each.cost_s is not None]
    said = [(name_of(each), content.share(each.cost_s or 0.0)) for each in costly]
    first = next(iter([*costly, *stated]), None)
    name, text = (name_of(first), first.text) if first is not None else ("", "")
    verdict = Verdict(loop, trips, place, name, text, said, [], [], taken=cores_taken(found))
    verdict.shared = any(each.id == "oversubscribed" and each.in_verdict for each in found)
    if not proposals:
        return verdict
    was = predicting.why_spoiled
    try:
        # More ranks than cores: the advice is looked at all the same, its figures are not.
        predicting.why_spoiled = lambda run: None
        advice = advise(run)
    except UsageError as error:
        verdict.note = str(error)
    else:
        for into, given in ((verdict.proposals, advice.proposals), (verdict.not_worth_it, advice.not_worth_it)):
            into += [(p.candidate.kind, p.gain.share, p.gain.low, p.gain.high) for p in given]
        verdict.note = "; ".join(f"{candidate.kind} refused: {reason}" for candidate, reason in advice.refused)
    finally:
        predicting.why_spoiled = was
    return verdict


def cores_taken(found: Sequence[Finding]) -> bool:
    return any(each.id == "cores-taken" for each in found)


def _loop(case: Case, content: Content, steps: int) -> tuple[str, int | None, str]:
    found = content.iterations
    if found is None or found.loop is None:
        unlike = not case.trips and content.run.profile.iterations().missing == "apart"
        return ("right" if case.silent or unlike else "none"), None, ""
    loop = found.loop
    place = f"{loop.routine}:{loop.line}"
    trips = found.found.count
    if loop.routine != case.name:
        return "wrong", trips, place
    if not case.trips or trips == steps:
        return "right", trips, place
    if loop.around and trips > steps:
        return "part", trips, place
    return ("at least" if loop.at_least and trips < steps else "wrong"), trips, place


def names_the_fault(case: Case, verdict: Verdict, ranks: int, measured: float) -> bool:
    """The first statement does; or nothing is said to cost LITTLE where the mended form gains less.
    measured: what the mended form gains, as a share of the run."""
    if ranks < case.from_ranks or verdict.first in case.found:
        return True
    return measured < LITTLE and is_silent(verdict)


def is_silent(verdict: Verdict) -> bool:
    return all(share < LITTLE for _, share in verdict.said)


def proposes_right(case: Case, verdict: Verdict, ranks: int, measured: float) -> bool:
    """The first proposal mends the fault; or nothing is proposed where nothing can be, or where it gains too little."""
    if ranks < case.from_ranks:
        return True
    if not verdict.proposals:
        return not case.proposed or measured < LITTLE
    return verdict.proposals[0][0] in case.proposed
