"""Programs whose steps make file calls, many more in some than MPI calls: what is counted, and whose times are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leadline.figures.content import Content
from leadline.figures.run import open_run
from leadline.report import to_json
from leadline.text.screen import LEAST_WIDTH

from .building import Builder
from .libraries import Library
from .running import run_mpi

STEPS, WRITES, EXCHANGES = 400, 20000, 20


def recorded(
    library: Library, builder: Builder, recorder: Path, directory: Path, *arguments: int, **environment: str
) -> Path:
    program = builder.c(library, "text_rows.c")
    outcome = run_mpi(
        library,
        2,
        [program, *map(str, arguments)],
        cwd=directory.parent,
        recorder=recorder,
        run_directory=directory,
        environment=environment,
    )
    assert outcome.returncode == 0, outcome.stderr
    return directory


def test_iterations_with_file_calls_count_mpi_calls_and_keep_times_in_all_generations(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """800,000 writes of uneven sizes on rank 0 fill several generations."""
    run = open_run(recorded(one_of_each_family, builder, recorder, tmp_path / "run", STEPS, WRITES))
    report = to_json(run)
    iterations = report["iterations"]
    assert (iterations["count"], report["losses"]) == (STEPS, [])
    assert iterations["calls_per_iteration"] == pytest.approx(EXCHANGES + 1 + 1 / 10)
    # With the file calls, of which only rank 0 makes some: none is lost where a generation ends within an iteration.
    each_output = WRITES + 2
    found = run.profile.iterations(0)
    assert found.calls == pytest.approx(EXCHANGES + 1 + 1 / 10 + each_output / 10 / 2, rel=0.01)
    assert (iterations["kept"], report["no_timeline"]) == ("sampled", None)
    assert iterations["sampled"][0] < STEPS / 4
    assert iterations["sampled"][-1] > STEPS / 2


@pytest.mark.ci(series="16MB")
@pytest.mark.parametrize("series", ["all", "16MB"])
def test_times_that_the_user_asks_for_are_kept_in_all_generations(
    series: str, one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    directory = tmp_path / "run"
    run = open_run(recorded(one_of_each_family, builder, recorder, directory, STEPS, WRITES, LEADLINE_SERIES=series))
    report = to_json(run)
    assert (report["iterations"]["count"], report["iterations"]["kept"]) == (STEPS, "full")
    assert report["losses"] == []


def test_output_in_the_first_step_leaves_room_for_the_times_of_others(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """Before there was a second step, the log was full, and the exchanges in the first were the loop."""
    report = to_json(open_run(recorded(one_of_each_family, builder, recorder, tmp_path / "run", 60, 60000, 0)))
    iterations = report["iterations"]
    assert (iterations["count"], iterations["kept"], report["no_timeline"]) == (60, "sampled", None)
    assert len(iterations["sampled"]) >= 8


def timeline_text(run: Any) -> str:
    from leadline.cli.timeline import drawn

    return "\n".join("".join(text for text, _ in line) for line in drawn(run, "typical", None, 2 * LEAST_WIDTH))


def test_a_trace_file_that_was_cut_is_said_to_be(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    directory = recorded(one_of_each_family, builder, recorder, tmp_path / "run", 2000, 10)
    assert "truncated" not in timeline_text(open_run(directory))
    trace = next(directory.glob("rank-00001-*.trace"))
    trace.write_bytes(trace.read_bytes()[: trace.stat().st_size // 2])
    run = open_run(directory)
    assert run.cut(1)
    assert not run.cut(0)
    assert to_json(run)["verdict"].startswith("Incomplete: 1 trace file is truncated or damaged. ")
    content = Content(run)
    assert content.waits.total_s is None
