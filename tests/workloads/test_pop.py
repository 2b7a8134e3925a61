"""The pop workload: the same result however the ocean is cut, its checks, its refusals."""

import math
from pathlib import Path

import pytest

from .pop_figures import Figures, figures_of
from .recorded import assert_refused, library, quickest, result_line, start, words

pytestmark = pytest.mark.ci  # for changes to workloads/

SMALL = {"grid": "97x33x4", "tracers": 3, "steps": 3}  # divides by few of the numbers of ranks
EXCHANGES = [
    *[f"mixing_coefficients:{n}" for n in (1, 2)],
    *[f"momentum:{n}" for n in (1, 2)],
    *[f"barotropic:{n}" for n in (1, 2, 3, 4)],
    *[f"tracer_transport:{n}" for n in (1, 2, 3, 4)],
    *[f"solver:{n}" for n in (1, 2)],
]
# Over these steps the results of the cuts differ by less than 1e-14. What the first of three Runge-Kutta stages brings
# is small in the third power of the share of a cell that the water moves in a step.
ROUNDING = 3e-14
LEAST_DIFFERENCE = 1e-13


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    return figures_of(result_line("pop", quickest(), 1, SMALL, cwd=tmp_path_factory.mktemp("reference")))


@pytest.mark.parametrize(("ranks", "blocks"), [(2, "2x1"), (2, "1x2"), (3, "3x1"), (4, "2x2"), (4, "1x4"), (4, "4x1")])
def test_result_is_the_same_however_the_ocean_is_cut(
    reference: Figures, tmp_path: Path, ranks: int, blocks: str
) -> None:
    chosen = quickest() if ranks == 2 else library("openmpi")  # more ranks than cores take turns there
    figures = figures_of(result_line("pop", chosen, ranks, {**SMALL, "blocks": blocks}, cwd=tmp_path))
    assert f"{figures.columns}x{figures.rows}" == blocks
    assert figures.values == pytest.approx(reference.values, rel=ROUNDING)


def test_result_is_the_same_with_more_ranks_than_cores(reference: Figures, tmp_path: Path) -> None:
    figures = figures_of(result_line("pop", library("openmpi"), 9, SMALL, cwd=tmp_path))
    assert figures.columns * figures.rows == 9
    assert figures.values == pytest.approx(reference.values, rel=ROUNDING)


@pytest.mark.parametrize("ranks", [1, 2])
def test_both_forms_of_the_solver_agree(reference: Figures, tmp_path: Path, ranks: int) -> None:
    figures = figures_of(result_line("pop", quickest(), ranks, {**SMALL, "solver": "standard"}, cwd=tmp_path))
    assert figures.values == pytest.approx(reference.values, rel=ROUNDING)


@pytest.mark.parametrize("solver", ["chrongear", "standard"])
def test_members_are_what_they_would_be_alone(tmp_path: Path, solver: str) -> None:
    """Bit by bit on one rank, where a sum has one order: a member that is solved waits for the others, unchanged."""
    ocean = {"grid": "40x30x3", "steps": 4, "solver": solver}
    several = figures_of(result_line("pop", quickest(), 1, {**ocean, "first-member": 2, "members": 4}, cwd=tmp_path))
    alone = [
        figures_of(result_line("pop", quickest(), 1, {**ocean, "first-member": number}, cwd=tmp_path))
        for number in (2, 3, 4, 5)
    ]
    assert several.values == alone[0].values
    assert several.last == alone[-1].values != several.values
    assert several.iterations >= max(one.iterations for one in alone)
    assert several.tracer_error == max(one.tracer_error for one in alone)
    assert several.volume_error == max(one.volume_error for one in alone)
    assert several.residual == max(one.residual for one in alone)


def test_members_are_the_same_however_the_ocean_is_cut(reference: Figures, tmp_path: Path) -> None:
    figures = figures_of(result_line("pop", quickest(), 2, {**SMALL, "members": 3, "blocks": "1x2"}, cwd=tmp_path))
    last = figures_of(result_line("pop", quickest(), 1, {**SMALL, "first-member": 2}, cwd=tmp_path))
    assert figures.values == pytest.approx(reference.values, rel=ROUNDING)
    assert figures.last == pytest.approx(last.values, rel=ROUNDING)


def test_every_member_s_seiche_is_checked(tmp_path: Path) -> None:
    options = {"grid": "8x16x4", "steps": 20, "case": "seiche", "members": 3}
    figures = figures_of(result_line("pop", quickest(), 2, options, cwd=tmp_path))
    assert figures.seiche == pytest.approx(figures.expected_seiche, abs=2e-6)


