"""The vh1 workload: Sod's shock tube along each axis, and the same bits on any number of ranks."""

import re
from pathlib import Path

import pytest

from .recorded import assert_refused, library, quickest, result_line, start, words

pytestmark = pytest.mark.ci  # for changes to workloads/

BLAST = {"grid": "16x16x16", "steps": 3}
TUBES = {"x": "{}x4x4", "y": "4x{}x4", "z": "4x4x{}"}


def _fingerprint(line: str) -> str:
    found = re.search(r"fingerprint ([0-9a-f]{16})$", line)
    assert found, line
    return found[1]


@pytest.fixture(scope="module")
def blast(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _fingerprint(result_line("vh1", quickest(), 1, BLAST, cwd=tmp_path_factory.mktemp("blast")))


@pytest.mark.parametrize("pencils", ["1x2", "2x1", "1x4", "4x1", "2x2"])
def test_the_same_bits_however_the_grid_is_cut(blast: str, tmp_path: Path, pencils: str) -> None:
    ranks = int(pencils[0]) * int(pencils[2])
    line = result_line("vh1", quickest(), ranks, {**BLAST, "pencils": pencils}, cwd=tmp_path)
    assert f"in {pencils[0]} x {pencils[2]} pencils" in line
    assert _fingerprint(line) == blast


def _tube(axis: str, zones: int, ranks: int, cwd: Path) -> tuple[float, str]:
    """The deviation from the exact solution in zones, which the run compares with its own bound, and the bits."""
    options = {"problem": f"sod-{axis}", "grid": TUBES[axis].format(zones), "steps": 1000}
    line = result_line("vh1", quickest(), ranks, options, cwd=cwd)
    assert "to t = 0.200000" in line
    found = re.search(r"off the exact solution by ([\d.]+) zones", line)
    assert found, line
    return float(found[1]), _fingerprint(line)


@pytest.mark.parametrize("axis", TUBES)
def test_a_shock_tube_comes_nearer_the_exact_solution_as_zones_shrink(axis: str, tmp_path: Path) -> None:
    coarse, bits = _tube(axis, 48, 1, tmp_path)
    fine, _ = _tube(axis, 96, 1, tmp_path)
    assert fine / 96 < 0.55 * coarse / 48  # first order, as any scheme at a shock
    assert _tube(axis, 48, 4, tmp_path) == (coarse, bits)


@pytest.mark.parametrize("left_out", [*[f"transpose:{number}" for number in range(1, 7)], "dtcon:1"])
def test_without_this_exchange_the_result_differs(blast: str, tmp_path: Path, left_out: str) -> None:
    environment = {"VH1_LEAVE_OUT": left_out}
    done = start("vh1", quickest(), 4, words(BLAST), cwd=tmp_path, environment=environment)
    assert done.returncode != 0 or _fingerprint(done.stdout.strip()) != blast


@pytest.mark.parametrize("left_out", ["transpose:7", "dtcon:2"])
def test_an_exchange_that_is_none_changes_nothing(blast: str, tmp_path: Path, left_out: str) -> None:
    environment = {"VH1_LEAVE_OUT": left_out}
    done = start("vh1", quickest(), 2, words(BLAST), cwd=tmp_path, environment=environment)
    assert _fingerprint(done.stdout.strip()) == blast


def test_a_wrong_shock_tube_is_an_error(tmp_path: Path) -> None:
    options = words({"problem": "sod-y", "grid": "4x48x4", "pencils": "2x1"})
    done = start("vh1", quickest(), 2, options, cwd=tmp_path, environment={"VH1_LEAVE_OUT": "transpose:1"})
    assert done.returncode == 1
    assert "vh1: the errors above exceed their limits" in done.stderr


REFUSED = {
    "an unknown option": (["--tracers", "4"], "unknown option --tracers"),
    "no steps": (["--steps", "0"], "--steps: expected an integer from 1"),
    "an unknown problem": (["--problem", "sod"], "--problem: expected one of blast, sod-x, sod-y, sod-z, got 'sod'"),
    "a grid of two sizes": (["--grid", "16x16"], "--grid: expected the form 64x64x64"),
    "a grid of nothing": (["--grid", "16x16x0"], "a number in --grid: expected an integer from 1"),
    "a grid too thin": (["--grid", "16x2x16"], "at least 4 zones"),
    "a grid too small for the ranks": (["--grid", "4x4x4"], "cannot be decomposed into 3 equal pencils"),
    "a flat grid that does not divide": (["--grid", "64x64x1"], "a grid of 64x64x1 cannot be decomposed into 3"),
    "a grid beyond all memory": (["--grid", "9999x9999x9999"], "more than 2^31 values"),
    "pencils for other ranks": (["--pencils", "2x2"], "--pencils 2x2 does not give one part to each of 3 processes"),
    "pencils that do not fit": (["--pencils", "3x1"], "cannot be divided this way"),
    "a short tube": (["--problem", "sod-x", "--grid", "36x12x12"], "sod-x needs at least 48 zones"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path) -> None:
    options, reason = REFUSED[case]
    assert_refused("vh1", 3, options, reason, cwd=tmp_path)


def test_the_exit_code_of_a_refusal_is_passed_on(tmp_path: Path) -> None:
    assert start("vh1", library("openmpi"), 2, ["--steps=0"], cwd=tmp_path).returncode == 2
