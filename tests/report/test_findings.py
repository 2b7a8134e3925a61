"""Every finding, computed by hand, just as it reaches its threshold and just before."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures import unfinished
from leadline.figures.content import Content
from leadline.findings import FAILS, RULES, Contradiction, findings_of
from leadline.findings.finding import Bound, at_least, at_most, more_than
from leadline.report import to_json

from .finding_runs import (
    NO_CALLS,
    RANK_S,
    RUN_S,
    Expected,
    MakeRun,
    a_layer,
    a_site,
    aborting,
    barrier,
    computing,
    delivering,
    ended_by,
    ended_within,
    failed_in_init,
    going_on,
    handing_out,
    in_a_job,
    iterating,
    launched,
    longest,
    losing,
    patterned,
    paused,
    placed,
    ranks,
    reading,
    receiving,
    sending,
    starting,
    stopped,
    uneven_in_steps,
    waiting,
    with_others,
)
from .handmade import a_process

REMOTE = {"file_system": "nfs", "live_reason": "too-little-room"}
CASES: dict[str, list[tuple[Callable[[MakeRun], Any], Expected]]] = {
    "ranks-stopped": [
        (lambda make: stopped(make, 9.0, 10.0), {"ranks": 1, "silent_s": 1.0, "silent_share": 0.1}),
        (lambda make: stopped(make, 9.01, 10.0), None),  # 0.99 s
        (lambda make: stopped(make, 18.0, 20.0), {"longest_s": 2.0, "first_to_stop": None}),
        (lambda make: stopped(make, 18.1, 20.0), None),  # 9.5 % of its life
    ],
    "predicted": [
        (
            lambda make: ended_by(
                make, state="predicted", predicted={"seconds": 2, "low": 1.5, "options": ["--ideal"]}
            ),
            {"seconds": 2.0, "low": 1.5, "high": None, "options": ["--ideal"], "from": None, "error_of_base": None},
        ),
        (
            lambda make: ended_by(
                make, state="predicted", predicted={"error_of_base": {"whole": 0.05, "loop": -0.2, "finalisation": 3}}
            ),
            {"error_of_base": -0.2},
        ),
        (lambda make: ended_by(make, state="predicted"), {"seconds": None, "options": []}),
        (lambda make: ended_by(make, state="imported"), None),
    ],
    "separate-processes": [
        (lambda make: launched(make, 2), {"processes": 2, "launched": 2, "launcher_variable": "PMI_SIZE"}),
        (lambda make: launched(make, 1), None),
        (lambda make: failed_in_init(make, "OMPI_COMM_WORLD_SIZE", "mpich"), {"processes": 2}),
        (lambda make: failed_in_init(make, "PMI_SIZE", "mpich"), None),
    ],
    "oversubscribed": [
        (
            lambda make: make([barrier()], placed(processors=2, allowed=[(0, 2)], waited_ns=2e8), []),
            {"threads_per_core": 2.0, "waited_share": 0.02, "hosts": 1},
        ),
        (lambda make: make([barrier()], placed(processors=2, allowed=[(0, 2)], waited_ns=1.9e8), []), None),
        (
            lambda make: make([barrier()], placed(processors=4, allowed=[(0, 4)], quota=3.9), []),
            {"threads_per_core": pytest.approx(4 / 3.9), "waited_share": None},
        ),
        (lambda make: make([barrier()], placed(processors=4, allowed=[(0, 4)], waited_ns=2e8), []), None),
    ],
    "cores-taken": [
        (lambda make: make([barrier()], placed(waited_ns=1e9), []), {"waited_share": 0.1}),
        (lambda make: make([barrier()], placed(waited_ns=0.99e9), []), None),
    ],
    "budget-spent": [
        (lambda make: losing(make, "order-lost"), {"ranks": 4, "calls_without_order": 1000, "parts_left_out": False}),
        (lambda make: losing(make, "over-budget"), {"ranks": 4, "calls_without_order": 0, "parts_left_out": True}),
        (lambda make: losing(make, "write-failed"), None),
    ],
    "still-running": [
        (going_on, {"ranks": 1}),
        (lambda make: ended_by(make), None),
    ],
    "interrupted": [
        (lambda make: ended_by(make, signals=["SIGTERM"], signalled_s=2.5), {"cause": "SIGTERM", "after_s": 2.5}),
        (lambda make: ended_by(make, exit_code=130, duration_s=3.5), {"cause": "SIGINT", "after_s": 3.5}),
        (lambda make: ended_by(make, exit_code=124, timed_out=True), {"cause": "timeout", "after_s": None}),
        (lambda make: ended_by(make, **in_a_job(ended_s=100, limit_s=100)), {"cause": "job-limit"}),
        (lambda make: ended_by(make, **in_a_job(ended_s=99, limit_s=100)), None),
        (lambda make: ended_by(make, exit_code=124), None),  # the program's own, as far as anybody knows
        (lambda make: ended_by(make, exit_code=139), None),  # it crashed
        (lambda make: ended_by(make, signals=["SIGUSR1"]), None),
        (lambda make: going_on(make), None),
    ],
    "aborted": [
        (
            lambda make: aborting(make, [1, 2]),
            {"rank": 1, "ranks": 2, "routine": "check", "place": "ocean/state.cpp:9", "exit_code": 9},
        ),
        (lambda make: aborting(make, [1], signals=["SIGTERM"]), None),  # which is said
        (lambda make: ended_by(make, exit_code=9), None),
    ],
    "live-memory-remote": [
        (lambda make: make([barrier()], placed(remote=True, **REMOTE), []), {"ranks": 4, "file_system": "nfs"}),
        (lambda make: make([barrier()], placed(remote=False, **REMOTE), []), None),
    ],
    "other-jobs": [
        (lambda make: with_others(make, ("second",)), {"jobs": 1}),
        (lambda make: with_others(make, ()), None),
    ],
    "incomplete": [
        (
            lambda make: make([barrier()], [*ranks()[:3], a_process(3, 4, complete=False)], []),
            {"ranks": 4, "ranks_recorded": 4, "traces_cut": 1},
        ),
        (lambda make: make([a_site("MPI_Barrier", "coll", [0.0] * 3)], ranks()[:3], []), {"ranks_recorded": 3}),
        (lambda make: make([barrier()], ranks(), []), None),
        (lambda make: ended_by(make, exit_code=139), {"traces_cut": 1}),
        (lambda make: ended_by(make, signals=["SIGINT"]), None),  # which is said
        (lambda make: aborting(make, [1, 2]), None),  # too
        (going_on, None),
    ],
    "paused": [
        (lambda make: paused(make, 1), {"ranks": 1, "longest_s": 1.5}),
        (lambda make: paused(make, 0), None),
    ],
    "slow-iteration": [
        (lambda make: iterating(make, 2.0), {"iteration": 3217, "rank": 2, "times_typical": 2.0}),
        (lambda make: iterating(make, 1.99), None),
        (lambda make: iterating(make, 0.111, 0.01), {"share": pytest.approx(0.0101)}),
        (lambda make: iterating(make, 0.109, 0.01), None),
    ],
    "costliest-site": [
        (
            lambda make: make([a_site("MPI_Wait", "wait", [0.101] * 4, 10)], ranks(), []),
            {"share": pytest.approx(0.404 / RUN_S), "calls": 40, "place": "ocean/halo.cpp:40", "routine": "exchange"},
        ),
        (lambda make: make([a_site("MPI_Wait", "wait", [0.099] * 4, 10)], ranks(), []), None),
        (lambda make: make([a_site("MPI_Init", "init", [1.0] * 4)], ranks(), []), None),
    ],
    "small-tasks": [
        (lambda make: handing_out(make, 3.34), {"manager": 0, "tasks": 300, "task_s": pytest.approx(19.98 / 300)}),
        (lambda make: handing_out(make, 3.33), None),
        (lambda make: handing_out(make, 3.34, to_others=1), None),
    ],
    "synchronous-sends": [
        (
            lambda make: waiting(make, 0.41, function="MPI_Ssend", kind="late_receiver"),
            {"routine": "exchange", "ranks": 1, "wait_s": pytest.approx(0.41)},
        ),
        (lambda make: waiting(make, 0.39, function="MPI_Ssend", kind="late_receiver"), None),
        (lambda make: waiting(make, 0.41, function="MPI_Send", kind="late_receiver"), None),
    ],
    "waiting": [
        (
            lambda make: waiting(make, 0.81),
            {
                "kind": "late_sender",
                "wait_s": pytest.approx(0.81),
                "share": pytest.approx(0.81 / RUN_S),
                "cause_rank": 2,
            },
        ),
        (lambda make: waiting(make, 0.79), None),
    ],
    "imbalance": [
        (lambda make: uneven_in_steps(make, 0.21, fixed_ns=2e5), {"kind": "fixed", "rank": 3, "lost_s": 0.084}),
        (lambda make: uneven_in_steps(make, 0.21, fixed_ns=2e5, between_hosts=0.9), {"kind": "host"}),
        (lambda make: uneven_in_steps(make, 0.21, wandering_ns=2e5), {"kind": "wandering"}),
        (lambda make: uneven_in_steps(make, 0.21, changing_ns=2e5), {"kind": "changing"}),
        (lambda make: uneven_in_steps(make, 0.21, noise_ns=2e5), {"kind": "noise"}),
        (lambda make: uneven_in_steps(make, 0.21, rare_ns=2e5, rare_steps=5, rare_period=20), {"kind": "rare"}),
        (lambda make: uneven_in_steps(make, 0.19, fixed_ns=2e5), None),
    ],
    "ended-by-error": [
        (
            lambda make: ended_within(make, complete=True),
            {"rank": 2, "ranks": 1, "function": "MPI_Send", "routine": "exchange", "place": "ocean/halo.cpp:41"},
        ),
        (lambda make: ended_within(make, complete=False), None),
        (lambda make: ended_within(make, complete=True, signals=["SIGTERM"]), None),
    ],
    "unseen-calls": [
        (lambda make: delivering(make, taken=4), {"messages": 1}),
        (lambda make: delivering(make, taken=3), None),
    ],
    "refused-calls": [
        (lambda make: delivering(make, refused=2), {"calls": 2, "calls_there": 2}),
        (delivering, None),
    ],
    "undelivered": [
        (lambda make: delivering(make, posted=2, taken=2), {"never_received": 1, "cancelled_receives": 0}),
        (lambda make: delivering(make, posted=4, cancelled_receives=1), {"never_received": 0, "cancelled_receives": 1}),
        (delivering, None),
    ],
    "pattern": [
        (lambda make: patterned(make, "all_to_one", 0.41), {"pattern": "all_to_one", "time_s": pytest.approx(0.41)}),
        (lambda make: patterned(make, "all_to_one", 0.39), None),
        (lambda make: patterned(make, "nearest_neighbour", 5.0), None),  # nothing is wrong with it
    ],
    "uneven-ranks": [
        (
            lambda make: computing(make, [10.0, 10.0, 11.1, 10.0]),
            {"rank": 2, "median_s": 10.0, "times_median": pytest.approx(1.11)},
        ),
        (lambda make: computing(make, [10.0, 10.0, 10.9, 10.0]), None),
        # Twice the median, of very little: 4 x 0.12 s of 40.3 s, and 4 x 0.08 s of 40.2 s.
        (lambda make: computing(make, [0.06, 0.06, 0.06, 0.12], RANK_S), {"share": pytest.approx(0.48 / 40.3)}),
        (lambda make: computing(make, [0.04, 0.04, 0.04, 0.08], RANK_S), None),
    ],
    "longest-call": [
        (
            lambda make: longest(make, 0.001, 0.0101),
            {"times_mean": pytest.approx(10.1), "share_of_run": pytest.approx(0.00101), "rank": 0},
        ),
        (lambda make: longest(make, 0.0012, 0.0119), None),  # 9.9 times the mean
        (lambda make: longest(make, 0.0001, 0.0099), None),  # 0.099 % of the run
    ],
    "busiest-receiver": [
        (
            lambda make: receiving(make, [100, 200, 100, 100]),
            {"rank": 1, "bytes": 200, "share": 0.4, "times_median": 2.0},
        ),
        (lambda make: receiving(make, [100, 199, 100, 100]), None),
        (lambda make: receiving(make, [100, 900, 100]), None),  # of three ranks
        (lambda make: receiving(make, [0, 900, 0, 0]), {"median_bytes": 0, "times_median": math.inf}),
        (lambda make: receiving(make, [0, 0, 0, 0]), None),
    ],
    "small-messages": [
        (
            lambda make: sending(make, Counter({4_095: 500, 8_192: 500})),
            {"from_bytes": 2_048, "below_bytes": 4_096, "share": 0.5, "messages_in_all": 1_000},
        ),
        (lambda make: sending(make, Counter({4_095: 499, 8_192: 501})), None),
        (lambda make: sending(make, Counter({4_095: 499, 8_192: 303, 16_384: 198})), None),  # the most, but not half
        (lambda make: sending(make, Counter({4_096: 1_000})), None),
        (lambda make: sending(make, Counter({4_095: 999})), None),
    ],
    "file-time": [
        (
            lambda make: reading(make, [(a_layer(0.101), a_layer(5.0), 0)] * 4),
            {"file": "/data/forcing.nc", "share": pytest.approx(0.404 / RUN_S)},
        ),
        (lambda make: reading(make, [(a_layer(0.099), a_layer(5.0), 0)] * 4), None),
    ],
    "file-read-by-all": [
        (
            lambda make: reading(
                make, [(a_layer(0.0, 500_000), NO_CALLS, 495_000)] * 2 + [(NO_CALLS, NO_CALLS, 0)] * 2
            ),
            {"ranks": 2, "bytes_read": 1_000_000, "size_bytes": 500_000},
        ),
        (lambda make: reading(make, [(a_layer(0.0, 500_000), NO_CALLS, 494_999)] * 4), None),  # less than 99 %
        (lambda make: reading(make, [(a_layer(0.0, 499_999), NO_CALLS, 499_999)] * 2), None),  # less than 1 MB
        (lambda make: reading(make, [(a_layer(0.0, 5_000_000), NO_CALLS, 500_000)]), None),  # by one rank
    ],
    "startup": [
        # Besides start-up, each rank waits for 1 s: 4 s of the other 29.96 s.
        (
            lambda make: starting(make, 10.04),
            {"share": pytest.approx(0.251), "mpi_share_of_rest": pytest.approx(4 / 29.96)},
        ),
        (lambda make: starting(make, 9.96), None),
    ],
}


@pytest.mark.parametrize(
    ("rule", "build", "expected"),
    [
        pytest.param(rule, build, expected, id=f"{rule}-{number}")
        for rule, cases in CASES.items()
        for number, (build, expected) in enumerate(cases)
    ],
)
def test_a_finding_is_made_at_its_threshold_and_not_before(
    rule: str, build: Callable[[MakeRun], Any], expected: Expected, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = build(make_run)
    if hasattr(run, "stops"):
        monkeypatch.setattr(unfinished, "stops", lambda run: run.stops)
    found = {finding.id: finding for finding in findings_of(Content(run))}
    if expected is None:
        assert rule not in found
        return
    evidence = found[rule].evidence
    assert {name: evidence[name] for name in expected} == expected
    assert found[rule].text.endswith(".")


def impossible(make_run: MakeRun) -> Content:
    return Content(uneven_in_steps(make_run, 200.0, noise_ns=2e8))  # 80 s of 40 s


def test_a_loss_greater_than_the_run_is_an_error_of_ours(make_run: MakeRun) -> None:
    with pytest.raises(Contradiction, match="imbalance costs 80 s"):
        findings_of(impossible(make_run))


def test_a_loss_greater_than_the_step_is_one_too(make_run: MakeRun) -> None:
    """12 ms of steps of 10 ms: 4.8 s of 40 s."""
    with pytest.raises(Contradiction, match=r"imbalance costs 4.8 s \(120 % of a part of the run\)"):
        findings_of(Content(uneven_in_steps(make_run, 12.0, noise_ns=1.2e7)))


def test_a_user_reads_what_was_left_out(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FAILS)
    found = {finding.id: finding for finding in findings_of(impossible(make_run))}
    assert "imbalance" not in found
    assert found["contradiction"].evidence == {"left_out": ["imbalance"], "time_s": pytest.approx(RUN_S)}
    assert "imbalance costs 80 s" in found["contradiction"].text


ABOUT_RANKS = {
    "busiest-receiver", "imbalance", "longest-call", "paused", "ranks-stopped", "slow-iteration", "uneven-ranks",
}  # fmt: skip


@pytest.mark.parametrize("rule", sorted(CASES))
def test_a_finding_says_what_it_is_about(rule: str, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    build = next(build for build, expected in CASES[rule] if expected is not None)
    run = build(make_run)
    if hasattr(run, "stops"):
        monkeypatch.setattr(unfinished, "stops", lambda run: run.stops)
    finding = next(finding for finding in findings_of(Content(run)) if finding.id == rule)
    about = finding.as_data()["about"]
    assert about.keys() == {"sites", "loop", "ranks", "files"}
    assert all(site.keys() == {"function", "routine", "file", "line"} for site in about["sites"])
    if "rank" in finding.evidence:
        assert list(map(str, about["ranks"])) == [str(finding.evidence["rank"])]
    if rule in ABOUT_RANKS:
        assert about["ranks"]
        assert set(finding.about.ranks) <= set(run.labels)
    if "function" in finding.evidence and "routine" in finding.evidence:
        assert [site["function"] for site in about["sites"]] == [finding.evidence["function"]]
    if rule.startswith("file-"):
        assert about["files"][0] == finding.evidence["file"]


def test_every_rule_has_cases_on_both_sides() -> None:
    assert CASES.keys() == {rule.id for rule in RULES}
    for rule, cases in CASES.items():
        assert {expected is None for _, expected in cases} == {True, False}, rule


@pytest.mark.parametrize(
    ("bound", "below", "at", "above"),
    [(at_least(2), False, True, True), (at_most(2), True, True, False), (more_than(2), False, False, True)],
)
def test_a_bound_decides(bound: Bound, below: bool, at: bool, above: bool) -> None:
    assert [bound.reached(value) for value in (1.999, 2, 2.001)] == [below, at, above]
    assert bound.reached(None)  # what the system does not tell


def test_findings_in_json_hold_their_evidence_against_their_threshold(make_run: MakeRun) -> None:
    report = json.loads(json.dumps(to_json(receiving(make_run, [0, 900, 0, 0])), allow_nan=False))
    (finding,) = [each for each in report["findings"] if each["id"] == "busiest-receiver"]
    assert finding == {
        "id": "busiest-receiver",
        "severity": "notice",
        "text": "100 % of the message bytes (900 B) go to rank 1; the median rank receives 0 B.",
        "about": {"sites": [], "loop": None, "ranks": [1], "files": []},
        "evidence": {"ranks": 4, "rank": 1, "bytes": 900, "share": 1.0, "median_bytes": 0.0, "times_median": None},
        "threshold": {"ranks": {"at_least": 4}, "times_median": {"at_least": 2}},
        "section": "matrix",
        "in_verdict": False,
        "cost_s": None,
        "help": None,
        "part_of": None,
    }
    sections = {section["id"] for section in report["sections"]}
    for each in report["findings"]:
        assert each["section"] in sections
        assert each["threshold"].keys() <= each["evidence"].keys()


def test_what_the_verdict_says_comes_first_and_stays_in_conditions(make_run: MakeRun) -> None:
    report = to_json(make_run([barrier()], placed(waited_ns=1e9), []))
    first = report["findings"][0]
    assert (first["id"], first["in_verdict"]) == ("cores-taken", True)
    assert report["verdict"].startswith(first["text"])
    assert report["conditions"] == [{"code": "cores-taken", "message": first["text"], **first["evidence"]}]


def test_a_run_that_ended_at_its_start_has_nothing_to_look_at(make_run: MakeRun) -> None:
    processes = ranks(complete=False, finalized=False)
    run = make_run([a_site("MPI_Init", "init", [1.0] * 4)], processes, [])
    assert [finding.id for finding in findings_of(Content(run))] == []


def test_findings_are_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "read" / "report.md").read_text()
    section = text.split("## Findings")[1].split("\n## ")[0]
    assert [rule.id for rule in RULES if f"`{rule.id}`" not in section] == []


def test_a_finding_names_no_section_that_does_not_exist() -> None:
    from leadline.report.sections import SECTIONS

    assert {rule.section for rule in RULES} <= {section.id for section in SECTIONS}
