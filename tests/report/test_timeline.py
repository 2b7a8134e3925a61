"""Which steps and ranks a timeline shows, what it is drawn from, and its text, of steps made by hand."""

from __future__ import annotations

from array import array
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from leadline.figures.timeline import marks
from leadline.figures.timeline.lanes import choose_lanes
from leadline.figures.timeline.reading import IterationTime, StepCalls
from leadline.figures.timeline.steps import Step, representative_steps
from leadline.figures.timeline.waiting import CallWait
from leadline.report.timeline_text import axis, longest_calls, picture
from leadline.wording.timelines import shown_ranks, title_of, waiting_share

NOT_KNOWN = float("nan")


def two_ranks() -> StepCalls:
    """In 20 ms: rank 0 computes 4, sends for 1, computes 5, reduces for 10. Rank 1 begins at 2, waits from 4 to 8 for
    what rank 0 sent, makes two short calls at 9, writes from 10 to 12, and reduces until 20.
    """
    ms = 1e-3
    rows = [
        # lane, function, begin, end, gap, completion, completed
        (0, "MPI_Isend", 104, 105, 4, -1, NOT_KNOWN),
        (0, "MPI_Allreduce", 110, 120, 5, -1, 120 * ms),
        (1, "MPI_Irecv", 102, 102.01, 0, 3, 108 * ms),
        (1, "MPI_Wait", 104, 108, 1.99, -1, 108 * ms),
        (1, "MPI_Test", 109, 109.01, 1, -1, 109.01 * ms),
        (1, "MPI_Test", 109.02, 109.03, 0.01, -1, 109.03 * ms),
        (1, "write", 110, 112, 0.97, -1, 112 * ms),
        (1, "MPI_Allreduce", 112, 120, 0, -1, 120 * ms),
    ]
    functions = list(dict.fromkeys(row[1] for row in rows))
    return StepCalls(
        7,
        lane=array("i", [row[0] for row in rows]),
        kind=array("i", [functions.index(row[1]) for row in rows]),
        kinds=list(enumerate(functions)),
        begin_s=array("d", [row[2] * ms for row in rows]),
        end_s=array("d", [row[3] * ms for row in rows]),
        gap_s=array("d", [row[4] * ms for row in rows]),
        polled=bytes(len(rows)),
        completion=array("q", [row[5] for row in rows]),
        completed_s=array("d", [row[6] for row in rows]),
        sent=array("q", [800, 8, 0, 0, 0, 0, 64, 8]),
        received=array("q", [0, 8, -1, 800, 0, 0, 0, 8]),
        sends=array("q", [0]),
        receives=array("q", [3]),
        unmatched=1,
    )


CATEGORIES = {
    "MPI_Isend": "point_to_point",
    "MPI_Irecv": "point_to_point",
    "MPI_Wait": "completion",
    "MPI_Test": "completion",
    "write": "files",
    "MPI_Allreduce": "collective",
}


def test_the_text_of_a_step() -> None:
    step = two_ranks()
    lines = picture(step, ["0", "17"], [0, 1], 46, lambda row: CATEGORIES[step.function(row)])
    assert ["".join(text for text, _ in line) for line in lines] == [
        "      0                   10 ms",
        "   0  ········▓▓··········▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒",
        "  17      ▁···████████··▁·◇◇◇◇▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒",
        "      █ completing requests  ▓ point to point",
        "      ▒ collectives  ◇ file I/O  · computation",
        "      ▁ short calls",
    ]
    styles = {text[0]: style for text, style in lines[2][1:]}
    assert (styles["█"], styles["◇"], styles["▒"]) == ("red", "yellow", "green")
    alone = picture(step, ["0", "17"], [1], 46, lambda row: CATEGORIES[step.function(row)])
    assert alone[1:-1] == lines[2:-1]


WAITS = {1: CallWait("wait_at_n_to_n", 2e-3, 1), 3: CallWait("late_sender", 4e-3, 0)}


