"""Which rank stopped first, and the sentence about those that waited, in cases made by hand."""

from dataclasses import replace

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.unfinished import AT_LEAST, COMMAND, EXACT, RUNNING, UNKNOWN, Stop, first
from leadline.wording.endings import of_stops

WAITS = Stop("1", "n1", "MPI_Recv", "exchange", 5.0, 5.0, 150.0, COMMAND)
IDLE = Stop("0", "n1", None, "", 4.9, 4.9, 150.0, COMMAND)
SHARED_CLOCK = 0.0


def named(*found: Stop, error: float | None = SHARED_CLOCK) -> tuple[str, str] | None:
    known = first(found, error)
    return (known[0].label, known[1]) if known else None


def test_who_was_in_no_call_stopped_first() -> None:
    assert named(WAITS, IDLE, replace(WAITS, label="2", since_s=4.0)) == ("0", "no-call")
    assert of_stops([WAITS, replace(WAITS, label="2"), IDLE], SHARED_CLOCK) == (
        "Ranks 1, 2 sat in MPI_Recv (exchange) for up to 145 s until the end, at 150 s; rank 0 made no MPI call for "
        "145 s until the end, at 150 s. Rank 0 stopped first: its last call ended 4.90 s after the start."
    )


def test_who_ended_before_the_others_stopped_first() -> None:
    killed = Stop("3", "n2", "MPI_Allreduce", "", 20.0, 20.1, 21.0, EXACT)
    assert named(WAITS, IDLE, killed) == ("3", "ended")
    together = replace(killed, until_s=149.0)
    assert named(WAITS, IDLE, together) == ("0", "no-call")
    assert named(replace(WAITS, until_s=None, source=UNKNOWN), killed) == ("1", "first-in-call")


def test_a_deadlock_has_a_first_but_no_culprit() -> None:
    other = replace(WAITS, label="0", call="MPI_Ssend", since_s=4.5)
    text = of_stops([WAITS, other], SHARED_CLOCK)
    assert text.endswith("All were in MPI calls; rank 0 entered its call first, 4.50 s after the start.")


def test_times_that_cannot_be_compared_name_nobody() -> None:
    here, there = replace(IDLE, label="0"), replace(IDLE, label="2", host="n2", since_s=4.905)
    assert named(here, there, error=0.01) is None
    assert named(here, there, error=None) is None
    assert named(here, there, error=0.001) == ("0", "no-call")
    assert named(IDLE) is None


def test_what_is_not_known_is_not_said() -> None:
    unknown = [replace(stop, until_s=None, source=UNKNOWN) for stop in (WAITS, IDLE)]
    assert of_stops(unknown, SHARED_CLOCK) == ""
    assert [stop.silent_s for stop in unknown] == [None, None]


def test_who_was_killed_at_work_did_not_wait() -> None:
    at_work = [replace(WAITS, since_s=149.9), replace(IDLE, since_s=149.5)]
    assert of_stops(at_work, SHARED_CLOCK) == ""


def test_a_run_that_goes_on_is_told_in_the_present() -> None:
    text = of_stops([replace(WAITS, source=RUNNING), replace(IDLE, source=RUNNING)], SHARED_CLOCK)
    assert text.startswith("Rank 1 has been in MPI_Recv (exchange) for 145 s; rank 0 has made no MPI call for 145 s.")


def test_a_bound_is_told_as_one() -> None:
    text = of_stops([replace(WAITS, source=AT_LEAST), replace(IDLE, source=AT_LEAST)], SHARED_CLOCK)
    assert text.startswith("Rank 1 sat in MPI_Recv (exchange) for at least 145 s until the end, at 150 s or later; ")
    both = [replace(WAITS, source=AT_LEAST), replace(WAITS, label="2", since_s=6.0, until_s=140.0, source=AT_LEAST)]
    assert "for at least 134 s until the end, at 140 s or later" in of_stops(both, SHARED_CLOCK)
