"""leadline study intel-mpi: what is said to each claim, from made-up times; and small studies that resume."""

from __future__ import annotations

import json
import math
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi
from leadline.bench import study as published_study
from leadline.bench.rows import Asked, Measurement
from leadline.bench.study import SERIES
from leadline.errors import MeasurementFailed
from leadline.runs.interruption import interruption
from leadline.studies.intel_mpi import claims, points
from leadline.studies.intel_mpi.points import Point, Points
from leadline.studies.libraries.claims import HOLDS, NOT, UNKNOWN

OLD, NEW = "intel@2018.0.3", "intel"
Time = Callable[[Point], float]


def made(time_us: Time, launches: int = 6) -> Points:
    """All points of the study with two releases; a percent of noise."""
    chance, found = random.Random(1), Points()
    for series in SERIES:
        names = [series.base, *(name.partition(":")[0] for name in series.algorithms)]
        for library in (OLD, NEW):
            for processes in series.processes:
                for elements in series.elements:
                    for name in names:
                        point = Point(series.name, library, processes, elements, name)
                        found.us[point] = [time_us(point) * math.exp(chance.gauss(0, 0.01)) for _ in range(launches)]
    return found


def judged(time_us: Time) -> list[str]:
    return [each.verdict for each in claims.verdicts(made(time_us), (OLD, NEW))]


def long(point: Point) -> bool:
    return point.elements >= claims.LONG


def as_published(point: Point) -> float:
    us = 1.0 + point.elements
    if point.algorithm == "nonblocking":
        return us * (0.9 if long(point) else 1)
    if point.algorithm == "binary_tree_async":
        few = point.processes <= 8 if point.series == "broadcast" else point.processes == 32
        return us * (0.8 if few else 1.3)
    if point.algorithm == "scatter_direct":
        return us * (0.7 if point.processes == 8 else 1.5)
    if point.algorithm == "rabenseifner":
        return us * 0.5
    return us * (1.2 if point.series == claims.SUM.name and point.library == NEW else 1)


def test_claims_that_hold_here() -> None:
    assert judged(as_published) == [HOLDS] * 10


def test_claims_that_do_not_hold_here() -> None:
    def otherwise(point: Point) -> float:
        us = (1.0 + point.elements) * (1.3 if point.elements >= 10_000_000 else 1)
        if point.algorithm == "nonblocking":
            return us * (1.2 if long(point) else 0.8)
        if point.algorithm == "binary_tree_async":
            return us * (0.7 if point.series == claims.BCAST.name and point.processes == 16 else 1.4)
        if point.algorithm in {"scatter_direct", "rabenseifner"}:
            return us * 1.4
        return us * (1.2 if point.series == claims.P2P.name and point.library == NEW else 1)

    found = judged(lambda point: otherwise(point) * (1.5 if point.elements == 10**8 else 1))
    assert found == [NOT] * 10


def test_nothing_is_claimed_of_equal_times_but_that_they_are_alike() -> None:
    found = judged(lambda point: 1.0 + point.elements)
    assert found == [UNKNOWN, HOLDS, HOLDS, HOLDS, *[UNKNOWN] * 5, NOT]


def test_nothing_is_said_of_what_was_not_measured() -> None:
    found = claims.verdicts(Points(), (OLD, NEW))
    assert {each.verdict for each in found} == {UNKNOWN}
    assert {each.why for each in found} == {"not measured"}


def test_his_own_tables_are_counted() -> None:
    """Of table 1 and 2, three clusters, two placements: nine lengths, of which five from 10,000 elements on."""
    said = [each.published for each in claims.verdicts(Points(), ())]
    assert said[0] == "his tables: faster at 30, slower at 0 of 30 points"
    assert said[9] == "his tables: 79 of 90 pairs differ by more than 5 %"


