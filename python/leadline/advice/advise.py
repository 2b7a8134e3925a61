"""Replays what the figures suggest, and ranks it by what it gains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from leadline import _core, cores, predict
from leadline.advice import kinds
from leadline.advice.candidate import Candidate, Kind
from leadline.advice.gains import WORTH, gain_between
from leadline.advice.proposal import Gain, Proposal
from leadline.advice.sketches import recorded_calls, sketch_of
from leadline.advice.timelines import before_and_after
from leadline.errors import LeadlineError, UsageError
from leadline.figures.content import Content
from leadline.figures.run import Run, Site
from leadline.findings import Finding, findings_of
from leadline.predict import Algorithm, AnyChange, Balance, Change, Prediction, Replays
from leadline.predict.without_effect import on_nothing
from leadline.registry import parts_of
from leadline.text import format as fmt

KINDS = parts_of(kinds, "KIND", Kind)
FEW = 3  # candidates of a run that are worth it
SOME = 10  # candidates that are replayed whatever time their calls take
WAITED_FOR = 4  # times the time of calls: the most that is supposed to be lost by them
ON_ONE = 1.5  # times the time of calls on the rank where it is longest, if all ranks wait for that: likewise
MOST_CALLS = 20_000_000  # of all replays of candidates: some twenty seconds, where calls hardly repeat
DRAWN, UNCERTAIN = 10, 30  # about so many replays make an interval
CLEARLY = 0.005  # the share of the time that a change made less far gains more, or it is made as far as possible


@dataclass
class Advice:
    """proposals: best first.   not_worth_it: replayed, and they gain less than WORTH, or perhaps nothing.
    refused: candidates that cannot be replayed, with the reason; for the run as recorded, none that is_negligible().
    answered: findings that the candidates are about.
    unpredicted: findings with a remedy whose gain is unknown.
    together: what all proposals gain at once; None with fewer than two, or if they exclude one another.
    ceiling: what a perfect network and perfect balance would gain together, or a proposal if that is more.
    network, balance: each of them alone; None: unknown.   seconds: the run's duration as replayed.   phases_s: the same
    by phase.   error: of that replay against the recording; None: unknown.
    """

    proposals: list[Proposal]
    not_worth_it: list[Proposal]
    refused: list[tuple[Candidate, str]]
    answered: list[Finding]
    unpredicted: list[Finding]
    together: Gain | None
    ceiling: float | None
    network: float | None
    balance: float | None
    seconds: float
    error: float | None
    phases_s: dict[str, float | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    asked: _Asked | None = None

    def timelines(self, content: Content, most: int) -> dict[str, Any] | None:
        """An iteration before and after each of the first `most` proposals, as replayed; None: it cannot be drawn."""
        if self.asked is None or not self.proposals:
            return None
        return self.asked.timelines(content, self.proposals[:most])

    @property
    def unsure(self) -> list[Proposal]:
        """They gain WORTH or more if the replay is right, but it may be off by more than that."""
        return [proposal for proposal in self.not_worth_it if proposal.gain.share >= WORTH]

    def as_data(self) -> dict[str, Any]:
        """The form that docs/tune/advise.md describes."""
        together, unsure = self.together, self.unsure
        return {
            "seconds": self.seconds,
            "error_of_base": self.error,
            "proposals": [proposal.as_data() for proposal in self.proposals],
            "together": {"gain": together.share, "gain_low": together.low, "gain_high": together.high}
            if together
            else None,
            "not_worth_it": [{**proposal.as_data(), "unsure": proposal in unsure} for proposal in self.not_worth_it],
            "refused": [
                {"kind": candidate.kind, "title": candidate.title, "reason": reason}
                for candidate, reason in self.refused
            ],
            "answered": [finding.text for finding in self.answered],
            "unpredicted": [finding.as_data() for finding in self.unpredicted],
            "ceiling": self.ceiling,
            "ceiling_of_network": self.network,
            "ceiling_of_balance": self.balance,
            "notes": self.notes,
        }


def advise(run: Run, *, steps: int = 0, network: _core.Network | None = None) -> Advice:
    """steps: of the main loop; 0: as recorded.   network: None: the one of the recording.

    Raises UsageError if the times of the run say nothing about the program, or if it cannot be replayed.
    """
    content = Content(run)
    _refuse_spoiled(run)
    replays, candidates = Replays.beside(run, lambda: candidates_of(content))
    return _advise(content, candidates, replays, steps, network, only_worth=False)


def advise_within(content: Content, most_calls: int) -> Advice | None:
    """For the run as it was recorded; what gains less than WORTH is replayed once and has no interval.

    None: nothing can be advised, or the replays would have more than `most_calls` calls in all, of which some ten
    million take a second.
    """
    candidates = candidates_of(content)
    if content.calls * _replays_of(candidates) > most_calls:
        return None
    try:
        _refuse_spoiled(content.run)
        return _advise(content, candidates, Replays(content.run), 0, None, only_worth=True)
    except LeadlineError:
        return None


def _refuse_spoiled(run: Run) -> None:
    if reason := predict.why_spoiled(run):
        raise UsageError(f"nothing can be advised from this run. {reason}")


def candidates_of(content: Content) -> list[Candidate]:
    return [candidate for kind in KINDS for candidate in kind.candidates(content)]


def _replays_of(candidates: Sequence[Candidate]) -> int:
    """About how often a run is replayed for them: for the unchanged run and the ceiling, once for each, and for the
    interval of a few."""
    intervals = sorted((_interval(each) for each in candidates), reverse=True)
    return 20 + len(candidates) + sum(intervals[:FEW]) + _in_degrees(candidates)


def _in_degrees(candidates: Iterable[Candidate]) -> int:
    """Replays to find how far changes are best made."""
    return sum(1 + len(each.degrees) for each in candidates if each.degrees)


def _interval(candidate: Candidate) -> int:
    return UNCERTAIN if any(map(predict.is_uncertain, candidate.changes)) else DRAWN


def _advise(
    content: Content,
    candidates: Sequence[Candidate],
    replays: Replays,
    steps: int,
    network: _core.Network | None,
    *,
    only_worth: bool,
) -> Advice:
    """only_worth: intervals only of what gains WORTH or more."""
    if not replays.replayable:
        raise UsageError(
            "nothing can be advised from this run: the replay of the unchanged run is off by more than 10 %",
            hint="leadline predict DIR says in which phase",
        )
    asked = _Asked(replays, steps, network)
    if network is not None:
        candidates = [*candidates, *_in_network(content, asked)]
    ordered = _that_matter(candidates, content)[: _most_replays(content)]
    if _in_degrees(ordered) + len(ordered) <= _most_replays(content):
        ordered = asked.as_far_as_best(ordered)
    quick = only_worth or len(ordered) < len(candidates) or _most_replays(content) < sum(map(_interval, ordered))
    least, most = WORTH if quick else None, _most_replays(content, DRAWN)
    answers = asked.proposals(ordered, least, most)
    left_out = _left_out(len(candidates) - len(answers))
    for whole in [each for each, answer in answers.items() if each.parts and isinstance(answer, UsageError)]:
        del answers[whole]  # perhaps only one of its parts cannot be replayed
        answers |= asked.proposals(whole.parts, least, most)
    found, refused = [], []
    for candidate, answer in answers.items():
        try:
            if isinstance(answer, UsageError):
                raise answer
            found.append(replace(answer, sketch=sketch_of(candidate, recorded_calls(candidate.sites, content))))
        except UsageError as error:
            if steps or network is not None or not is_negligible(candidate, content):
                refused.append((candidate, str(error)))
    found.sort(key=lambda proposal: -proposal.gain.share)
    worth = [proposal for proposal in found if proposal.is_worth(WORTH)]
    ideal, balanced, both = asked.ceilings()
    known = [
        share for share in (ideal, balanced, both, *(proposal.gain.share for proposal in worth)) if share is not None
    ]
    answered, unpredicted = _by_whether_answered(content, candidates)
    return Advice(
        proposals=worth,
        not_worth_it=[proposal for proposal in found if proposal not in worth],
        refused=refused,
        answered=answered,
        unpredicted=unpredicted,
        together=asked.together(worth),
        ceiling=max(known) if known else None,
        network=ideal,
        balance=balanced,
        seconds=asked.base.base.seconds,
        error=asked.base.error_of_base["whole"],
        phases_s=asked.base.predicted.phases_s,
        notes=[*(note for note in asked.base.notes if note not in on_nothing(0)), *left_out],
        asked=asked,
    )


def _in_network(content: Content, asked: _Asked) -> list[Candidate]:
    return [each for kind in KINDS if kind.in_network for each in kind.in_network(content, lambda c: asked.share((c,)))]


def is_negligible(candidate: Candidate, content: Content) -> bool:
    """Whether the calls that it is about take so little of the run as recorded that no change of them gains WORTH, even
    if all ranks wait for the one that makes them."""
    if not candidate.sites:
        return False
    return _taken_s(candidate, _times_of(content)) * content.run.ranks < WORTH * content.run.base_s


def _times_of(content: Content) -> dict[Site, float]:
    """Of calls, on all ranks together."""
    return {entry.site: entry.time_s for entry in (*content.sites, *content.file_sites) if entry.site is not None}


def _taken_s(candidate: Candidate, times_s: Mapping[Site, float]) -> float:
    """By the calls that it is about; without any, it is about the whole run."""
    return sum(times_s.get(site, 0.0) for site in {*candidate.sites}) if candidate.sites else math.inf


def _most_lost_s(candidate: Candidate, content: Content) -> float:
    """By the calls that it is about, on all ranks together, with the waits for them that are not theirs. Where ranks
    spend about as long in them, hardly one waits for another."""
    if not candidate.sites:
        return math.inf
    about, ranks = {*candidate.sites}, content.run.ranks
    return sum(
        min(WAITED_FOR * each.time_s, ON_ONE * each.time_spread.max * ranks)
        for each in (*content.sites, *content.file_sites)
        if each.site in about
    )


def _that_matter(candidates: Sequence[Candidate], content: Content) -> list[Candidate]:
    """First those whose calls take longest. After SOME, only those whose calls take a part of the time that may become
    WORTH, together with the waits for them that are not theirs."""
    times_s, all_s = _times_of(content), content.run.base_s
    ordered = sorted(candidates, key=lambda each: -_taken_s(each, times_s))
    return [
        each for number, each in enumerate(ordered) if number < SOME or _most_lost_s(each, content) >= WORTH * all_s
    ]


def _most_replays(content: Content, at_once: int = 1) -> int:
    """How often the run's calls can be replayed, so many times each, in MOST_CALLS; a few times in any case."""
    return max(MOST_CALLS // (max(content.calls, 1) * at_once), FEW)


def _left_out(number: int) -> list[str]:
    if not number:
        return []
    were = "was" if number == 1 else "were"
    return [f"{fmt.plural(number, 'more candidate')} {were} not replayed: calls of others take more time."]


def _by_whether_answered(content: Content, candidates: Sequence[Candidate]) -> tuple[list[Finding], list[Finding]]:
    """Findings with a cost and a remedy: those that a candidate is about, and the others."""
    answered, others = list[Finding](), list[Finding]()
    for finding in findings_of(content):
        if finding.help and finding.cost_s is not None:
            (answered if any(_answers(each, finding) for each in candidates) else others).append(finding)
    return answered, others


def _answers(candidate: Candidate, finding: Finding) -> bool:
    """Whether it is of a kind that helps, and about some of the same calls; either may be about the run as a whole."""
    of_kind = any(
        finding.id in kind.findings or finding.evidence.get("pattern") in kind.patterns
        for kind in KINDS
        if kind.id == candidate.kind
    )
    sites = finding.about.sites
    return of_kind and (not sites or not candidate.sites or not {*sites}.isdisjoint(candidate.sites))


def _number(share: float | UsageError) -> float:
    return -math.inf if isinstance(share, UsageError) else share


class _Asked:
    """Replays of a run under what was asked for."""

    def __init__(self, replays: Replays, steps: int, network: _core.Network | None) -> None:
        self._replays, self._steps, self._network = replays, steps, network
        self.base = self._predict(())

    def _change(self, program: Sequence[AnyChange | Algorithm], *, ideal: bool = False) -> Change:
        return Change(
            steps=self._steps,
            network=self._network,
            ideal=ideal,
            program=tuple(each for each in program if not isinstance(each, Algorithm)),
            collectives=tuple((each.operation, each.name) for each in program if isinstance(each, Algorithm)),
        )

    def timelines(self, content: Content, proposals: Sequence[Proposal]) -> dict[str, Any] | None:
        changes = [self._change(proposal.candidate.changes) for proposal in proposals]
        return before_and_after(content, self._replays, self._change(()), changes)

    def _predict(self, program: Sequence[AnyChange | Algorithm]) -> Prediction:
        return self._replays.predict(self._change(program), told=not program)

    def share(self, program: Sequence[AnyChange | Algorithm], *, ideal: bool = False) -> float | None:
        """The gain of a change; None if it cannot be made."""
        before = self.base.predicted.seconds
        try:
            after = self._replays.seconds(self._change(program, ideal=ideal))
        except UsageError:
            return None
        return 1 - after / before if before > 0 else None

    def ceilings(self) -> tuple[float | None, ...]:
        """What a perfect network, perfect balance and both together would gain; None: it cannot be told."""
        each = [((), True), ((Balance(),), False), ((Balance(),), True)]
        return tuple(cores.at_once(lambda one: self.share(one[0], ideal=one[1]), each))

    def proposals(
        self, candidates: Sequence[Candidate], least: float | None, most: int
    ) -> dict[Candidate, Proposal | UsageError]:
        """By candidate, the proposal or why the change cannot be made.   least: a share of the time; a change that
        gains less is replayed once and has no interval.   most: that have an interval then; of the others that gain
        `least`, nothing is said."""
        if least is None:
            return {each: self._proposal(each) for each in candidates}
        shares = dict(zip(candidates, cores.at_once(self._share_or_error, candidates), strict=True))
        answers = dict[Candidate, Proposal | UsageError]()
        for candidate, share in sorted(shares.items(), key=lambda item: -_number(item[1])):
            if isinstance(share, UsageError):
                answers[candidate] = share
            elif share < least:
                answers[candidate] = Proposal(candidate, Gain(share, share, share), share * self.base.predicted.seconds)
            elif len(answers) < most:
                answers[candidate] = self._proposal(candidate)
        return answers

    def as_far_as_best(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates, each in the degree that gains most."""
        tried = [one for each in candidates if each.degrees for one in (each, *each.degrees)]
        shares = dict(zip(tried, map(_number, cores.at_once(self._share_or_error, tried)), strict=True))

        def best(whole: Candidate) -> Candidate:
            less_far = max(whole.degrees, key=lambda one: shares[one], default=whole)
            return less_far if less_far is not whole and shares[less_far] > shares[whole] + CLEARLY else whole

        return [best(each) for each in candidates]

    def _share_or_error(self, candidate: Candidate) -> float | UsageError:
        before = self.base.predicted.seconds
        try:
            after = self._replays.seconds(self._change(candidate.changes))
        except UsageError as error:
            return error
        return min(1 - after / before, self._most(candidate)) if before > 0 else math.inf

    def _most(self, candidate: Candidate) -> float:
        """The share of the time that is known to be the most that it gains; in a network, that says what calls cost."""
        if self._network is not None:
            return math.inf
        times = self._steps / self._replays.steps if self._steps else 1.0
        return candidate.most_s * times / self.base.predicted.seconds

    def _proposal(self, candidate: Candidate) -> Proposal | UsageError:
        try:
            gain, phases_s = self._gain([candidate])
        except UsageError as error:
            return error
        if (more := gain.share - self._most(candidate)) > 0:
            gain, phases_s = self._gain([candidate], more)
        return Proposal(candidate, gain, gain.share * self.base.predicted.seconds, phases_s)

    def together(self, proposals: Sequence[Proposal]) -> Gain | None:
        if len(proposals) < 2:
            return None
        try:
            more = sum(proposal.gain.recording for proposal in proposals)
            return self._gain([proposal.candidate for proposal in proposals], more)[0]
        except UsageError:
            return None

    def _gain(self, candidates: Sequence[Candidate], less: float = 0.0) -> tuple[Gain, dict[str, float | None]]:
        """And the seconds of each phase with the changes."""
        changes = [change for candidate in candidates for change in candidate.changes]
        found = self._predict(changes)
        uncertain = any(predict.is_uncertain(change) for change in changes)
        return gain_between(self.base, found, uncertain=uncertain, less=less), found.predicted.phases_s
