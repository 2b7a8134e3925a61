"""What a share is of: said as it is, and the same in all sections."""

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.phases import _entry
from leadline.report import files_text
from leadline.report.sections import itself


def content(**more: Any) -> Any:
    """Two seconds of the ranks' time, half of it MPI."""
    return SimpleNamespace(base_s=2.0, time_of="ranks", share=lambda time_s: time_s / 2.0, **more)


def test_file_io_is_a_share_of_all_of_the_ranks_time() -> None:
    own = SimpleNamespace(time_s=0.2, calls=3, bytes_read=0, bytes_written=0)
    said = files_text.summary(content(io_s=0.2, files=SimpleNamespace(own=own, files=[])))
    assert said.startswith("200 ms (10 % of the ranks' time) in 3 calls: ")


def test_the_overhead_that_other_sections_give_is_told_apart_from_all_of_it() -> None:
    said = itself._overhead(content(own_s=0.3, own_share=0.15, own_between_s=0.2, trace_bytes=0))
    assert said == (
        "Overhead: 300 ms of the ranks' time (15 %), with MPI_Init and MPI_Finalize; between calls 200 ms (10 %); "
        "traces of 0 B."
    )


def test_an_iteration_on_the_median_of_two_ranks_is_their_mean() -> None:
    """So that it is the phase's time, divided by its iterations, however different the two are."""
    times = [SimpleNamespace(computation=ns, mpi=0.0, io=0.0, startup=0.0) for ns in (1e9, 3e9)]
    phase: Any = SimpleNamespace(
        kind="recurring", times=times, loop=0, writes=False, iterations=4, every=0, sites=[], share=[]
    )
    loops = SimpleNamespace(main=0, all=[SimpleNamespace(silent=False)])
    run: Any = SimpleNamespace(profile=SimpleNamespace(loops=loops))
    paths: Any = SimpleNamespace(name=lambda phase: (("step",), "step"))
    samples: Any = SimpleNamespace(routines=())
    entry = _entry(run, phase, None, 0, samples, paths)
    assert entry.period_s == pytest.approx(0.5)
    assert entry.time_s == pytest.approx(2 * 4 * 0.5)
