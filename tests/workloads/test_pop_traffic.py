"""The communication of pop, counted from traces of every library: halo width 2, one packed message per neighbour."""

from collections import Counter

import pytest

from .pop_figures import Figures, Ocean, figures_of
from .recorded import RUNS, Recording, library, record, runs

pytestmark = pytest.mark.ci  # for changes to workloads/

NX, NY, NZ, TRACERS, STEPS = 25, 18, 4, 3, 2

# What a step exchanges: values per point of the halo of each update, as docs/reference/workloads/pop.md lists them.
UPDATES = {
    "mixing_coefficients": [1, NZ],
    "momentum": [2 * NZ, 2 * NZ],
    "barotropic": [2, 2, 2 * NZ, 1],
    "tracer_transport": [TRACERS * NZ] * 4,
}
SOLVERS = {"chrongear": [16], "standard": [8, 8]}  # bytes of an iteration's allreduces, for each member
SHARED = {"barotropic"}  # where the values of all members travel in one message; elsewhere each has its own


@pytest.fixture(scope="module", params=runs([*RUNS, ("mpich", 3)]))
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, Figures, str]:
    name, ranks = request.param
    members = _members(ranks)
    solver = "standard" if ranks in (3, 4) else "chrongear"
    options = {"grid": f"{NX}x{NY}x{NZ}", "tracers": TRACERS, "steps": STEPS, "solver": solver, "members": members}
    recording = record("pop", library(name), ranks, options, cwd=tmp_path_factory.mktemp("pop"))
    return recording, figures_of(recording.line), solver


def _members(ranks: int) -> int:
    """The members of the runs on this many ranks: an ensemble with each form of the solver."""
    return 5 if ranks in (3, 8) else 1


def _times(sizes: Counter[int], number: int) -> Counter[int]:
    return Counter({size: number * count for size, count in sizes.items()})


def _check(recording: Recording, routine: str, updates: int, sizes: Counter[int], ocean: Ocean) -> None:
    """One message to and one from each neighbour per update, and two waits for all of them."""
    neighbours = ocean.neighbours()
    sends = recording.traffic("MPI_Isend", routine)
    receives = recording.traffic("MPI_Irecv", routine)
    waits = recording.traffic("MPI_Waitall", routine)
    assert sends.sizes == sizes
    for posted in (sends, receives):
        assert posted.calls == updates * sum(neighbours)
        assert posted.calls_max == updates * max(neighbours)
        assert posted.calls_min == updates * min(neighbours)
    assert receives.n_bytes_received == sends.n_bytes
    assert waits.calls_min == waits.calls_max == 2 * updates


def test_every_phase_exchanges_what_its_text_says(run: tuple[Recording, Figures, str]) -> None:
    recording, figures, solver = run
    ocean = Ocean(NX, NY, figures.columns, figures.rows)
    members = _members(recording.report["ranks"])
    iterations = figures.iterations
    checks = iterations // 10
    assert iterations % 10 == 0
    assert STEPS <= checks <= STEPS * 20
    _check(
        recording,
        f"FreeSurfaceSolver::{solver}",
        iterations + checks,
        _times(ocean.sizes(members), iterations + checks),
        ocean,
    )
    _check(recording, "FreeSurfaceSolver::checked", checks, _times(ocean.sizes(members), checks), ocean)
    for routine, updates in UPDATES.items():
        sizes: Counter[int] = Counter()
        together, apart = (members, 1) if routine in SHARED else (1, members)
        for values in updates:
            sizes += _times(ocean.sizes(values * together), STEPS * apart)
        number = STEPS * len(updates) * apart
        if routine == "barotropic":  # the solver is called from there
            sizes += _times(ocean.sizes(members), iterations + checks)
            number += iterations + checks
        _check(recording, routine, number, sizes, ocean)
    three_dimensional = [values for updates in UPDATES.values() for values in updates if values >= NZ]
    assert len(three_dimensional) == 8
    assert sum(map(len, UPDATES.values())) - len(three_dimensional) == 4


def test_allreduces_are_those_of_the_solver(run: tuple[Recording, Figures, str]) -> None:
    recording, figures, solver = run
    ranks = recording.report["ranks"]
    allreduces = recording.traffic("MPI_Allreduce", f"FreeSurfaceSolver::{solver}")
    checks = figures.iterations // 10
    each = [_members(ranks) * n_bytes for n_bytes in SOLVERS[solver]]
    assert allreduces.calls == ranks * (figures.iterations * len(each) + checks) == recording.calls("MPI_Allreduce")
    assert allreduces.n_bytes == ranks * (figures.iterations * sum(each) + 8 * _members(ranks) * checks)
    checked = recording.traffic("MPI_Allreduce", "FreeSurfaceSolver::checked")
    assert checked.n_bytes == ranks * 8 * _members(ranks) * checks


def test_nothing_else_is_sent(run: tuple[Recording, Figures, str]) -> None:
    recording, _, _ = run
    functions = {function["function"] for function in recording.report["functions"]}
    others = {"MPI_Init", "MPI_Finalize", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Reduce"}
    assert functions - others == {"MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce"}
    assert recording.calls("MPI_Reduce") == 4 * recording.report["ranks"]  # after the last step


def test_every_run_has_the_same_result(run: tuple[Recording, Figures, str], first: list[list[float]]) -> None:
    first.append(run[1].values)
    assert run[1].values == pytest.approx(first[0], rel=1e-12)


@pytest.fixture(scope="module")
def first() -> list[list[float]]:
    """The values of the run that came first."""
    return []
