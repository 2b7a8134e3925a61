"""The wrf workload: the same bits however the channel is cut, its checks, its refusals."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from .recorded import assert_refused, library, quickest, result_line, start, words

pytestmark = pytest.mark.ci  # for changes to workloads/

SMALL = {"grid": "11x13x6", "steps": 7}  # one hour's output and a step more; divides by few of the numbers of ranks
LINE = re.compile(
    r"^wrf: grid .* in (?P<tiles>\d+ x \d+) tiles, \d+ steps?: .*, mass error (?P<mass>\S+), heat error (?P<heat>\S+), "
    r"tracer error (?P<tracer>\S+), unevenness (?P<uneven>\S+), northward wind (?P<north>\S+) m/s, "
    r"strongest wind (?P<wind>\S+) m/s, fingerprint (?P<fingerprint>[0-9a-f]{16})$"
)
EXCHANGES = ["stage:1", "stage:2", "stage:3", "acoustic:1", "acoustic:2", "initial:1"]


@dataclass(frozen=True)
class Result:
    tiles: str
    losses: list[float]  # of mass, heat, tracers, relative
    unevenness: float
    northward_m_per_s: float
    strongest_m_per_s: float
    fingerprint: str


def result_of(line: str) -> Result:
    found = LINE.match(line)
    assert found, line
    losses = [float(found[name]) for name in ("mass", "heat", "tracer")]
    winds = float(found["north"]), float(found["wind"])
    return Result(found["tiles"], losses, float(found["uneven"]), *winds, found["fingerprint"])


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return result_of(result_line("wrf", quickest(), 1, SMALL, cwd=tmp_path_factory.mktemp("reference")))


@pytest.mark.parametrize(("ranks", "tiles"), [(2, "1x2"), (2, "2x1"), (3, "1x3"), (3, "3x1"), (4, "2x2"), (4, "1x4")])
def test_every_bit_is_the_same_however_the_channel_is_cut(
    reference: Result, tmp_path: Path, ranks: int, tiles: str
) -> None:
    chosen = quickest() if ranks == 2 else library("openmpi")  # more ranks than cores take turns there
    result = result_of(result_line("wrf", chosen, ranks, {**SMALL, "tiles": tiles}, cwd=tmp_path))
    assert result.tiles == tiles.replace("x", " x ")
    assert result.fingerprint == reference.fingerprint


def test_air_that_sleeps_stays_as_it_was(tmp_path: Path) -> None:
    """Exchanges and output are made all the same, and the checks of a state that does not change pass."""
    result = result_of(result_line("wrf", quickest(), 2, {**SMALL, "sleep": 1000}, cwd=tmp_path))
    assert (result.losses, result.unevenness, result.northward_m_per_s) == ([0.0, 0.0, 0.0], 0.0, 0.0)


def test_every_bit_is_the_same_with_more_ranks_than_cores(reference: Result, tmp_path: Path) -> None:
    result = result_of(result_line("wrf", library("openmpi"), 12, SMALL, cwd=tmp_path))
    assert result.tiles == "3 x 4"
    assert result.fingerprint == reference.fingerprint


def test_air_heat_and_tracers_are_conserved_and_what_is_even_stays_even(reference: Result) -> None:
    assert max(reference.losses) < 1e-12
    assert reference.unevenness < 1e-13
    assert 10.0 < reference.strongest_m_per_s < 100.0


def test_air_at_rest_stays_at_rest(tmp_path: Path) -> None:
    result = result_of(result_line("wrf", quickest(), 2, {"grid": "8x8x12", "steps": 30, "case": "rest"}, cwd=tmp_path))
    assert result.strongest_m_per_s == 0.0


def test_the_disturbance_of_the_jet_grows(tmp_path: Path) -> None:
    wind = []
    for days in (1, 3):
        options = {"grid": "10x16x6", "steps": 144 * days}
        wind.append(result_of(result_line("wrf", quickest(), 1, options, cwd=tmp_path)).northward_m_per_s)
    assert wind[1] > 1.5 * wind[0]


@pytest.mark.parametrize("tiles", ["1x2", "2x1"])
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_without_this_exchange_the_result_differs(reference: Result, tmp_path: Path, exchange: str, tiles: str) -> None:
    options = words({**SMALL, "tiles": tiles})
    done = start("wrf", quickest(), 2, options, cwd=tmp_path, environment={"WRF_LEAVE_OUT": exchange})
    (line,) = done.stdout.splitlines()  # printed even where the checks fail
    assert re.search(r"fingerprint ([0-9a-f]{16})$", line)[1] != reference.fingerprint  # type: ignore[index]


def test_an_exchange_that_is_none_changes_nothing(reference: Result, tmp_path: Path) -> None:
    done = start("wrf", quickest(), 2, words(SMALL), cwd=tmp_path, environment={"WRF_LEAVE_OUT": "stage:4"})
    assert result_of(done.stdout.strip()).fingerprint == reference.fingerprint


def test_a_failed_check_is_said_and_is_exit_code_1(tmp_path: Path) -> None:
    options = words({**SMALL, "tiles": "1x2"})
    done = start("wrf", quickest(), 2, options, cwd=tmp_path, environment={"WRF_LEAVE_OUT": "acoustic:1"})
    assert done.returncode != 0
    assert "air mass is not conserved" in done.stderr


REFUSED = {
    "an unknown option": (["--tracers=4"], "unknown option --tracers"),
    "no steps": (["--steps=0"], "--steps: expected an integer from 1"),
    "a grid of two sizes": (["--grid=41x81"], "--grid: expected the form 41x81x64"),
    "a grid too small for the ranks": (["--grid=5x8x3"], "a grid of 5 x 8 points cannot be decomposed into 3 tiles"),
    "a tile thinner than the halo": (["--grid=8x30x3", "--tiles=3x1"], "decomposed into 3 tiles of at least 3 x 3"),
    "another number of tiles": (["--tiles=2x2"], "--tiles gives 2 x 2 tiles for 3 processes"),
    "a sleep of less than nothing": (["--sleep=-1"], "--sleep: expected an integer from 0"),
    "an unknown case": (["--case=storm"], "--case: expected one of wave, rest, got 'storm'"),
    "a grid beyond all memory": (["--grid=90000x90000x40"], "more than 2^31 points"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path: Path, case: str) -> None:
    options, reason = REFUSED[case]
    assert_refused("wrf", 3, options, reason, cwd=tmp_path)
