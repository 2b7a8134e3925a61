"""leadline advise: proposals are replayed changes, ranked by their gain, whatever the calls took."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replay.predicted_runs import record

from leadline import predict as predicting
from leadline.__main__ import main
from leadline.advice.advise import (
    KINDS,
    MOST_CALLS,
    WORTH,
    _answers,
    _Asked,
    _most_replays,
    _that_matter,
    advise,
    advise_within,
    is_negligible,
)
from leadline.advice.candidate import Candidate
from leadline.advice.kinds import merge_reductions
from leadline.advice.proposal import Proposal
from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.figures.run import Run
from leadline.predict import Balance, Pack, prediction


@pytest.fixture(scope="module")
def fields(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return record(tmp_path_factory.mktemp("fields"), "fields.c")


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times of a busy machine do not end the command: no figure is asserted that depends on them."""
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)
    monkeypatch.setattr(prediction, "_is_far_off", lambda errors: False)


@dataclass
class Drawn:
    drawn_s: tuple[float, ...]
    low = 8.5
    high = 12.0
    phases_s = {"loop": 8.0}  # noqa: RUF012

    @property
    def seconds(self) -> float:
        return self.drawn_s[0]


class Replayed:
    """Replays with times given by hand: 10 s as recorded, and so many seconds with the change."""

    steps = 100

    def __init__(
        self, changed_s: tuple[float, ...], error: float = 0.0, own_s: float = 0.0, adapted: float = 0.0
    ) -> None:
        self._changed_s, self._error, self._own_s, self._adapted = changed_s, error, own_s, adapted

    def predict(self, change: Any, *, told: bool = True) -> Any:
        base = Drawn((10.0,) * len(self._changed_s))
        found = type("Found", (), {})()
        found.base, found.predicted = base, Drawn(self._changed_s) if change.program else base
        found.of_change = found.predicted
        found.adapted = self._adapted
        found.error_of_base = {"whole": self._error}
        found.own_s = self._own_s
        return found

    def seconds(self, change: Any) -> float:
        return self._changed_s[0] if change.program else 10.0


def gain_of(replayed: Replayed, change: Any, most_s: float = math.inf, steps: int = 0) -> Any:
    asked = _Asked(replayed, steps, None)  # type: ignore[arg-type]
    candidate = Candidate("balance", "", "", (), change, most_s=most_s)
    return asked.proposals([candidate], None, 1)[candidate]


def test_the_interval_of_a_gain_is_that_of_the_draws_and_of_what_is_not_known() -> None:
    found = gain_of(Replayed((9.0, 9.2, 8.9)), Balance())
    assert (found.gain.share, found.gain.low, found.gain.high) == pytest.approx((0.1, 0.75 * 0.08, 1.25 * 0.11))
    assert found.seconds == pytest.approx(1.0)
    found = gain_of(Replayed((9.0, 9.2, 8.9), error=-0.03), Balance())
    assert (found.gain.share, found.gain.low, found.gain.high) == pytest.approx((0.1, 0.75 * 0.05, 1.25 * 0.14))
    # Of the recorder's own time, the program has nothing when it is not recorded.
    found = gain_of(Replayed((9.0, 9.2, 8.9), own_s=0.2), Balance())
    assert (found.gain.share, found.gain.low, found.gain.high) == pytest.approx((0.1, 0.75 * 0.08, 1.25 * 0.13))
    # Of packing, what is not known of it counts, too: from 8.5 to 12 s.
    found = gain_of(Replayed((9.0, 9.2, 8.9)), Pack("exchange"))
    assert (found.gain.share, found.gain.low, found.gain.high) == pytest.approx((0.1, -0.2, 1.25 * 0.15))
    assert not found.is_worth(WORTH)