def test_nothing_is_lost_and_the_solver_solves_to_its_tolerance(tmp_path: Path) -> None:
    figures = figures_of(result_line("pop", quickest(), 2, {"grid": "40x60x4", "steps": 6}, cwd=tmp_path))
    assert figures.volume_error < 1e-16
    assert figures.tracer_error < 1e-13
    assert figures.residual <= 1e-12


def test_the_fine_grid_takes_more_iterations_and_no_more_than_200(tmp_path: Path) -> None:
    coarse = figures_of(result_line("pop", quickest(), 1, {"grid": "10x12x3", "steps": 1}, cwd=tmp_path))
    fine = figures_of(result_line("pop", quickest(), 1, {"grid": "120x144x3", "steps": 1}, cwd=tmp_path))
    assert coarse.iterations < fine.iterations <= 200
    assert fine.residual <= 1e-12


def test_a_seiche_has_the_period_of_long_waves(tmp_path: Path) -> None:
    steps = 20
    figures = figures_of(
        result_line("pop", quickest(), 2, {"grid": "8x16x4", "steps": steps, "case": "seiche"}, cwd=tmp_path)
    )
    width = 6.371e6 * math.radians(140.0)
    step_s = 3600.0
    turn = math.sqrt(9.81 * 4000.0) * math.pi / width * step_s  # of the continuous equations, in a step
    assert figures.seiche == pytest.approx(((1.0 - 1j * turn) ** -steps).real, abs=3e-3)
    assert figures.seiche == pytest.approx(figures.expected_seiche, abs=2e-6)
    assert figures.seiche < 0.0  # it has swung over to the other side


@pytest.mark.full(*EXCHANGES[1:])
@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("blocks", ["2x1", "1x2"])
def test_without_this_exchange_the_result_differs(
    reference: Figures, tmp_path: Path, exchange: str, blocks: str
) -> None:
    options = words({**SMALL, "blocks": blocks})
    done = start("pop", quickest(), 2, options, cwd=tmp_path, environment={"POP_LEAVE_OUT": exchange})
    (line,) = done.stdout.splitlines()  # printed even where the checks fail
    differences = [abs(a - b) / b for a, b in zip(figures_of(line).values, reference.values, strict=True)]
    assert not max(differences) < LEAST_DIFFERENCE


def test_an_exchange_that_is_none_changes_nothing(reference: Figures, tmp_path: Path) -> None:
    done = start("pop", quickest(), 2, words(SMALL), cwd=tmp_path, environment={"POP_LEAVE_OUT": "momentum:3"})
    assert figures_of(done.stdout.strip()).values == pytest.approx(reference.values, rel=ROUNDING)


def test_a_failed_check_is_said_and_is_exit_code_1(tmp_path: Path) -> None:
    options = words({**SMALL, "blocks": "2x1"})
    done = start("pop", quickest(), 2, options, cwd=tmp_path, environment={"POP_LEAVE_OUT": "solver:1"})
    assert done.returncode != 0
    assert "the solver did not converge in 200 iterations" in done.stderr


REFUSED = {
    "an unknown option": (["--tracer=4"], "unknown option --tracer"),
    "no steps": (["--steps=0"], "--steps: expected an integer from 1"),
    "a grid of two sizes": (["--grid=14x10"], "--grid: expected the form 320x384x40"),
    "a grid too small for the ranks": (["--grid=3x3x3"], "a grid of 3 x 3 points cannot be decomposed into 3 blocks"),
    "a block thinner than the halo": (
        ["--grid=5x30x3", "--blocks=3x1"],
        "cannot be decomposed into 3 blocks of at least 2 x 2",
    ),
    "another number of blocks": (["--blocks=2x2"], "--blocks gives 2 x 2 blocks for 3 processes"),
    "an unknown solver": (["--solver=sor"], "--solver: expected one of chrongear, standard, got 'sor'"),
    "an unknown case": (["--case=calm"], "--case: expected one of gyres, seiche, got 'calm'"),
    "one tracer": (["--tracers=1"], "--tracers: expected an integer from 2"),
    "no members": (["--members=0"], "--members: expected an integer from 1"),
    "a grid beyond all memory": (["--grid=90000x90000x40"], "exceed 2^31 points"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path: Path, case: str) -> None:
    options, reason = REFUSED[case]
    assert_refused("pop", 3, options, reason, cwd=tmp_path)
