"""The worth of rules in the job they are applied in. No time decides; times that would are made up."""

from pathlib import Path

import pytest

from leadline.tuning import remeasuring
from leadline.tuning.probing import Point, Subject
from leadline.tuning.remeasuring import remeasure, why_slower
from leadline.tuning.table import Rule

from .conftest import Apply

SUBJECT = Subject(("app",), None, Path("libmpi.so"), None, {})
FAST = Rule("bcast", (2, 4), (1024, 65536), "chain")
SLOW = Rule("allreduce", (2, 2), (8, 8), "ring")
TOO_MANY = Rule("bcast", (8, 16), (8, 8), "chain")
TABLE = """schema = 1
[[rule]]
operation = "bcast"
processes = [2, 2]
bytes = [1048576, 1048576]
algorithm = "binomial"
[[rule]]
operation = "reduce"
processes = [2, 2]
bytes = [8, 8]
algorithm = "binomial"
"""


def test_with_and_without_take_turns_and_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def times(subject: Subject, variables: dict[str, str], points: list[Point]) -> dict[Point, list[float]]:
        asked.append(bool(variables))
        with_rule = {"bcast": 5.0, "allreduce": 20.0}
        return {point: [with_rule[point.operation] if variables else 10.0] * 4 for point in points}

    monkeypatch.setattr(remeasuring, "time_points", times)
    found = remeasure(SUBJECT, {"LD_PRELOAD": "shim"}, [FAST, SLOW, TOO_MANY], processes=3, launches=3)
    assert asked == [False, True, True, False, False, True]
    assert [(worth.point.n_bytes, worth.point.processes, worth.gain.median) for worth in found[FAST]] == [
        (1024, 3, 2.0),
        (65536, 3, 2.0),
    ]
    assert why_slower(found[FAST]) == ""
    assert [worth.slower for worth in found[SLOW]] == [True]
    assert "0.50× (0.50 to 0.50) at 8 bytes on 2 ranks" in why_slower(found[SLOW])
    assert found[TOO_MANY] == []


@pytest.mark.parametrize("via", ["shim", "native"])
def test_rules_are_measured_in_a_job_like_the_programs(apply: Apply, via: str) -> None:
    done = apply("mpich", TABLE, "--via", via, "--measure", ranks=2, code=3)
    assert (done.code, done.output) == (3, "the program's own output")
    assert done.found["not_measured"] is None
    told = {rule["operation"]: rule for rule in [*done.found["applied"], *done.found["not_applied"]]}
    assert set(told) == {"bcast", "reduce"}
    rule = told["bcast"]  # applied, or left out for it was slower: that is a matter of time
    measured = rule.get("measured") or rule.get("seen")
    assert [(found["bytes"], found["processes"]) for found in measured] == [(1048576, 2)]
    assert all(found["median"] > 0 for found in measured)


def test_what_cannot_be_measured_is_said(apply: Apply) -> None:
    done = apply("mpich", TABLE, "--measure", ranks=2, code=6, shell=True)
    assert (done.code, done.output) == (6, "the program's own output")
    assert "is neither a known launcher nor an MPI program" in done.found["not_measured"]