def test_waiting_is_marked_where_it_is_most_of_a_call() -> None:
    """Rank 0 waits for 2 of the 10 ms of its reduction; rank 1 for all 4 of its MPI_Wait."""
    step = replace(two_ranks(), waits=WAITS)
    lines = picture(step, ["0", "17"], [0, 1], 46, lambda row: CATEGORIES[step.function(row)])
    assert ["".join(text for text, _ in line) for line in lines] == [
        "      0                   10 ms",
        "   0  ········▓▓··········╱╱╱╱▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒",
        "  17      ▁···╱╱╱╱╱╱╱╱··▁·◇◇◇◇▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒",
        "      █ completing requests  ▓ point to point",
        "      ▒ collectives  ◇ file I/O",
        "      ╱ waiting for another rank",
        "      · computation  ▁ short calls",
    ]
    assert {text[0]: style for text, style in lines[2][1:]}["╱"] == "red"  # of completion, whose time it is
    assert waiting_share(step, [0, 1]) == "Waiting for other ranks: 16 % of their time."
    assert waiting_share(step, [0]) == "Waiting for other ranks: 10 % of their time."
    assert waiting_share(two_ranks(), [0, 1]) == "Waiting is unknown."
    tiles = marks.tiles(step, 2, lambda kind: CATEGORIES[step.kinds[kind][1]])
    full = tiles["levels"] * tiles["tiles"]
    assert [sum(tiles["waiting"][lane * 1_000 : (lane + 1) * 1_000]) for lane in (0, 1)] == [full / 10, full / 5]


def test_longest_calls_come_first() -> None:
    step = two_ranks()
    longest = [
        "rank 0: 10.0 ms in MPI_Allreduce, begun at 10.0 ms",
        "rank 17: 8.00 ms in MPI_Allreduce, begun at 12.0 ms",
        "rank 17: 4.00 ms in MPI_Wait, begun at 4.00 ms",
    ]
    ranks = ["0", "17"]
    assert longest_calls(step, ranks, [0, 1], lambda row: step.function(row), ranks.__getitem__, most=3) == longest
    waited = replace(step, waits=WAITS)
    assert longest_calls(waited, ranks, [0, 1], lambda row: step.function(row), ranks.__getitem__, most=3) == [
        longest[0] + ", waiting 2.00 ms for rank 17",
        longest[1],
        longest[2] + ", waiting 4.00 ms for rank 0",
    ]


@pytest.mark.parametrize(
    ("span_s", "columns", "text"),
    [
        (0.02, 60, "0              5 ms           10 ms          15 ms"),
        (3e-6, 40, "0            1 µs         2 µs"),
        (1.0, 24, "0           0.5 s"),
        (0.0, 40, "0"),
    ],
)
def test_an_axis_has_round_times_where_they_are(span_s: float, columns: int, text: str) -> None:
    assert axis(span_s, columns) == text


def test_marks_count_units_from_the_start_of_the_step() -> None:
    step = two_ranks()
    unit_s = marks.unit_of(step.stop_s - step.start_s)
    assert unit_s == 1e-8
    drawn = marks.marks(step, None, 2, unit_s, [10, 11, 12, 13, 14, 15])
    assert drawn["by_rank"] == [2, 6]
    assert drawn["begin"][:4] == [400_000, 1_000_000, 200_000, 400_000]
    assert drawn["duration"][:4] == [100_000, 1_000_000, 1_000, 400_000]
    assert drawn["bytes"] == [800, 8, 0, 800, 0, 0, 64, 8]
    assert drawn["site"] == [10, 11, 12, 13, 14, 14, 15, 11]
    some = marks.marks(step, [1, 3], 2, unit_s, [10, 11, 12, 13, 14, 15])
    assert some["by_rank"] == [1, 1]
    assert {name: some[name] for name in ("site", "begin", "duration", "bytes")} == {
        name: [drawn[name][1], drawn[name][3]] for name in ("site", "begin", "duration", "bytes")
    }
    assert marks.edges(step, 2, unit_s) == {"from": [0, 200_000], "to": [2_000_000, 2_000_000]}
    assert marks.messages(step, unit_s) == {
        "send": [0],
        "receive": [3],
        "completion": [3],
        "arrival": [800_000],
        "bytes": [800],
        "elsewhere": 1,
    }
    assert marks.longest(step, 2) == [1, 7]
    assert marks.after_others(step, unit_s) == []
    assert marks.after_others(replace(step, gap_s=array("d", [0.0] * len(step))), unit_s) == [1, 3, 4, 5, 6]


