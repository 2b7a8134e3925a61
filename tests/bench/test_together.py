"""Several operations in the same launches: each gets its own results, and all of them share the time."""

from pathlib import Path
from typing import Any

import pytest

from leadline.bench import together
from leadline.bench.asking import Candidate
from leadline.bench.course import FIRST_LOOK, MEASURED, Course
from leadline.bench.launching import NO_TIME, Launch, Plan, Point, Samples
from leadline.bench.rows import Asked
from leadline.bench.together import Request, Together, measure_together
from leadline.mpi import Library
from leadline.runs.launch import Launch as ProgramLaunch
from leadline.runs.order import Turn
from leadline.runs.outcome import Ending, Outcome
from leadline.runs.runner import Done


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def course(folder: Path, operation: str, sizes: tuple[int, ...], *names: str, **how: Any) -> Course:
    candidates = tuple(Candidate(name) for name in ("native", *names))
    asked = Asked(operation, sizes, candidates, processes=2, library="mpich", seed=1)
    return Course(asked, Plan((), seconds=1.0), ["bench"], {}, folder, label="", **how)


def points_of(launch: ProgramLaunch) -> list[str]:
    """Of the plan that was written: points with their candidates."""
    lines = Path(launch.argv[-2]).read_text().splitlines()
    return [line for line in lines if line.startswith(("point", "candidate"))]


@pytest.fixture
def two(tmp_path: Path) -> Together:
    courses = [course(tmp_path, "bcast", (8, 64), "chain"), course(tmp_path, "barrier", (0,), "dissemination")]
    return Together(courses, Plan((), rounds=5), tmp_path, "two")


def test_a_launch_has_the_points_of_all_operations(two: Together) -> None:
    first = two.launch_of(two.turns(2)[0])
    assert first is not None
    bcast = ["candidate native 0 0", "candidate chain 0 0"]
    barrier = ["candidate native 0 0", "candidate dissemination 0 0"]
    assert points_of(first) == ["point bcast 8", *bcast, "point bcast 64", *bcast, "point barrier 0", *barrier]


def take(of: Together, turn: Turn[str], monkeypatch: pytest.MonkeyPatch, samples: dict[tuple[int, int], float]) -> None:
    launch = Launch(ended=True, samples={at: Samples(times_ns=[ns] * 5) for at, ns in samples.items()})
    monkeypatch.setattr(together, "result_of", lambda *_: launch)
    of.take(Done(turn, Outcome(ProgramLaunch("two", ()), Ending.DONE, 0)))