def test_what_the_base_is_off_by_counts_once() -> None:
    """Or what it was off by before its costs were adapted, where these matter."""
    found = gain_of(Replayed((9.0, 9.2, 8.9), error=-0.02, adapted=0.01), Pack("exchange"))
    assert (found.gain.low, found.gain.high) == pytest.approx((-0.22, 1.25 * 0.17))
    found = gain_of(Replayed((9.0, 9.2, 8.9), error=-0.02, adapted=0.04), Pack("exchange"))
    assert (found.gain.low, found.gain.high) == pytest.approx((-0.24, 1.25 * 0.19))
    found = gain_of(Replayed((9.0, 9.2, 8.9), error=-0.02, adapted=0.04), Balance())
    assert (found.gain.low, found.gain.high) == pytest.approx((0.75 * 0.06, 1.25 * 0.13))


def test_what_recording_made_longer_is_gained_at_the_upper_end_only() -> None:
    found = gain_of(Replayed((9.0, 9.2, 8.9)), Balance(), most_s=0.4)
    assert (found.gain.share, found.gain.low, found.gain.high) == pytest.approx((0.04, 0.75 * 0.02, 1.25 * 0.11))
    assert found.seconds == pytest.approx(0.4)
    assert found.gain.recording == pytest.approx(0.06)
    assert gain_of(Replayed((9.0, 9.2, 8.9)), Balance(), most_s=1.1).gain.share == pytest.approx(0.1)
    # With twice the steps of the recording, such calls take twice as long.
    assert gain_of(Replayed((9.0, 9.2, 8.9)), Balance(), most_s=0.4, steps=200).gain.share == pytest.approx(0.08)
    asked = _Asked(Replayed((9.0, 9.2, 8.9)), 0, None)  # type: ignore[arg-type]
    candidates = [Candidate("balance", name, "", (), Balance(), most_s=0.4) for name in "ab"]
    proposals = [each for each in asked.proposals(candidates, None, 2).values() if isinstance(each, Proposal)]
    both = asked.together(proposals)
    assert both is not None
    assert both.share == pytest.approx(0.1 - 2 * 0.06)


def test_what_gains_too_little_has_no_interval_where_only_gains_are_asked_for() -> None:
    asked = _Asked(Replayed((9.95, 9.0, 9.9)), 0, None)  # type: ignore[arg-type]
    candidate = Candidate("balance", "", "", (), Balance())
    found = asked.proposals([candidate], 0.001, 1)[candidate]
    assert isinstance(found, Proposal)
    assert found.gain.high == pytest.approx(1.25 * 0.1)
    found = asked.proposals([candidate], 0.01, 1)[candidate]
    assert isinstance(found, Proposal)
    assert (found.gain.share, found.gain.low, found.gain.high) == pytest.approx((0.005, 0.005, 0.005))


def test_calls_are_negligible_if_not_even_waiting_for_them_counts(fields: Run) -> None:
    content = Content(fields)
    total_s, ranks = fields.base_s, fields.ranks
    site = content.sites[0].site
    assert site is not None
    about = Candidate("pack", "", "", (site,), Pack("exchange"))
    assert not is_negligible(Candidate("balance", "", "", (), Balance()), content)
    for share, expected in ((WORTH / ranks * 0.99, True), (WORTH / ranks * 1.01, False)):
        content.sites = [replace(content.sites[0], time_s=share * total_s)]
        assert is_negligible(about, content) == expected


def test_a_report_proposes_what_the_command_does(fields: Run, trusted: None) -> None:
    whole, quick = advise(fields), advise_within(Content(fields), 10**9)
    assert quick is not None
    assert [each.candidate for each in quick.proposals] == [each.candidate for each in whole.proposals]
    assert [each.candidate for each in quick.unsure] == [each.candidate for each in whole.unsure]
    gains = {each.candidate: each.gain.share for each in (*whole.proposals, *whole.not_worth_it)}
    for each in (*quick.proposals, *quick.not_worth_it):
        assert each.gain.share == pytest.approx(gains[each.candidate], abs=1e-9)
    assert (quick.ceiling, quick.network, quick.balance) == (whole.ceiling, whole.network, whole.balance)
    assert advise_within(Content(fields), 1000) is None