def test_of_several_messages_of_one_call_no_bytes_are_known() -> None:
    """Ends in other iterations and ends that were never found are elsewhere; a receive may block, or be left open."""
    both = replace(
        two_ranks(),
        sends=array("q", [1, 0, -1, 0, 6]),
        receives=array("q", [2, 7, 3, 4, -1]),
        completed_s=array("d", [NOT_KNOWN, 0.12, 0.108, 0.108, NOT_KNOWN, 0.10903, 0.112, 0.12]),
    )
    assert marks.messages(both, 1e-3) == {
        "send": [0, 0, 1],
        "receive": [4, 7, 2],
        "completion": [-1, 7, 3],
        "arrival": [-1, 20, 8],
        "bytes": [-1, -1, 8],
        "elsewhere": 3,
    }


def test_columns_that_do_not_belong_together_are_refused() -> None:
    step = two_ranks()
    for wrong in ({"sent": array("q", [1])}, {"sends": array("q", [8])}, {"receives": array("q", [-2])}):
        with pytest.raises(ValueError, match="do not belong together"):
            marks.messages(replace(step, **wrong), 1e-3)
    with pytest.raises(ValueError, match="no such row"):
        marks.marks(step, [8], 2, 1e-3, [0] * 6)
    assert replace(step, lane=array("i", [9] * 8)).rows.edges(2, 1e-3) == {"from": [-1, -1], "to": [-1, -1]}


@pytest.mark.parametrize(
    ("span_s", "unit_s"), [(0.0, 1e-9), (1e-3, 1e-9), (2e-3, 1e-9), (0.021, 1e-8), (1.9, 1e-6), (100, 1e-5)]
)
def test_a_unit_is_a_power_of_ten(span_s: float, unit_s: float) -> None:
    assert marks.unit_of(span_s) == unit_s


def test_tiles_sum_up_what_was_done() -> None:
    step = two_ranks()
    tiles = marks.tiles(step, 2, lambda kind: CATEGORIES[step.kinds[kind][1]])
    kinds, share = tiles["categories"], tiles["share"]
    width = len(kinds)
    assert len(share) == 2 * tiles["tiles"] * width
    each = {
        kind: [
            sum(share[(lane * tiles["tiles"] + tile) * width + at] for tile in range(tiles["tiles"])) for lane in (0, 1)
        ]
        for at, kind in enumerate(kinds)
    }
    full = tiles["levels"] * tiles["tiles"]
    assert each["collective"] == [full / 2, full * 8 / 20]
    assert each["files"] == [0, full * 2 / 20]
    # The polls last half a tile each, and what there is, is seen.
    assert full * 4 / 20 < each["completion"][1] <= full * 4 / 20 + 2 * tiles["levels"]


def steps_of(times: list[float], besides: dict[int, set[int]] | None = None) -> list[Step]:
    return representative_steps(timeline_of(times, besides))


def timeline_of(times: list[float], besides: dict[int, set[int]] | None = None) -> Any:
    """Of iterations with these times, in a run whose iterations they are."""
    functions = [("MPI_Send", "send"), ("fread", "posix_read"), ("write", "posix_write"), ("MPI_File_write", "file_io")]
    return SimpleNamespace(
        times=[IterationTime(number, time, 1.5 * time, 0) for number, time in enumerate(times)],
        found=SimpleNamespace(
            strip=[SimpleNamespace(mean_ns=t * 1e9, first=n, last=n, timed=1) for n, t in enumerate(times)]
        ),
        run=SimpleNamespace(
            profile=SimpleNamespace(functions=[SimpleNamespace(name=name, cls=cls) for name, cls in functions])
        ),
        sites=[SimpleNamespace(function=name) for name, _ in functions],
        sites_besides=lambda number: besides or {},
    )


