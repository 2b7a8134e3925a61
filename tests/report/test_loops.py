"""The section of loops, as far as it can be wrong without a recorded program (tests/recorder/test_main_loop.py)."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from leadline.figures.iterations import Iterations
from leadline.figures.loops import NamedLoop
from leadline.figures.run import Run
from leadline.figures.timeline.steps import median_s
from leadline.report.sections.loops import LoopEntry, _lines, _loop
from leadline.wording.loops import or_others, restarting, why_no_loops

from .handmade import a_process

LOOP = NamedLoop(
    3,
    "solve",
    "/src/solver.f90",
    12,
    20,
    (),
    40,
    1.5,
    0.25,
    at_least=False,
    around=(),
    restarts=0,
    restart_iterations=0,
)


def test_a_loop_whose_order_of_calls_was_lost_has_its_trips_in_all() -> None:
    entry = LoopEntry(LOOP, parent=1, depth=1, iterations=160, shape=None, calls=320, main=False)
    data = _loop(entry)
    assert (data["trips"], data["trips_of_all_ranks"], data["calls"]) == (40, 160, 320)
    assert (data["trips_per_parent"], data["variants"]) == (None, None)
    assert _lines([entry], 80)[1] == " 25.0 %           ?    solver.f90:12 in solve"


def test_call_sequences_that_restart_are_reported_where_iterations_may_be_more() -> None:
    loop = replace(LOOP, at_least=True, restarts=20, restart_iterations=3)
    entry = LoopEntry(loop, parent=1, depth=1, iterations=160, shape=None, calls=320, main=False)
    assert _loop(entry)["restarts"] == {"times": 20, "after_trips": 3}
    assert _lines([entry], 80)[1] == " 25.0 %           ?    solver.f90:12 in solve, call sequence restarts 20 ×"
    in_words = "its call sequence restarts 20 times, after every 3 iterations of its inner loop"
    assert restarting(loop) == in_words
    once = "its call sequence restarts 20 times, after every iteration of its inner loop"
    assert restarting(replace(loop, restart_iterations=1)) == once


def test_an_inner_loop_reached_on_several_call_paths_is_one_line() -> None:
    def entry(number: int, parent: int, share: float, shape: Any = None) -> LoopEntry:
        loop = replace(LOOP, number=number, share=share)
        return LoopEntry(loop, parent, depth=1 if parent else 0, iterations=4, shape=shape, calls=4, main=False)

    def trips(fewest: int, most: int) -> SimpleNamespace:
        return SimpleNamespace(fewest=fewest, most=most)

    outer, elsewhere = entry(1, 0, 0.9, trips(4, 4)), entry(9, 0, 0.01, trips(1, 1))
    inner = [entry(2, 1, 0.5, trips(1, 2)), entry(3, 1, 0.25, trips(2, 5))]
    assert _lines([outer, *inner, elsewhere], 80)[1:] == [
        " 90.0 %           4  solver.f90:12 in solve",
        " 75.0 %      1 to 5    solver.f90:12 in solve, on 2 call paths",
        "  1.0 %           1  solver.f90:12 in solve",
    ]
    unknown = [inner[0], entry(3, 1, 0.25)]
    assert _lines([outer, *unknown], 80)[2] == " 75.0 %           ?    solver.f90:12 in solve, on 2 call paths"


def timed(first: int, last: int, mean_s: float, at_least: bool = False) -> Iterations:
    """Four iterations of a loop, of 2.5 s on average: those from `first` to `last` were timed."""
    run = SimpleNamespace(profile=SimpleNamespace(loops=SimpleNamespace(mean_ns={1: 2.5e9}.get)))
    strip = [SimpleNamespace(first=first, last=last, timed=last - first + 1)]
    found = SimpleNamespace(count=4, mean_ns=mean_s * 1e9, strip=strip)
    loop = replace(LOOP, number=1, time_s=20.0, at_least=at_least)
    return Iterations(cast(Any, run), cast(Any, found), loop, None)


def test_few_iterations_that_are_unlike_the_others_do_not_stand_for_all() -> None:
    assert timed(0, 0, 0.1).average_s == 2.5
    assert timed(0, 0, 0.1).timed_are_unlike
    assert timed(0, 2, 5.1).timed_are_unlike
    assert not timed(0, 2, 4.9).timed_are_unlike
    assert not timed(0, 2, 1.3).timed_are_unlike
    assert not timed(0, 3, 0.1).timed_are_unlike
    assert timed(0, 0, 0.1, at_least=True).average_s is None


def test_iterations_of_an_entry_that_were_not_timed_do_not_count() -> None:
    """Entries of the strip stand for four iterations each; of the first, only the last was timed."""
    entries = [(0, 3, 1, 9e9), (4, 7, 4, 1e9), (8, 9, 2, 2e9)]
    strip = [SimpleNamespace(first=a, last=b, timed=n, mean_ns=mean) for a, b, n, mean in entries]
    found = SimpleNamespace(count=10, strip=strip)
    assert Iterations(cast(Any, None), cast(Any, found), None, None).timed_iterations == 7
    assert median_s(cast(Any, SimpleNamespace(found=found, times=[]))) == 1.0


def test_the_share_of_candidates_within_one_another_is_said_once() -> None:
    outer, inner = replace(LOOP, at_least=True), replace(LOOP, number=4, line=14, iterations=600, inside=3)
    assert or_others([outer, inner]) == "or: solver.f90:12 in solve, ≥ 40 ×, 25 %; in it solver.f90:14 in solve, 600 ×"
    assert or_others([inner]) == "or: solver.f90:14 in solve, 600 ×, 25 %", "the one around it is not listed"


def test_shares_of_loops_are_of_ranks_whose_loops_are_known() -> None:
    """Rank 1's trace was cut before its loops. Rank 2 is whole and has none: its time counts."""
    loops = [SimpleNamespace(cells=[]), SimpleNamespace(cells=[SimpleNamespace(process=0)])]

    def base_s(*complete: bool) -> float:
        run: Any = Run.__new__(Run)
        run.processes = [
            a_process(rank, 3, complete=whole, category_ns=[0.0] * 9) for rank, whole in enumerate(complete)
        ]
        run.profile = SimpleNamespace(loops=SimpleNamespace(all=loops))
        return cast("float", run.loop_base_s)

    assert base_s(True, True, True) == 30
    assert base_s(True, False, True) == 20
    assert base_s(False, True, True) == 30, "cut, but its loops are known"


def test_where_code_is_not_read_that_is_why_there_are_no_loops() -> None:
    def on(architecture: object) -> str:
        return why_no_loops(cast(Run, SimpleNamespace(description={"machine": {"architecture": architecture}})))

    assert on("aarch64") == "Leadline finds loops in the code of x86-64 only, and this is aarch64"
    assert (on("x86_64"), on(None)) == ("", "")
    assert why_no_loops(cast(Run, SimpleNamespace(description={}))) == ""