@pytest.mark.parametrize(("calls", "expected"), [(1, MOST_CALLS), (100_000, 200), (MOST_CALLS, 3)])
def test_the_calls_that_are_replayed_are_bounded(calls: int, expected: int) -> None:
    """A few replays are made in any case."""
    assert _most_replays(SimpleNamespace(calls=calls)) == expected  # type: ignore[arg-type]


def test_of_many_candidates_those_whose_calls_take_some_time_are_replayed(fields: Run) -> None:
    content = Content(fields)
    site = content.sites[0].site
    assert site is not None
    content.file_sites = []
    candidates = [Candidate("pack", str(number), "", (site,), Pack("exchange")) for number in range(30)]
    entry = content.sites[0]
    for share, of_mean, expected in ((WORTH / 5, 9, 10), (WORTH / 3, 9, 30), (WORTH / 3, 1, 10), (WORTH, 1, 30)):
        time_s = share * fields.base_s
        spread = replace(entry.time_spread, max=time_s / fields.ranks * of_mean)
        content.sites = [replace(entry, time_s=time_s, time_spread=spread)]
        assert len(_that_matter(candidates, content)) == expected


def test_of_many_that_gain_only_some_are_replayed_for_an_interval() -> None:
    asked = _Asked(Replayed((9.0, 9.2, 8.9)), 0, None)  # type: ignore[arg-type]
    candidates = [Candidate("balance", str(number), "", (), Balance()) for number in range(5)]
    assert list(asked.proposals(candidates, 0.01, 3)) == candidates[:3]


def test_a_candidate_answers_what_is_found_of_its_own_calls() -> None:
    here, there = object(), object()
    packing = KINDS[[kind.id for kind in KINDS].index("pack")]

    def finding(pattern: str, *sites: object) -> Any:
        return SimpleNamespace(id="pattern", evidence={"pattern": pattern}, about=SimpleNamespace(sites=sites))

    candidate: Any = SimpleNamespace(kind="pack", sites=(here,))
    pattern = packing.patterns[0]
    assert _answers(candidate, finding(pattern, there, here))
    assert _answers(candidate, finding(pattern))
    assert not _answers(candidate, finding(pattern, there))
    assert not _answers(candidate, finding("another", here))


def test_each_kind_has_its_place_in_the_list_of_the_docs() -> None:
    text = (Path(__file__).parents[2] / "docs/tune/advise.md").read_text(encoding="utf-8")
    listed, _, _ = text.partition("\n## How far off it was")
    told = [line.split("`")[1] for line in listed.splitlines() if line.startswith("| `")]
    assert told == [kind.id for kind in KINDS]


