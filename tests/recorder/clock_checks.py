"""That a run on several clocks has one time."""

from pathlib import Path
from typing import Any

from leadline.figures.run import open_run
from leadline.report import to_json

from .reading import core


def assert_one_time(processes: list[Any], run: Path, error_ns: float) -> None:
    """Whoever received has received after the sender began, on the clocks that were put right.

    Of clocks.c, 40 rounds.
    """
    iterations = to_json(open_run(run))["iterations"]
    seen = 0
    matching = core().Matching(processes)
    for iteration in range(2, iterations["count"] - 2):
        matched = matching.iteration(iteration)
        for call in matched.calls:
            if call.role != "send" or call.partner < 0:
                continue
            other = matched.calls[call.partner]
            rounded = 0.03 * (call.duration_ns + other.duration_ns + call.gap_ns + other.gap_ns)
            accumulated = 0.01 * iterations["max_s"] * 1e9  # what rounding has left since the last long call
            assert other.begin_ns + other.duration_ns >= call.begin_ns - 2 * error_ns - rounded - accumulated
            seen += 1
    assert seen > 30 * len(processes)