def test_releases_take_turns_and_finished_launches_are_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    releases = [
        mpi.Library(name, mpi.FROM_PYPI["intel"], "mpich", tmp_path, tmp_path, None, tmp_path, tmp_path)
        for name in (OLD, NEW)
    ]
    made: list[tuple[str, str]] = []

    def measure(operation: str, **asked: Any) -> Measurement:
        made.append((operation, asked["library"].name))
        if (operation, asked["library"].name) == ("bcast", OLD):
            raise MeasurementFailed("the launch ended with code 1")
        row = {"algorithm": "split_native:radix=2", "bytes": 800, "median_us": float(len(made)), "correct": True}
        late = {**row, "bytes": 8000, "median_us": None}
        return Measurement(Asked(operation, (800,), (), 2, "", 1), [], None, {}, [row, late])

    monkeypatch.setattr(points, "measure", measure)
    monkeypatch.setattr(published_study.os, "sched_getaffinity", lambda _: {0, 1})

    def measured(launches: int) -> Points:
        return points.measured(releases, launches, 0.02, tmp_path, lambda _: None, full=False)

    first = measured(2)
    assert [library for operation, library in made if operation == "p2p"] == [OLD, NEW, NEW, OLD]
    assert first.failed == {f"broadcast, 2 processes, {OLD}": "the launch ended with code 1"}
    assert {point.algorithm for point in first.us} == {"split_native"}
    assert {point.elements for point in first.us} == {100}
    kept = {point: [*times] for point, times in first.us.items()}
    made.clear()
    assert measured(2).us == kept
    assert made == [("bcast", OLD)]  # only what failed is tried again
    made.clear()
    again = measured(3)
    assert sorted(made) == sorted([(o, n) for o in ("p2p", "bcast", "allreduce") for n in (OLD, NEW)])
    assert all(again.us[point][:2] == times for point, times in kept.items())


def test_a_signal_keeps_what_was_measured_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = mpi.Library(OLD, mpi.FROM_PYPI["intel"], "mpich", tmp_path, tmp_path, None, tmp_path, tmp_path)
    made: list[str] = []

    def measure(operation: str, **_: Any) -> Measurement:
        """As its launches do when a signal comes; none is sent here."""
        made.append(operation)
        if len(made) == 2:
            with interruption() as asked:
                asked.note(signal.SIGTERM)
                asked.end_if_any()
        row = {"algorithm": "blocking", "bytes": 800, "median_us": 1.0, "correct": True}
        return Measurement(Asked(operation, (800,), (), 2, "", 1), [], None, {}, [row])

    monkeypatch.setattr(points, "measure", measure)
    found = points.measured([library], 2, 0.02, tmp_path, lambda _: None, full=False)
    assert found.interruption.signal == signal.SIGTERM
    assert len(made) == 2
    assert [*found.us.values()] == [[1.0]]


def test_a_command_that_is_terminated_prints_what_is_finished(tmp_path: Path) -> None:
    if "mpich" not in {each.name for each in mpi.available()}:
        pytest.skip("the MPI library mpich is not installed")
    words = f"study intel-mpi --mpi mpich --launches 1000 --seconds 0.01 --json -o {tmp_path / 'out'}".split()
    command = [sys.executable, "-m", "leadline", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (tmp_path / "out" / points.FILE).exists():
        time.sleep(0.05)
    process.terminate()
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 128 + signal.SIGTERM, errors
    assert len(json.loads(out)["claims"]) == 10
    assert f"the same command with -o {tmp_path / 'out'}" in " ".join(errors.split())


@pytest.mark.ci
@pytest.mark.parametrize("library", ["mpich", "openmpi"])
def test_the_command_ends_with_ten_claims(library: str, tmp_path: Path) -> None:
    if library not in {each.name for each in mpi.available()}:
        pytest.skip(f"the MPI library {library} is not installed")
    words = f"study intel-mpi --mpi {library} --launches 2 --seconds 0.01 --json".split()
    command = [sys.executable, "-m", "leadline", *words, "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    found = json.loads(done.stdout)
    assert found["libraries"] == [library]
    assert len(found["claims"]) == 10
    assert not found["failed"]
    assert len(json.loads((tmp_path / "out" / points.FILE).read_text())["done"]) == len(SERIES)