def test_fields_that_are_sent_one_by_one_are_a_candidate(
    fields: Run, trusted: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", str(fields.path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    replayed = [*data["proposals"], *data["not_worth_it"]]
    packing = next(each for each in replayed if each["kind"] == "pack")
    assert {site["function"] for site in packing["sites"]} >= {"MPI_Isend", "MPI_Irecv"}
    assert {site["routine"] for site in packing["sites"]} == {"exchange_fields"}
    assert packing["assumes"]
    assert packing["sketch"]["language"] == "C"
    assert "MPI_Isend in exchange_fields: " in packing["sketch"]["text"]
    assert "enum { FIELDS = 6 };" in packing["sketch"]["text"]
    assert packing["pitfalls"]
    for each in replayed:
        assert each["gain_low"] <= each["gain"] <= each["gain_high"]
    gains = [each["gain"] for each in data["proposals"]]
    assert gains == sorted(gains, reverse=True)
    assert all(gain >= WORTH for gain in gains)
    assert all(each["gain_low"] > 0 for each in data["proposals"])
    assert data["ceiling"] >= max(data["ceiling_of_network"], data["ceiling_of_balance"])


def test_the_terminal_and_the_page_of_a_proposal(
    fields: Run, trusted: None, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Proposal, "is_worth", lambda self, least: True)
    assert main(["advise", str(fields.path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("1. ")
    assert "Pack the messages of " in said
    assert "the whole run as replayed" in said
    page = tmp_path / "one.md"
    assert main(["advise", str(fields.path), "--brief", "1", "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "## Where" in text
    assert "## Pitfalls\n\n- " in text
    assert "## A sketch\n\n" in text
    assert "leadline compare" in text
    capsys.readouterr()
    assert main(["advise", str(fields.path), "--brief", "99"]) == 2
    assert "--brief 99: the run has " in capsys.readouterr().err
    assert main(["advise", str(fields.path), "--brief", "1", "-o", str(tmp_path / "no" / "one.md")]) == 2
    assert "cannot write " in capsys.readouterr().err
    assert main(["advise", str(fields.path), "-o", str(page)]) == 2
    assert "only --brief writes a file" in capsys.readouterr().err


def test_a_run_of_the_changed_program_is_set_beside_the_proposals(
    fields: Run, trusted: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", str(fields.path), "--check", str(fields.path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["check"]["gain"] == 0
    assert data["check"]["seconds_before"] == data["check"]["seconds_after"] > 0
    assert len(data["check"]["in_interval"]) == len(data["proposals"])
    assert data["check"]["phases_before"] == data["check"]["phases_after"]
    assert data["check"]["phases_before"]["loop"] > 0
    assert data["check"]["parts_before"]["computation"] > 0
    assert data["check"]["computation_changed"] == [None] * len(data["proposals"])
    assert main(["advise", str(fields.path), "--check", str(fields.path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("measured: ") and "gained 0 %; one run each" in line for line in lines)
    (loop,) = (line.split() for line in lines if line.split()[:1] == ["loop"])
    assert loop[1:3] == loop[-2:]  # the same run
    assert main(["advise", str(fields.path), "--check", "no-such-run"]) == 2


def test_nothing_is_advised_from_spoiled_times(
    fields: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: "2 ranks share 1 core.")
    assert main(["advise", str(fields.path)]) == 2
    assert "2 ranks share 1 core" in capsys.readouterr().err
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)
    monkeypatch.setattr(prediction, "_is_far_off", lambda errors: True)
    with pytest.raises(UsageError, match="off by more than 10 %"):
        advise(fields)


def test_calls_in_a_function_of_the_program_are_told_by_where_that_is_called(tmp_path: Path) -> None:
    (merged,) = merge_reductions.KIND.candidates(Content(record(tmp_path, "own_sum.c", "-g")))
    places = ", ".join(f"programs/own_sum.c:{line}" for line in (13, 14, 15))
    assert merged.title == f"Make one reduction of 3 in a row in norms ({places})"


def undisturbed(tmp_path: Path, program: str) -> tuple[Run, list[Candidate]]:
    """Whether reductions follow one another at once is told by time: ranks that lose their cores are recorded again."""
    for attempt in range(6):
        directory = tmp_path / str(attempt)
        directory.mkdir()
        run = record(directory, program, "-g")
        if found := list(merge_reductions.KIND.candidates(Content(run))):
            return run, found
    pytest.skip("too long between the reductions each time, as where other processes use the cores")


def test_an_array_that_is_summed_number_by_number_becomes_one_sum(tmp_path: Path) -> None:
    run, found = undisturbed(tmp_path, "summed_array.c")
    (merged,) = found
    assert merged.title == "Make one reduction of 6 in a loop: MPI_Allreduce at summed_array.c:13 (main)"
    assert merged.together == 6
    (made,) = predicting.predict(run, predicting.Change(program=(merged.change,))).made
    assert made.calls_before == 6 * made.calls_after
    (entry,) = [each for each in Content(run).sites if each.site in merged.sites]
    fewer = (made.calls_before - made.calls_after) / run.ranks
    assert merged.most_s == pytest.approx(fewer * entry.per_call_min_s)