def test_a_typical_step_the_slowest_and_one_with_output_are_chosen() -> None:
    found = steps_of([9, 2, 1, 2.1, 5], {0: {0, 1}, 4: {0, 2}, 2: {0}})
    assert [(step.number, step.kinds) for step in found] == [(3, ("typical",)), (0, ("slowest",)), (4, ("output",))]


def test_one_step_may_stand_for_several() -> None:
    assert [(s.number, s.kinds) for s in steps_of([3.0])] == [(0, ("typical", "slowest"))]
    found = steps_of([1, 1, 4], {2: {3}})
    assert [(s.number, s.kinds) for s in found] == [(0, ("typical",)), (2, ("slowest", "output"))]
    assert title_of(found[1]) == "slowest and with file output"


def test_an_iteration_that_was_chosen_comes_first() -> None:
    timeline = timeline_of([9, 2, 1, 2.1, 5], {0: {1}})
    found = representative_steps(timeline, timeline.times[2])
    assert [(step.number, step.kinds) for step in found] == [
        (2, ("chosen",)),
        (3, ("typical",)),
        (0, ("slowest", "files")),
    ]
    (alone,) = representative_steps(timeline_of([3.0]), IterationTime(0, 3.0, 4.5, 0))
    assert alone.kinds == ("chosen", "typical", "slowest")


@pytest.mark.parametrize(("sites", "kind"), [({0}, "other_calls"), ({0, 1}, "files"), ({3}, "output")])
def test_a_step_says_what_the_typical_one_lacks(sites: set[int], kind: str) -> None:
    assert steps_of([2, 1, 2], {1: sites})[-1].kinds == (kind,)


def content_of(computation_s: list[float], messages: dict[tuple[int, int], int]) -> Any:
    ranks = range(len(computation_s))
    edges = [SimpleNamespace(source=a, target=b, messages=n) for (a, b), n in messages.items()]
    run = SimpleNamespace(
        order=list(ranks),
        label=str,
        process_of=lambda source, target: target,
        profile=SimpleNamespace(edges=lambda: edges),
    )
    return SimpleNamespace(run=run, ranks=[SimpleNamespace(computation_s=time) for time in computation_s])


def test_all_ranks_are_shown_while_there_is_room() -> None:
    content = content_of([1, 2, 3], {})
    lanes = choose_lanes(content, 3)
    assert (lanes.processes, shown_ranks(content.run, lanes)) == ((0, 1, 2), "")


def test_of_many_ranks_representative_ones_come_first_then_their_partners() -> None:
    computation_s = [5.0 + n / 100 for n in range(20)]
    computation_s[13], computation_s[4] = 9, 1
    messages = {(0, 1): 5, (0, 2): 50, (13, 14): 7, (6, 13): 8, (2, 3): 1_000}
    content = content_of(computation_s, messages)
    lanes = choose_lanes(content, 9)
    median = sorted(range(20), key=lambda n: computation_s[n])[10]
    chosen = {0, 13, 4, median, 2, 1, 6, 14, 3}
    assert set(lanes.processes) == chosen
    assert list(lanes.processes) == sorted(chosen)
    assert shown_ranks(content.run, lanes) == (
        f"9 of 20 ranks: 0 (first rank), 13 (most computation), 4 (least computation), {median} (median computation); "
        "5 main partners"
    )


def test_ranks_without_messages_are_taken_at_equal_distances() -> None:
    content = content_of([1.0] * 100, {})
    lanes = choose_lanes(content, 10)
    assert len(lanes.processes) == 10
    assert shown_ranks(content.run, lanes).endswith("evenly spaced")
