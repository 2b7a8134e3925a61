"""The study's published tables, and what a measurement is said to agree with."""

from pathlib import Path
from typing import Any

import pytest

from leadline import mpi
from leadline.bench import study
from leadline.bench.output import About, Note
from leadline.bench.rows import Asked, Measurement
from leadline.bench.study import SERIES, Comparison, PublishedRatio, compare, published, ratio_of_rounded, summary
from leadline.errors import MeasurementFailed

POINT_TO_POINT, BROADCAST, SUM = SERIES
NOWHERE = Path("nowhere")
LIBRARY = mpi.Library("intel", mpi.FROM_PYPI["intel"], "mpich", NOWHERE, NOWHERE, None, NOWHERE, NOWHERE)


def test_every_published_table_is_found() -> None:
    assert sum(len(found) for found in published(POINT_TO_POINT).values()) == 2 * 2 * 3 * 9
    assert sum(len(found) for found in published(BROADCAST).values()) == 84
    assert sum(len(found) for found in published(SUM).values()) == 90


def test_a_published_ratio_by_hand() -> None:
    """x12core, 2 processes, 100 elements: native 0.005 ms, binary tree 0.004 ms with 5.0.1 (tables 3 and 5)."""
    found = {each.version: each for each in published(BROADCAST)["binary_tree_async", 2, 100]}
    assert found["5.0.1"].ratio == pytest.approx(1.25)
    assert (found["5.0.1"].low, found["5.0.1"].high) == pytest.approx((4.5 / 4.5, 5.5 / 3.5))


def test_rounding_leaves_a_range() -> None:
    assert ratio_of_rounded(2.0, 1.0) == pytest.approx((2.0, 1.9995 / 1.0005, 2.0005 / 0.9995))
    ratio, low, high = ratio_of_rounded(0.001, 0.001)
    assert low < 0.5 < ratio < 2 < high


def _comparison(low: float, high: float, *ranges: tuple[float, float]) -> Comparison:
    theirs = [PublishedRatio("c", "", "1", (a + b) / 2, a, b) for a, b in ranges]
    return Comparison("s", "a", 2, 100, "intel", {"median": (low + high) / 2, "low": low, "high": high}, theirs)


def test_agreement_needs_both_to_be_clear() -> None:
    same = _comparison(1.1, 1.2, (1.2, 1.4), (1.01, 2.0))
    opposite = _comparison(0.8, 0.9, (1.2, 1.4))
    unclear_here = _comparison(0.9, 1.1, (1.2, 1.4))
    unclear_there = _comparison(1.1, 1.2, (1.2, 1.4), (0.9, 1.1))
    no_table = _comparison(1.1, 1.2)
    assert [c.agrees for c in (same, opposite, unclear_here, unclear_there, no_table)] == [
        True,
        False,
        None,
        None,
        None,
    ]
    assert summary([same, opposite, unclear_there, no_table]).startswith(
        "2 of 3 published points have a clear winner both here and in the paper; the same algorithm wins at 1"
    )


def test_a_series_that_fails_is_said_and_the_others_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The broadcast's first launch does not end; of the sums only the first launch does."""
    ratio = {"median": 1.3, "low": 1.2, "high": 1.4}

    def measured(operation: str, **asked: Any) -> Measurement:
        assert asked["keep"]
        if operation == "bcast":
            raise MeasurementFailed("the measurement did not end within 900 s")
        row = {"algorithm": asked["algorithms"][0], "processes": 2, "bytes": 800, "library": "intel"}
        row |= {"ratio_to_native": ratio, "late": 0, "samples": 9, "problem": None, "correct": True}
        found = Measurement(Asked(operation, (800,), (), 2, "intel", 1), [], None, {}, [row])
        found.failed = "launch 2 of 3 failed" if operation == "allreduce" else ""
        return found

    monkeypatch.setattr(study, "measure", measured)
    monkeypatch.setattr(study.os, "sched_getaffinity", lambda _: {0, 1})
    found = study.run("intel-mpi", [LIBRARY])
    assert [each.series for each in found.comparisons] == ["point to point", "vector sum (MPI_SUM)"]
    assert found.document()["failed"] == [
        "broadcast, 2 ranks, intel: not measured: the measurement did not end within 900 s",
        "vector sum (MPI_SUM), 2 ranks, intel: launch 2 of 3 failed",
    ]
    assert "broadcast, 4, 8, 16 ranks: more than the 2 cores here (measure anyway: --full)" in found.left_out
    study.print_study(found)
    said = capsys.readouterr().out
    assert "Failed: broadcast, 2 ranks" in said
    assert "vector sum (MPI_SUM), intel: speedup of each algorithm over native" in said


def test_a_study_prints_every_note_but_failures_whatever_its_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Failures it lists itself, also of measurements that left nothing else."""
    monkeypatch.setattr(study, "notes", lambda _: [Note(about, f"about {about.name}") for about in About])
    measured = Measurement(Asked("bcast", (8,), (), 2, "intel", 1), [], None, {}, [])
    study.print_study(study.Study(measurements=[measured]))
    said = capsys.readouterr().out
    printed = {about for about in About if f"bcast with intel. about {about.name}" in said}
    assert printed == set(About) - {About.FAILURE}


def test_rows_are_set_beside_the_study() -> None:
    ratio = {"median": 1.3, "low": 1.2, "high": 1.4}
    rows = [
        {"algorithm": "native", "processes": 2, "bytes": 800, "library": "intel", "ratio_to_native": None},
        {"algorithm": "binary_tree_async", "processes": 2, "bytes": 800, "library": "intel", "ratio_to_native": ratio},
        {"algorithm": "scatter_direct", "processes": 2, "bytes": 800, "library": "intel", "ratio_to_native": ratio},
    ]
    asked = Asked("bcast", (800,), (), 2, "intel", 1)
    tree, direct = compare(BROADCAST, Measurement(asked, [], None, {}, rows))
    assert (tree.elements, len(tree.published)) == (100, 3)
    assert (direct.published, direct.agrees) == ([], None)
    assert direct.as_dict()["winner"] == "algorithm"
