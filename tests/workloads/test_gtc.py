"""The gtc workload: no particle and no charge is lost, and the same result on any number of ranks."""

import re
from pathlib import Path

import pytest

from .recorded import assert_refused, quickest, result_line, start, words

pytestmark = pytest.mark.ci  # for changes to workloads/

SMALL = {"grid": "17x32x16", "particles": 20000, "steps": 3}
NUMBER = r"(\d\.\d+e[+-]\d+)"


def _means(line: str) -> tuple[float, float]:
    found = re.search(rf"potential\^2 {NUMBER}, speed\^2 {NUMBER}$", line)
    assert found, line
    return float(found[1]), float(found[2])


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[float, float]:
    return _means(result_line("gtc", quickest(), 1, SMALL, cwd=tmp_path_factory.mktemp("alone")))


@pytest.mark.parametrize(("ranks", "domains"), [(2, 1), (2, 2), (3, 1), (4, 4), (4, 2), (4, 1)])
def test_the_same_result_however_the_torus_is_cut(
    alone: tuple[float, float], tmp_path: Path, ranks: int, domains: int
) -> None:
    line = result_line("gtc", quickest(), ranks, {**SMALL, "domains": domains}, cwd=tmp_path)
    assert f"{domains} domain{'s' if domains > 1 else ''} of {ranks // domains}," in line
    assert ", 20000 particles," in line
    assert _means(line) == pytest.approx(alone, rel=2e-9)


def _differs(alone: tuple[float, float], domains: int, left_out: str, cwd: Path) -> bool:
    options = words({**SMALL, "domains": domains})
    done = start("gtc", quickest(), 4, options, cwd=cwd, environment={"GTC_LEAVE_OUT": left_out})
    return done.returncode != 0 or _means(done.stdout.strip()) != pytest.approx(alone, rel=2e-9)


IN_RING = ["chargei:2", "chargei:3", *[f"smooth:{number}" for number in range(1, 7)],
           *[f"field:{number}" for number in range(1, 5)], "pushi:1", "shifti:1"]  # fmt: skip


@pytest.mark.full(*IN_RING[1:])
@pytest.mark.parametrize("left_out", [*IN_RING, "chargei:1", "poisson:1"])
def test_without_this_exchange_the_result_differs(alone: tuple[float, float], tmp_path: Path, left_out: str) -> None:
    assert _differs(alone, 2, left_out, tmp_path)


@pytest.mark.full(*IN_RING)
@pytest.mark.parametrize("left_out", [*IN_RING, "shifti:2:right", "shifti:2:left"])
def test_the_same_holds_on_a_longer_ring(alone: tuple[float, float], tmp_path: Path, left_out: str) -> None:
    assert _differs(alone, 4, left_out, tmp_path)


@pytest.mark.parametrize("left_out", ["chargei:4", "smooth:7", "poisson:2", "field:5", "pushi:2", "shifti:3"])
def test_an_exchange_that_is_none_changes_nothing(alone: tuple[float, float], tmp_path: Path, left_out: str) -> None:
    assert not _differs(alone, 2, left_out, tmp_path)


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ("shifti:2:right", "charge was not conserved"),  # particles that nobody receives
        ("chargei:2", "charge was not conserved"),
        ("shifti:1", "is not in domain"),
        ("poisson:1", "does not solve the field equation"),
    ],
)
def test_a_loss_is_an_error(tmp_path: Path, left_out: str, said: str) -> None:
    options = words({**SMALL, "domains": 2})
    done = start("gtc", quickest(), 4, options, cwd=tmp_path, environment={"GTC_LEAVE_OUT": left_out})
    assert done.returncode != 0
    assert said in done.stderr


REFUSED = {
    "an unknown option": (["--pencils", "4"], "unknown option --pencils"),
    "no steps": (["--steps", "0"], "--steps: expected an integer from 1"),
    "no particles": (["--particles", "0"], "--particles: expected an integer from 1"),
    "fewer particles than processes": (["--particles", "2"], "--particles 2 is fewer than one for each of 3 processes"),
    "a grid of two sizes": (["--grid", "33x64"], "--grid: expected the form 33x64x16"),
    "a plane too small": (["--grid", "4x64x16"], "at least 5 points radially"),
    "an odd plane": (["--grid", "33x63x16"], "even number of points"),
    "a grid beyond all memory": (["--grid", "9999x9998x9999"], "too many points for one message"),
    "domains for other ranks": (["--domains", "2"], "--domains 2 does not divide 3 processes"),
    "more domains than planes": (["--domains", "3", "--grid", "33x64x16"], "does not divide the 16 planes"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path) -> None:
    options, reason = REFUSED[case]
    assert_refused("gtc", 3, options, reason, cwd=tmp_path)


def test_a_plane_too_small_for_those_who_share_it_is_refused(tmp_path: Path) -> None:
    assert_refused("gtc", 5, ["--grid", "5x8x1"], "5 processes cannot share", cwd=tmp_path)