def test_each_operation_gets_its_own_results(two: Together, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = two.turns(1)[0]
    assert two.launch_of(turn) is not None
    take(two, turn, monkeypatch, {(0, 0): 10, (0, 1): 11, (1, 0): 20, (1, 1): 21, (2, 0): 30, (2, 1): 31})
    bcast, barrier = (each.found[0].samples for each in two.courses)
    assert {at: found.times_ns[0] for at, found in bcast.items()} == {(0, 0): 10, (0, 1): 11, (1, 0): 20, (1, 1): 21}
    assert {at: found.times_ns[0] for at, found in barrier.items()} == {(0, 0): 30, (0, 1): 31}


def test_a_candidate_that_ends_a_launch_is_left_out_of_the_next(two: Together, tmp_path: Path) -> None:
    first, second, *spare = two.turns(2)
    assert two.launch_of(first) is not None
    (tmp_path / "0" / "results").write_text("leadline-bench 1\nbegin 1 1\n")  # the chain of 64 bytes
    two.take(Done(first, Outcome(ProgramLaunch("two", ()), Ending.FAILED, 1)))
    launch = two.launch_of(second)
    assert launch is not None
    assert [line for line in points_of(launch) if line.startswith("point")] == ["point bcast 8", "point barrier 0"]
    assert two.courses[0].failed.endswith("skipped from then on")
    assert two.courses[1].failed == two.failed == ""
    assert two.launch_of(spare[0]) is not None


def test_launches_share_the_time_that_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    courses = [course(tmp_path, "bcast", (8,), "chain", "linear", screening=5), course(tmp_path, "barrier", (0,))]
    of = Together(courses, Plan((), rounds=5), tmp_path, "two", limit_s=22, clock=clock)
    turns = of.turns(2)
    assert [turn.candidate for turn in turns[:3]] == [FIRST_LOOK, MEASURED, MEASURED]
    within = []
    for turn in turns:
        launch = of.launch_of(turn)
        if launch is None:
            continue
        lines = Path(launch.argv[-2]).read_text().splitlines()
        within += [float(line.split()[1]) for line in lines if line.startswith("within")]
        clock.now += 4
        take(of, turn, monkeypatch, {(0, 0): 10, (0, 1): 9, (0, 2): 9, (1, 0): 10})
    assert within == [22 / 2 - 1, (22 - 4) / 2 - 1, 22 - 8 - 1]


def test_a_launch_for_which_no_time_is_left_is_not_begun(tmp_path: Path) -> None:
    clock = Clock()
    of = Together([course(tmp_path, "bcast", (8,), "chain")], Plan(()), tmp_path, "", limit_s=5, clock=clock)
    turn = of.turns(1)[0]
    clock.now = 4.5
    assert of.launch_of(turn) is None


def test_what_had_no_time_in_a_first_look_is_measured_later(tmp_path: Path) -> None:
    one = course(tmp_path, "bcast", (8, 64), "chain", screening=5)
    samples = {(0, 0): [10.0] * 5, (0, 1): [20.0] * 5}  # the chain is slower at 8 bytes
    launch = Launch(samples={at: Samples(times_ns=list(ns)) for at, ns in samples.items()})
    launch.samples |= {(1, 0): Samples(NO_TIME), (1, 1): Samples(NO_TIME)}
    one.accept(launch, Turn(FIRST_LOOK, 0, 0, 1, 1), True)
    assert [point.n_bytes for point in one.points()] == [64]
    assert (1, 0) not in one.found[0].samples


def test_a_point_has_its_own_seconds_and_the_plan_its_limit() -> None:
    text = Plan((Point("bcast", 8, (Candidate("native"),), seconds=0.25),), within_s=3).text().splitlines()
    assert text[text.index("point bcast 8") + 1] == "seconds 0.250000"
    assert "within 3.000" in text


def test_operations_are_measured_in_the_same_launches(a_library: Library) -> None:
    requests = [
        Request("bcast", ("binomial", "nothing"), (8, 800), 0.1),
        Request("barrier", ("dissemination",), (0,), 0.1),
        Request("neighbor_allgather", ("linear",), (8,), 0.1, (2,)),
    ]
    found = measure_together(requests, ranks=2, library=a_library, launches=2, rounds=3)
    rows = [(row["operation"], row["bytes"], row["algorithm"], row["correct"]) for each in found for row in each.rows]
    assert rows == [
        ("bcast", 8, "native", True),
        ("bcast", 8, "binomial", True),
        ("bcast", 8, "nothing", False),
        ("bcast", 800, "native", True),
        ("bcast", 800, "binomial", True),
        ("bcast", 800, "nothing", False),
        ("barrier", 0, "native", True),
        ("barrier", 0, "dissemination", True),
        ("neighbor_allgather", 8, "native", True),
        ("neighbor_allgather", 8, "linear", True),
    ]
    assert [len(each.launches) for each in found] == [2, 2, 2]


def test_points_without_time_have_no_figures(a_library: Library) -> None:
    requests = [Request("bcast", ("binomial",), (8,), 0.1)]
    found = measure_together(requests, ranks=2, library=a_library, launches=1, rounds=3, limit_s=0.001)
    assert [(row["problem"], row["median_us"], row["correct"]) for row in found[0].rows] == [(NO_TIME, None, None)] * 2
