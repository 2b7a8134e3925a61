"""The s3d workload: the order of its differences, conservation, and the same bits on any number of ranks."""

import re
from pathlib import Path

import pytest

from .recorded import assert_refused, quickest, result_line, start, words

pytestmark = pytest.mark.ci  # for changes to workloads/

FLAME = {"grid": "12x11x10", "steps": 2, "monitor": 1}
# The least that two blocks along one axis take; only that axis has messages.
CUT = {"x": {"grid": "10x5x5", "blocks": "2x1x1"}, "y": {"grid": "5x10x5", "blocks": "1x2x1"},
       "z": {"grid": "5x5x10", "blocks": "1x1x2"}}  # fmt: skip
SHORT = {"steps": 1}
QUANTITIES = 7


def _fingerprint(line: str) -> str:
    found = re.search(r"fingerprint ([0-9a-f]{16})$", line)
    assert found, line
    return found[1]


@pytest.fixture(scope="module")
def flame(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _fingerprint(result_line("s3d", quickest(), 1, FLAME, cwd=tmp_path_factory.mktemp("flame")))


@pytest.mark.parametrize("blocks", ["2x1x1", "1x2x1", "1x1x2", "2x2x1", "2x1x2", "1x2x2"])
def test_the_same_bits_however_the_box_is_cut(flame: str, tmp_path: Path, blocks: str) -> None:
    ranks = 2 ** blocks.count("2")
    line = result_line("s3d", quickest(), ranks, {**FLAME, "blocks": blocks}, cwd=tmp_path)
    assert f"in {blocks.replace('x', ' x ')} blocks" in line
    assert _fingerprint(line) == flame


@pytest.mark.parametrize(("problem", "ranks"), [("sound", 1), ("sound", 4), ("mixing", 2)])
def test_the_order_of_convergence_is_that_of_the_differences(tmp_path: Path, problem: str, ranks: int) -> None:
    options = {"problem": problem, "grid": "12x12x12", "steps": 1}
    line = result_line("s3d", quickest(), ranks, options, cwd=tmp_path)  # fails where it is less than 7.5
    found = re.search(r"off the exact solution by (\S+), order (\S+),", line)
    assert found, line
    assert 7.5 <= float(found[2]) <= 8.5
    assert float(found[1]) < 1e-5


def test_the_flame_burns_and_conserves_what_it_must(tmp_path: Path) -> None:
    burnt = []
    for steps in (4, 16):
        line = result_line("s3d", quickest(), 2, {"grid": "16x16x16", "steps": steps, "monitor": 4}, cwd=tmp_path)
        found = re.search(r"imbalance (\S+), hottest \S+, burnt (\S+) % of the fuel,", line)
        assert found, line
        assert float(found[1]) < 1e-13
        burnt.append(float(found[2]))
    assert 0.5 < burnt[0] < burnt[1] - 0.5


@pytest.fixture(scope="module")
def short_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    cwd = tmp_path_factory.mktemp("short")
    return {
        axis: _fingerprint(result_line("s3d", quickest(), 2, {**cut, **SHORT}, cwd=cwd)) for axis, cut in CUT.items()
    }


def _fingerprint_without(left_out: str, axis: str, cwd: Path) -> str:
    options = words({**CUT[axis], **SHORT})
    # What is conserved may well be lost then, and the exit code say so.
    done = start("s3d", quickest(), 2, options, cwd=cwd, environment={"S3D_LEAVE_OUT": left_out})
    return _fingerprint(done.stdout.strip())


def _exchanges_along(axis: str) -> list[str]:
    first = "xyz".index(axis) * QUANTITIES
    by_axis = range(first + 1, first + 1 + QUANTITIES)
    numbers = {"gradients": range(1, 7), "divergence": by_axis, "filter": by_axis}
    return [f"{routine}:{number}" for routine in numbers for number in numbers[routine]]


@pytest.mark.parametrize("axis", CUT)
def test_without_any_one_exchange_the_result_differs(short_runs: dict[str, str], tmp_path: Path, axis: str) -> None:
    for number, exchange in enumerate(_exchanges_along(axis)):
        left_out = f"{exchange}:{axis}{'+-'[number % 2]}"
        assert _fingerprint_without(left_out, axis, tmp_path) != short_runs[axis], left_out


@pytest.mark.parametrize("left_out", ["gradients:1:x-", "divergence:1:x+", "filter:1:x-", "monitor:1"])
def test_nor_without_the_other_direction_or_the_monitor(
    short_runs: dict[str, str], tmp_path: Path, left_out: str
) -> None:
    assert _fingerprint_without(left_out, "x", tmp_path) != short_runs["x"]


@pytest.mark.parametrize("left_out", ["gradients:7", "divergence:22", "filter:22", "monitor:2", "gradients:1:y+"])
def test_an_exchange_that_is_none_changes_nothing(short_runs: dict[str, str], tmp_path: Path, left_out: str) -> None:
    assert _fingerprint_without(left_out, "x", tmp_path) == short_runs["x"]


def test_a_loss_of_mass_is_an_error(tmp_path: Path) -> None:
    options = words({**CUT["x"], **SHORT})
    done = start("s3d", quickest(), 2, options, cwd=tmp_path, environment={"S3D_LEAVE_OUT": "divergence:1:x+"})
    assert done.returncode == 1
    assert "s3d: mass, momentum, energy or atoms are not conserved" in done.stderr


def test_a_wrong_order_is_an_error(tmp_path: Path) -> None:
    options = words({"problem": "mixing", "grid": "12x12x12", "steps": 1})
    done = start("s3d", quickest(), 2, options, cwd=tmp_path, environment={"S3D_LEAVE_OUT": "gradients:5"})
    assert done.returncode == 1
    assert "s3d: the order of convergence is below 7.5" in done.stderr


REFUSED = {
    "an unknown option": (["--domains", "4"], "unknown option --domains"),
    "no steps": (["--steps", "0"], "--steps: expected an integer from 1"),
    "no steps between two looks": (["--monitor", "0"], "--monitor: expected an integer from 1"),
    "an unknown problem": (["--problem", "fire"], "--problem: expected one of flame, sound, mixing, got 'fire'"),
    "a grid of two sizes": (["--grid", "16x16"], "--grid: expected the form 32x32x32"),
    "a grid narrower than the filter": (["--grid", "16x16x4"], "--grid needs at least 5 points"),
    "a grid beyond all memory": (["--grid", "9999x9999x9999"], "more than 2^31 points"),
    "a grid too small for the ranks": (["--grid", "10x10x10"], "cannot be decomposed into 3 blocks"),
    "blocks for other ranks": (["--blocks", "2x2x1"], "--blocks 2x2x1 does not give one part to each of 3 processes"),
    "blocks that are too narrow": (["--grid", "12x32x32", "--blocks", "3x1x1"], "less than 5 points wide"),
    "too coarse for an exact solution": (["--problem", "sound", "--grid", "30x8x8"], "sound needs at least 12 points"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path) -> None:
    options, reason = REFUSED[case]
    assert_refused("s3d", 3, options, reason, cwd=tmp_path)
