"""Every exchange carries data the scheme needs: without any one of them, in either direction, the result differs."""

from pathlib import Path

import pytest

from .running import Program, Result, result_of, run_opatm

pytestmark = pytest.mark.ci  # for changes to workloads/

LEVELS = 5
OPTIONS = {"grid": f"14x10x{LEVELS}", "tracers": 4, "steps": 3}
EXCHANGES = [
    *[f"trcadv:{number}" for number in range(1, 9)],
    *[f"trchdf:{number}" for number in range(1, LEVELS)],  # a row of every level but the bed
    "trcnxt:1",
]


@pytest.fixture(scope="module")
def complete(any_program: Program, tmp_path_factory: pytest.TempPathFactory) -> Result:
    return run_opatm(any_program, 2, OPTIONS, cwd=tmp_path_factory.mktemp("complete"))


def _checksum_without(program: Program, left_out: str, options: dict[str, object], ranks: int, cwd: Path) -> str:
    words = [f"--{name}={value}" for name, value in {"output": "out.bin", **options}.items()]
    # Mass may well be lost then, and the exit code say so.
    return result_of(program.start(ranks, words, cwd=cwd, left_out=left_out)).checksum


@pytest.mark.parametrize("direction", ["eastward", "westward"])
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_without_this_exchange_the_result_differs(
    any_program: Program, complete: Result, tmp_path: Path, exchange: str, direction: str
) -> None:
    left_out = f"{exchange}:{direction}"
    assert _checksum_without(any_program, left_out, OPTIONS, 2, tmp_path) != complete.checksum


@pytest.mark.parametrize("exchange", ["trcadv:1", "trcadv:2", "trchdf:1", "trcnxt:1"])
@pytest.mark.parametrize("direction", ["northward", "southward"])
def test_the_same_holds_from_south_to_north(
    any_program: Program, complete: Result, tmp_path: Path, exchange: str, direction: str
) -> None:
    tall = {**OPTIONS, "grid": f"10x14x{LEVELS}", "decomp": "2d"}  # two blocks, one north of the other
    whole = run_opatm(any_program, 2, tall, cwd=tmp_path)
    assert "2 ranks in 1 x 2 blocks" in whole.run
    left_out = f"{exchange}:{direction}"
    assert _checksum_without(any_program, left_out, tall, 2, tmp_path) != whole.checksum


def test_an_exchange_that_is_none_changes_nothing(any_program: Program, complete: Result, tmp_path: Path) -> None:
    for none in ("trcadv:9", f"trchdf:{LEVELS}", "trcnxt:2"):
        assert _checksum_without(any_program, none, OPTIONS, 2, tmp_path) == complete.checksum


def test_mass_is_reported_as_lost_when_ranks_disagree(any_program: Program, tmp_path: Path) -> None:
    words = [f"--{name}={value}" for name, value in {"output": "out.bin", **OPTIONS}.items()]
    done = any_program.start(2, words, cwd=tmp_path, left_out="trcadv:1:eastward")
    assert done.returncode != 0
    assert result_of(done).mass_error > 1e-10
    assert "mass is not conserved" in done.stderr
