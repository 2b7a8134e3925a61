"""Samples of hand-made processes, by routine."""

import errno
from types import SimpleNamespace
from typing import Any

import pytest

from leadline.figures.samples import samples_of
from leadline.symbols import Location

FLUX = Location("flux", "hydro::flux(int)", "ocean", "/src/flux.cpp", 10)
MODULES = ["/opt/ocean", "/lib/libm.so.6", "/opt/lib/libleadline.so"]


def places(module: int, offset: int) -> tuple[Location, ...]:
    if module == 0:
        inlined = Location("min", "min(int)", "ocean", "/src/min.h", 3)
        return (inlined, Location("flux", FLUX.full, "ocean", "/src/flux.cpp", 10 + offset // 100))
    return (Location("libm.so.6+0x1", "libm.so.6+0x1", MODULES[module], resolved=False),)


places.save = lambda: None  # type: ignore[attr-defined]


def a_run(by_rank: list[list[tuple[int, int, int, bool, int]]], **sampling: Any) -> Any:
    counts = [sum(row[4] for row in rows) for rows in by_rank]
    given = {"rate": 100, "refused": 0, "error": 0, "in_mpi": 0, "no_room": 0, "lost": 0} | sampling
    return SimpleNamespace(
        processes=[SimpleNamespace(sampling=SimpleNamespace(taken=count, **given)) for count in counts],
        sites=[SimpleNamespace(members=(0, 2)), SimpleNamespace(members=(1,))],
        places=places,
        profile=SimpleNamespace(samples=by_rank.__getitem__, modules=[SimpleNamespace(path=path) for path in MODULES]),
    )


def test_samples_of_a_routine_are_one_wherever_in_it_they_were_taken() -> None:
    first = [(0, 0, 50, True, 30), (2, 0, 350, True, 50), (1, 0, 360, False, 20)]
    second = [(1, 0, 50, False, 20), (-1, 1, 7, False, 3), (0, 2, 9, True, 1), (0, -1, 0, True, 2)]
    run = a_run([first, second])
    found = samples_of(run, computation_s=2.0, base_s=4.0)
    assert (found.taken, found.time_s, found.computation_s) == (126, 1.26, 2.0)
    flux = found.routines[0]
    assert (flux.routine, flux.full, flux.file, flux.line) == ("flux", FLUX.full, "/src/flux.cpp", 13)
    assert (flux.samples, flux.time_s, flux.share, flux.ranks) == (120, 1.2, 0.3, 2)
    assert (flux.most_s, flux.mean_s) == (1.0, 0.6)
    assert flux.in_main_loop == pytest.approx(80 / 120)
    # Two sites of the trace are one call of the source.
    assert flux.before is run.sites[0]
    assert flux.before_share == pytest.approx(80 / 120)
    names = [(one.routine, one.samples) for one in found.routines[1:]]
    assert names == [("(libm.so.6)", 3), ("(generated code)", 2), ("(Leadline)", 1)]
    assert found.routines[1].before is None


def test_refusals_and_losses_are_kept() -> None:
    found = samples_of(a_run([[], []], refused=1, error=errno.EACCES, lost=4, no_room=2), computation_s=2.0, base_s=4.0)
    assert (found.refused, found.reason, found.lost, found.no_room) == (2, "Permission denied", 8, 4)
    assert found.routines == ()


def test_without_samples_there_is_nothing() -> None:
    assert samples_of(a_run([[(0, 0, 50, True, 30)]], rate=0), 1.0, 1.0).routines == ()
