"""The names of phases, from the routines that lead to their calls."""

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures import loops
from leadline.figures.phases import _Paths, _waits_for_cores
from leadline.figures.run import Site
from leadline.symbols import Location

# A step makes a sum and an exchange in each iteration. Calls of some iterations are added by the tests.
STEP = ["main step sum MPI_Allreduce", "main step halo MPI_Send"]


def site(number: int, calls: str) -> Site:
    *path, function = calls.split()
    locations = tuple(Location(routine, routine, "model.c", resolved=True) for routine in path)
    return Site(function, local=False, path=locations, whole=True, members=(number,))


@pytest.mark.parametrize(
    ("calls", "chain", "name"),
    [
        (["main step output sum MPI_Allreduce"], ("main", "step", "output", "sum"), "output"),
        (["main step output sum MPI_Allreduce", "main step output write"], ("main", "step", "output"), "output"),
        (["main step rebuild MPI_Send", "main step move MPI_Send"], ("main", "step"), "rebuild, move"),
        (["main step a f", "main step b f", "main step c f", "main step d f"], ("main", "step"), "a, b and 2 more"),
        (["main step MPI_Barrier"], ("main", "step"), "MPI_Barrier of step"),
    ],
)
def test_what_recurs_is_named_by_what_leads_to_it_alone(calls: list[str], chain: tuple[str, ...], name: str) -> None:
    sites = [site(number, text) for number, text in enumerate([*STEP, *calls])]
    run: Any = SimpleNamespace(sites=sites, file_sites=[])
    recurring: Any = SimpleNamespace(kind="recurring", sites=list(range(len(STEP), len(sites))))
    found: Any = SimpleNamespace(phases=[SimpleNamespace(kind="loop", sites=list(range(len(sites)))), recurring])
    assert _Paths(run, found).name(recurring) == (chain, name)


def phase(kind: str, computation_s: float, mpi_s: float, parent: int | None = None) -> Any:
    return SimpleNamespace(kind=kind, parent=parent, computation_s=computation_s, time_s=computation_s + mpi_s)


@pytest.mark.parametrize(
    ("waited", "computation_s", "waits"),
    [(0.9, 0.2, True), (0.4, 0.2, False), (0.9, 1.5, False)],
)
def test_a_main_loop_that_hardly_computes_waits_for_cores(waited: float, computation_s: float, waits: bool) -> None:
    process = SimpleNamespace(conditions=SimpleNamespace(waited_ns=waited * 1e9), duration_ns=1e9)
    run: Any = SimpleNamespace(processes=[process])
    entries = [phase("init", 20 - computation_s, 20), phase("loop", computation_s, 60 - computation_s)]
    entries.append(phase("loop", 5, 50, parent=1))
    assert _waits_for_cores(run, entries, 1) == waits  # it has 60 % of the time


@pytest.mark.parametrize(
    ("time_s", "calls", "within", "expected"),
    [
        ((4.0, 1.0), (270, 304), False, 2),
        ((6.0, 1.5), (270, 304), False, None),  # the first one is most of the run
        ((4.0, 0.7), (270, 304), False, None),
        ((4.0, 1.0), (270, 250), False, None),
        ((4.0, 1.0), (270, 304), True, None),
    ],
)
def test_a_loop_apart_that_makes_more_calls_is_a_rival_of_one_that_does_not_take_most_of_the_time(
    time_s: tuple[float, float],
    calls: tuple[int, int],
    within: bool,
    expected: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nothing = SimpleNamespace(cells=[], header=None)
    each = [SimpleNamespace(cells=[SimpleNamespace(calls=n)], header=i) for i, n in enumerate(calls)]
    found = SimpleNamespace(
        all=[nothing, *each],
        time_ns=lambda n: time_s[n - 1] * 1e9,
        iterations=lambda n: 6,
        within=lambda a, b: within and (a, b) == (2, 1),
    )
    run: Any = SimpleNamespace(profile=SimpleNamespace(loops=found), loop_base_s=10.0)
    monkeypatch.setattr(loops, "named_loop", lambda _, number: number)
    assert loops.rival(run, 1) == expected
